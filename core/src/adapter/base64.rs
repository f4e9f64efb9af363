//! Base64 of short payloads: envelopes of signatures, and the events inside of AWS chunks.

use alloc::vec::Vec;

/// Decodes base64 with either alphabet, with or without padding; `None` if a character belongs to neither.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn both_alphabets_decode_with_and_without_padding() {
        assert_eq!(decode("aGk_Pj4=").unwrap(), b"hi?>>");
        assert_eq!(decode("aGk/Pj4").unwrap(), b"hi?>>");
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("a b"), None);
    }
}
