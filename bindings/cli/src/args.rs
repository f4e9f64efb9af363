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
            let text = argument.to_str().filter(|text| !only_files && text.len() > 1 && text.starts_with('-'));
            let Some(text) = text else {
                args.files.push(argument);
                continue;
            };
            if text == "--" {
                only_files = true;
                continue;
            }
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
                return Err(format!("unknown option {name}"));
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

    /// The one file, `-` if none was named.
    pub(crate) fn file(&self) -> &OsStr {
        self.files.first().map_or(OsStr::new("-"), OsString::as_os_str)
    }
}
