//! JSON numbers as text: whole or not, and comparison by value.

use core::cmp::Ordering;

/// Returns `true` for a JSON number without a fraction, in any notation: `2`, `2.0` and `20e-1` are whole.
#[inline]
pub(crate) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()) || is_whole_written_otherwise(digits)
}

#[cold]
fn is_whole_written_otherwise(digits: &str) -> bool {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() && whole.bytes().all(|byte| byte == b'0') {
        return true;
    }
    // An exponent beyond 64 bits exceeds the number of digits of any text.
    let exponent: i64 = match exponent.strip_prefix('+').unwrap_or(exponent).parse() {
        Ok(exponent) => exponent,
        Err(_) => return !exponent.starts_with('-'),
    };
    let zeros = if fraction.is_empty() { whole.len() - whole.trim_end_matches('0').len() } else { 0 };
    exponent - fraction.len() as i64 + zeros as i64 >= 0
}

/// Returns `true` if a number is between two bounds, both included.
pub(super) fn is_within(text: &str, least: u32, most: u32) -> bool {
    // Every JSON number parses; a number beyond the range of doubles becomes infinite.
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    let most = if most == u32::MAX { f64::INFINITY } else { f64::from(most) };
    f64::from(least) <= value && value <= most
}

/// Compares two JSON numbers by value: exactly if both are whole numbers within 128 bits, otherwise as doubles.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
        return one.cmp(&other);
    }
    // Every JSON number parses; a number beyond the range of doubles becomes infinite.
    let double = |text: &str| text.parse().unwrap_or(f64::INFINITY);
    double(one).partial_cmp(&double(other)).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_integers_in_any_notation() {
        for text in
            ["0", "-0", "7", "-12", "1.0", "1.50e1", "1e3", "100e-2", "0.0e-9", "1e99999999999999999999", "0e-5"]
        {
            assert!(is_whole(text), "{text}");
        }
        for text in ["0.5", "-1.25", "1e-1", "15e-1", "1.05e1", "100e-3", "1e-99999999999999999999"] {
            assert!(!is_whole(text), "{text}");
        }
    }

    #[test]
    fn bounds_are_included() {
        assert!(is_within("0", 0, 20) && is_within("20", 0, 20) && is_within("20.0", 0, 20));
        assert!(!is_within("-1", 0, 20) && !is_within("20.5", 0, 20));
        assert!(is_within("1e300", 0, u32::MAX));
    }
}
