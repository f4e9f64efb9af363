//! Selects the type of `serde`'s data model that stores a JSON number without a change of its digits.

use core::fmt::{self, Write};

/// A JSON number as the smallest type that prints the same digits.
pub(super) enum ExactNumber {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// No type prints the same digits.
    Inexact,
}

impl ExactNumber {
    pub(super) fn of(text: &str) -> Self {
        if let Ok(number) = text.parse() {
            return Self::Unsigned(number);
        }
        match text.parse() {
            // An integer has no negative zero.
            Ok(number) if number != 0 => return Self::Signed(number),
            _ => {}
        }
        let nearest = nearest_double(text);
        if prints_as(nearest, text) {
            Self::Float(nearest)
        } else {
            Self::Inexact
        }
    }
}

/// Returns the nearest double; every JSON number has one.
pub(super) fn nearest_double(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Returns `true` if the shortest text of a double is exactly this text.
fn prints_as(number: f64, text: &str) -> bool {
    struct Rest<'a>(&'a str);
    impl Write for Rest<'_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let mut rest = Rest(text);
    write!(rest, "{number:?}").is_ok() && rest.0.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_narrowest_type_that_prints_its_digits() {
        let name = |text| match ExactNumber::of(text) {
            ExactNumber::Unsigned(_) => "u64",
            ExactNumber::Signed(_) => "i64",
            ExactNumber::Float(_) => "f64",
            ExactNumber::Inexact => "text",
        };
        for (text, expected) in [
            ("0", "u64"),
            ("18446744073709551615", "u64"),
            ("-1", "i64"),
            ("-9223372036854775808", "i64"),
            ("0.1", "f64"),
            ("-2.5", "f64"),
            ("1e21", "f64"),
            ("-0", "text"),
            ("0.10", "text"),
            ("1E21", "text"),
            ("1e400", "text"),
            ("18446744073709551616", "text"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }
}
