//! How long a server asks to wait: `retry-after-ms` and `retry-after`, in seconds or as an HTTP date.

use crate::calendar::days_since_1970;

/// Seconds to wait according to the headers of a response; `None` if they do not contain it.
///
/// `retry-after-ms` takes precedence over `retry-after`. A date in `retry-after` is compared with `now` (seconds since 1970), or,
/// without one, with the `date` header of the same response.
pub(crate) fn seconds<'h>(header: impl Fn(&str) -> Option<&'h str>, now: Option<i64>) -> Option<f64> {
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(milliseconds) = number("retry-after-ms") {
        return (milliseconds >= 0.0).then_some(milliseconds / 1000.0);
    }
    if let Some(seconds) = number("retry-after") {
        return (seconds >= 0.0).then_some(seconds);
    }
    let until = http_date(header("retry-after")?)?;
    let now = now.or_else(|| http_date(header("date")?))?;
    Some(until.saturating_sub(now).max(0) as f64)
}

/// Reads an HTTP date in any of its three forms as seconds since 1970; `None` for any other text.
///
/// The forms are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
fn http_date(text: &str) -> Option<i64> {
    // One character may separate several forms, so the fields are the same in all of them.
    let mut parts = text.split([' ', ',', '-']).filter(|part| !part.is_empty());
    let _weekday = parts.next()?;
    let (first, second) = (parts.next()?, parts.next()?);
    let (day, month, year, time) = match month(first) {
        Some(month) => {
            let time = parts.next()?;
            (digits(second)?, month, digits(parts.next()?)?, time)
        }
        None => {
            let year = match parts.next()? {
                // Two digits: the standard assigns years far in the future to the last century.
                short if short.len() == 2 => {
                    digits(short).map(|year| if year < 70 { 2000 + year } else { 1900 + year })
                }
                long => digits(long),
            };
            let time = parts.next()?;
            if parts.next() != Some("GMT") {
                return None;
            }
            (digits(first)?, month(second)?, year?, time)
        }
    };
    let mut time = time.split(':').map(digits);
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let in_range = (1..=31).contains(&day) && year >= 1970 && hour < 24 && minute < 60 && second <= 60;
    if !in_range || time.next().is_some() || parts.next().is_some() {
        return None;
    }
    Some(days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn month(name: &str) -> Option<i64> {
    const NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    NAMES.iter().position(|known| *known == name).map(|at| at as i64 + 1)
}

/// A number of one to four digits.
fn digits(text: &str) -> Option<i64> {
    ((1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_of_an_http_date_are_the_same_second() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(http_date(text), Some(784_111_777), "{text}");
        }
        assert_eq!(http_date("Wed, 21 Oct 2026 07:28:00 GMT"), Some(1_792_567_680));
        for text in [
            "",
            "20",
            "Sun",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nox 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        ] {
            assert_eq!(http_date(text), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_come_first_and_a_date_needs_a_clock_or_the_date_of_the_response() {
        let ask = |headers: &[(&str, &'static str)], now| {
            seconds(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value), now)
        };
        assert_eq!(ask(&[("retry-after-ms", "1500"), ("retry-after", "7")], None), Some(1.5));
        assert_eq!(ask(&[("retry-after", " 7 ")], None), Some(7.0));
        for useless in ["-1", "NaN", "inf", "soon", ""] {
            assert_eq!(ask(&[("retry-after", useless)], Some(0)), None, "{useless}");
        }
        let until = ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(ask(&[until], None), None);
        assert_eq!(ask(&[until], Some(1_792_567_650)), Some(30.0));
        assert_eq!(ask(&[until], Some(1_792_567_690)), Some(0.0), "the date is in the past");
        assert_eq!(ask(&[until, ("date", "Wed, 21 Oct 2026 07:27:58 GMT")], None), Some(2.0));
    }
}
