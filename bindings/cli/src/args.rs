//! Arguments: flags, options with a value, and files. Our own, since this is all we need.

use std::ffi::{OsStr, OsString};

/// What a command accepts.
pub(crate) struct Spec {
    /// Options without a value, such as `--pretty`.
    pub(crate) flags: &'static [&'static str],
    /// Options with a value, as `--split 7` or `--split=7`.
    pub(crate) options: &'static [&'static str],
    /// How many files may be named.
    pub(crate) files: usize,
}

/// The arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct Args {
    flags: Vec<&'static str>,
    values: Vec<(&'static str, OsString)>,
    files: Vec<OsString>,
}

impl Args {
    /// Sorts arguments by what the command accepts. The error says what to change.
    pub(crate) fn parse(spec: &Spec, arguments: Vec<OsString>) -> Result<Self, String> {
        let mut args = Self::default();
        let mut arguments = arguments.into_iter();
        let mut only_files = false;
        while let Some(argument) = arguments.next() {
            let bytes = argument.as_encoded_bytes();
            if only_files || bytes.len() < 2 || !bytes.starts_with(b"-") {
                args.files.push(argument);
                continue;
            }
            if argument == "--" {
                only_files = true;
                continue;
            }
            let text = argument.to_str().ok_or_else(|| format!("option {} is not text", argument.to_string_lossy()))?;
            let (name, inline) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            if let Some(flag) = spec.flags.iter().find(|flag| **flag == name) {
                if inline.is_some() {
                    return Err(format!("{name} takes no value"));
                }
                args.flags.push(flag);
            } else if let Some(option) = spec.options.iter().find(|option| **option == name) {
                let value = inline.map(OsString::from).or_else(|| arguments.next());
                args.values.push((option, value.ok_or_else(|| format!("{name} needs a value"))?));
            } else {
                let known = spec.flags.iter().chain(spec.options).copied();
                return Err(format!("unknown option {name}{}", did_you_mean(name, known)));
            }
        }
        if args.files.len() > spec.files {
            return Err(format!("expected at most {} file(s), found {}", spec.files, args.files.len()));
        }
        Ok(args)
    }

    /// Says whether a flag was given.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// The last value of an option.
    pub(crate) fn value(&self, option: &str) -> Option<&OsStr> {
        self.values.iter().rev().find(|(name, _)| *name == option).map(|(_, value)| value.as_os_str())
    }

    /// Every value of an option, in order.
    pub(crate) fn values<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a OsStr> {
        self.values.iter().filter(move |(name, _)| *name == option).map(|(_, value)| value.as_os_str())
    }

    /// Every value of an option as text, in order.
    pub(crate) fn texts<'a>(&'a self, option: &'a str) -> Result<Vec<&'a str>, crate::Failure> {
        let text = |value: &'a OsStr| value.to_str();
        let all: Option<Vec<_>> = self.values(option).map(text).collect();
        all.ok_or_else(|| crate::Failure::Usage(format!("the value of {option} is not text")))
    }

    /// The value of an option as text.
    pub(crate) fn text(&self, option: &str) -> Result<Option<&str>, crate::Failure> {
        let Some(value) = self.value(option) else { return Ok(None) };
        value.to_str().map(Some).ok_or_else(|| crate::Failure::Usage(format!("the value of {option} is not text")))
    }

    /// The value of an option as a whole number above zero.
    pub(crate) fn number(&self, option: &str) -> Result<Option<usize>, crate::Failure> {
        let Some(text) = self.text(option)? else { return Ok(None) };
        match text.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(crate::Failure::Usage(format!("{option} needs a whole number above 0, found {text}"))),
        }
    }

    /// The files that were named.
    pub(crate) fn files(&self) -> &[OsString] {
        &self.files
    }

    /// The one file, `-` if none was named.
    pub(crate) fn file(&self) -> &OsStr {
        self.files.first().map_or(OsStr::new("-"), OsString::as_os_str)
    }
}

/// ` (did you mean …?)` for the closest of the known words, empty if none is close.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    match known.map(|candidate| (distance(word, candidate), candidate)).min() {
        Some((distance, candidate)) if distance <= 2 => format!(" (did you mean {candidate}?)"),
        _ => String::new(),
    }
}

/// How many letters must be added, removed or changed to make one word the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, a) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, b) in other.chars().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distance_counts_letters_that_differ() {
        for (one, other, expected) in
            [("", "", 0), ("", "ab", 2), ("frames", "frames", 0), ("fames", "frames", 1), ("spilt", "split", 2)]
        {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }
}
