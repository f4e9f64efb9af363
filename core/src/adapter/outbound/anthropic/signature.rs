//! The meaning of `encrypted_content` for an Anthropic client: a signature, redacted thinking, or another provider's value in an envelope.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::super::normalizer::text_at;
use crate::adapter::base64;
use crate::json::Tape;

/// The result of reading a reasoning item's encrypted content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OpaqueReasoning<'a> {
    /// The signature of the thinking text.
    Signature(Cow<'a, str>),
    /// A redacted thinking block.
    Redacted(&'a str),
    /// A thinking text and its signature, together.
    Thinking { text: String, signature: Cow<'a, str> },
}

/// Reads the encrypted content of a reasoning item.
pub(super) fn read(content: &str, depth: usize) -> OpaqueReasoning<'_> {
    match unwrap(content) {
        Some(("anthropic", "signature", payload)) => OpaqueReasoning::Signature(Cow::Borrowed(payload)),
        Some(("anthropic", "redacted", payload)) => OpaqueReasoning::Redacted(payload),
        Some(("anthropic", "thinking", payload)) => {
            thinking(payload, depth).unwrap_or(OpaqueReasoning::Signature(content.into()))
        }
        Some(_) => OpaqueReasoning::Signature(Cow::Borrowed(content)),
        // This envelope returns a native value to the OpenAI side.
        None => OpaqueReasoning::Signature(Cow::Owned(format!("dfold1.openai.encrypted.{content}"))),
    }
}

/// Reads the encrypted content of a compaction item: the name of the block's member, and the value.
pub(super) fn compaction(content: &str) -> Option<(&'static str, &str)> {
    match unwrap(content)? {
        ("anthropic", "compaction", payload) => Some(("encrypted_content", payload)),
        ("anthropic", "compaction_text", payload) => Some(("content", payload)),
        _ => None,
    }
}

/// Splits an envelope into provider, kind and payload.
fn unwrap(content: &str) -> Option<(&str, &str, &str)> {
    let mut parts = content.strip_prefix("dfold1.")?.splitn(3, '.');
    Some((parts.next()?, parts.next()?, parts.next()?))
}

fn thinking(payload: &str, depth: usize) -> Option<OpaqueReasoning<'static>> {
    let json = String::from_utf8(base64::decode(payload)?).ok()?;
    let mut tape = Tape::default();
    tape.parse(&json, depth).ok()?;
    let both = tape.root(&json);
    Some(OpaqueReasoning::Thinking {
        text: text_at(both, "thinking"),
        signature: Cow::Owned(text_at(both, "signature")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_unwrapped_for_its_own_provider_only() {
        assert_eq!(read("dfold1.anthropic.signature.a.b", 8), OpaqueReasoning::Signature("a.b".into()));
        assert_eq!(read("dfold1.anthropic.redacted.x", 8), OpaqueReasoning::Redacted("x"));
        assert_eq!(read("dfold1.google.self.x", 8), OpaqueReasoning::Signature("dfold1.google.self.x".into()));
        assert_eq!(read("gAAA", 8), OpaqueReasoning::Signature("dfold1.openai.encrypted.gAAA".into()));
        assert_eq!(read("dfold1.short", 8), OpaqueReasoning::Signature("dfold1.openai.encrypted.dfold1.short".into()));
        assert_eq!(compaction("dfold1.anthropic.compaction_text.a.b"), Some(("content", "a.b")));
        assert_eq!(compaction("gAAA"), None);
    }

    #[test]
    fn a_self_contained_envelope_gives_text_and_signature() {
        // {"thinking":"Hm","signature":"s"}
        let payload = "dfold1.anthropic.thinking.eyJ0aGlua2luZyI6IkhtIiwic2lnbmF0dXJlIjoicyJ9";
        assert_eq!(read(payload, 8), OpaqueReasoning::Thinking { text: "Hm".into(), signature: "s".into() });
        let broken = "dfold1.anthropic.thinking.!";
        assert_eq!(read(broken, 8), OpaqueReasoning::Signature(broken.into()));
    }
}
