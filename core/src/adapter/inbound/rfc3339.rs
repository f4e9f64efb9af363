//! Times of RFC 3339 in whole seconds.

use crate::calendar::days_since_1970;

/// Reads `2025-12-31T23:59:50.250Z` as seconds since 1970, without the fraction; `None` for any other form.
pub(crate) fn unix_seconds(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = |from: usize, count: usize| -> Option<i64> {
        let digits = bytes.get(from..from + count)?;
        digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let mark = |at: usize, marks: &[u8]| bytes.get(at).is_some_and(|byte| marks.contains(byte));
    if !(mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt ") && mark(13, b":") && mark(16, b":")) {
        return None;
    }
    let (year, month, day) = (digits(0, 4)?, digits(5, 2)?, digits(8, 2)?);
    let (hour, minute, second) = (digits(11, 2)?, digits(14, 2)?, digits(17, 2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    if mark(at, b".") {
        at += 1;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
    }
    let east = match bytes.get(at)? {
        b'Z' | b'z' => 0,
        sign @ (b'+' | b'-') => {
            let minutes = digits(at + 1, 2)? * 60 + digits(at + 4, 2)?;
            if *sign == b'+' {
                minutes
            } else {
                -minutes
            }
        }
        _ => return None,
    };
    Some(days_since_1970(year, month, day) * 86_400 + (hour * 60 + minute - east) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::unix_seconds;

    #[test]
    fn known_times_are_read_and_others_are_not() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_seconds("2025-12-31T23:59:50.250Z"), Some(1_767_225_590));
        assert_eq!(unix_seconds("2024-02-29T12:00:00.123456789+02:00"), Some(1_709_200_800));
        assert_eq!(unix_seconds("2026-01-01T00:00:00-00:30"), Some(1_767_227_400));
        assert_eq!(unix_seconds("1969-12-31 23:59:59Z"), Some(-1));
        for text in
            ["", "2025", "2025-13-01T00:00:00Z", "2025-12-31T23:59:50", "2025-12-31T23:59:50.5", "x025-12-31T23:59:50Z"]
        {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
