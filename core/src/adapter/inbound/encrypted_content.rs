//! Envelopes: a provider's opaque data inside `encrypted_content`, so that it can be sent back.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::builder::ResponseBuilder;
use super::text_piece::TextPiece;
use crate::adapter::Envelope;
use crate::error::Error;
use crate::json::write_string;
use crate::json::SurrogateCarry;

/// The prefix of every envelope.
pub(crate) const TAG: &str = "dfold1";

/// Wraps a payload: `dfold1.<provider>.<kind>.<payload>`. A dot in the kind would move the payload's start.
pub(crate) fn wrap(provider: &str, kind: &str, payload: &str) -> String {
    format!("{TAG}.{provider}.{}.{payload}", kind.replace('.', "_"))
}

/// A thinking text and its signature while they arrive.
#[derive(Default)]
pub(crate) struct SignedThinking {
    signature: String,
    /// Kept only for the envelope that holds both.
    text: String,
    carry: SurrogateCarry,
}

impl SignedThinking {
    /// Takes a signature; the last one that is not empty is used.
    pub(crate) fn sign(&mut self, signature: Option<Cow<'_, str>>) {
        if let Some(signature) = signature.filter(|signature| !signature.is_empty()) {
            self.signature = signature.into_owned();
        }
    }

    /// Takes thinking text.
    pub(crate) fn grow(&mut self, piece: &TextPiece<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if builder.options.envelope == Envelope::SelfContained {
            let text = piece.join(&mut self.carry);
            builder.account_bytes(text.len())?;
            self.text.push_str(&text);
        }
        Ok(())
    }

    /// The envelope, if there is a signature.
    pub(crate) fn wrap(mut self, provider: &str, builder: &ResponseBuilder) -> Option<String> {
        if self.signature.is_empty() {
            return None;
        }
        if builder.options.envelope == Envelope::Signature {
            return Some(wrap(provider, "signature", &self.signature));
        }
        if self.carry.take_lone_surrogate() {
            self.text.push('\u{FFFD}');
        }
        let mut json = String::from("{\"thinking\":");
        write_string(&self.text, &mut json);
        json.push_str(",\"signature\":");
        write_string(&self.signature, &mut json);
        json.push('}');
        Some(wrap(provider, "thinking", &base64url(json.as_bytes())))
    }
}

/// Base64 with the alphabet for URLs, without padding.
fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..=group.len() {
            out.push(char::from(ALPHABET[(bits >> (18 - 6 * at)) as usize & 63]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_that_of_the_standard() {
        for (plain, coded) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!(base64url(plain.as_bytes()), coded);
        }
        assert_eq!(base64url(&[0xFB, 0xFF]), "-_8");
    }
}
