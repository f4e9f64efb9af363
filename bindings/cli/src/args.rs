//! Arguments: flags, options with a value, and files. Our own, since this is all we need.

use std::ffi::{OsStr, OsString};

use crate::table::{Command, Files};
use crate::Failure;

/// The arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct Args {
    flags: Vec<&'static str>,
    values: Vec<(&'static str, OsString)>,
    files: Vec<OsString>,
}

impl Args {
    /// Sorts arguments by what the command accepts. The error says what to change.
    pub(crate) fn parse(command: &Command, arguments: Vec<OsString>) -> Result<Self, String> {
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
            let Some(option) = command.options.iter().find(|option| option.name == name) else {
                let known = command.options.iter().map(|option| option.name);
                return Err(format!("unknown option {name}{}", did_you_mean(name, known)));
            };
            if !option.is_flag() {
                let value = inline.map(OsString::from).or_else(|| arguments.next());
                args.values.push((option.name, value.ok_or_else(|| format!("{name} needs a value"))?));
            } else if inline.is_some() {
                return Err(format!("{name} takes no value"));
            } else {
                args.flags.push(option.name);
            }
        }
        args.count_files(command.files)?;
        Ok(args)
    }

    fn count_files(&self, files: Files) -> Result<(), String> {
        let found = self.files.len();
        let expected = match files {
            Files::Any => return Ok(()),
            Files::Some if found > 0 => return Ok(()),
            Files::Some => "at least one file",
            Files::One if found > 1 => "one file at most",
            Files::Word(_) if found > 1 => "one word",
            Files::Exactly(count) if found != count => match count {
                0 => "no file",
                1 => "one file",
                _ => "two files",
            },
            _ => return Ok(()),
        };
        Err(format!("expected {expected}, found {found}"))
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
    pub(crate) fn texts<'a>(&'a self, option: &'a str) -> Result<Vec<&'a str>, Failure> {
        let text = |value: &'a OsStr| value.to_str();
        let all: Option<Vec<_>> = self.values(option).map(text).collect();
        all.ok_or_else(|| Failure::Usage(format!("the value of {option} is not text")))
    }

    /// The value of an option as text.
    pub(crate) fn text(&self, option: &str) -> Result<Option<&str>, Failure> {
        let Some(value) = self.value(option) else { return Ok(None) };
        value.to_str().map(Some).ok_or_else(|| Failure::Usage(format!("the value of {option} is not text")))
    }

    /// The value of an option as a whole number above zero.
    pub(crate) fn number(&self, option: &str) -> Result<Option<usize>, Failure> {
        let Some(text) = self.text(option)? else { return Ok(None) };
        match text.parse::<usize>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(Failure::Usage(format!("{option} needs a whole number above 0, found {text}"))),
        }
    }

    /// A value that is one of a few words; the first word is the default.
    pub(crate) fn choice(&self, option: &str, words: &'static [&'static str]) -> Result<&'static str, Failure> {
        let Some(text) = self.text(option)? else { return Ok(words.first().copied().unwrap_or_default()) };
        words.iter().copied().find(|word| *word == text).ok_or_else(|| {
            let hint = did_you_mean(text, words.iter().copied());
            Failure::Usage(format!("{option} is {}, found {text}{hint}", list(words)))
        })
    }

    /// The files that were named.
    pub(crate) fn named(&self) -> &[OsString] {
        &self.files
    }

    /// The files to read, `-` if none was named.
    pub(crate) fn files(&self) -> Vec<&OsStr> {
        match self.files.as_slice() {
            [] => vec![OsStr::new("-")],
            files => files.iter().map(OsString::as_os_str).collect(),
        }
    }

    /// The one word that was named.
    pub(crate) fn word(&self) -> Result<Option<&str>, Failure> {
        let word =
            self.files.first().map(|word| word.to_str().ok_or_else(|| Failure::Usage("the word is not text".into())));
        word.transpose()
    }

    /// The one file, `-` if none was named.
    pub(crate) fn file(&self) -> &OsStr {
        self.files.first().map_or(OsStr::new("-"), OsString::as_os_str)
    }
}

/// `a, b or c`.
fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
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
