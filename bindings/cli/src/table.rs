//! What a command is: one row of the table that arguments, help, completions and the man page are all made from.

use std::borrow::Cow;

use deltafold::adapter::Dialect;
use deltafold::validate::Rule;
use deltafold::{Edition, Profile};

use crate::args::Args;
use crate::{Failure, Io};

/// One subcommand.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// What follows the name in the usage lines.
    pub(crate) usage: &'static [&'static str],
    /// Paragraphs below the usage.
    pub(crate) about: &'static str,
    pub(crate) options: &'static [Opt],
    pub(crate) files: Files,
    pub(crate) exits: &'static [(&'static str, &'static str)],
    /// Lines that can be typed as they are, at the top of the repository.
    pub(crate) examples: &'static [&'static str],
    pub(crate) run: fn(&Args, &mut Io<'_>) -> Result<u8, Failure>,
}

/// How many files a command takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// None, one word of this list at most.
    Word(Words),
    /// Any number; none is stdin.
    Any,
    /// One at most; none is stdin.
    One,
    /// One or more, no stdin.
    Some,
    /// Exactly so many.
    Exactly(usize),
}

/// One option of a command.
#[derive(Clone, Copy)]
pub(crate) struct Opt {
    /// As it is typed, such as `--split`.
    pub(crate) name: &'static str,
    /// What stands for its value in the help; empty for a flag.
    pub(crate) value: &'static str,
    /// What its value can be.
    pub(crate) words: Words,
    pub(crate) help: &'static str,
}

/// The values that a shell can complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// Nothing is known about them.
    Free,
    File,
    List(&'static [&'static str]),
    ReadDialects,
    WrittenDialects,
    Profiles,
    Editions,
    Rules,
}

impl Opt {
    pub(crate) const fn flag(name: &'static str, help: &'static str) -> Self {
        Self { name, value: "", words: Words::Free, help }
    }

    pub(crate) const fn with(name: &'static str, value: &'static str, words: Words, help: &'static str) -> Self {
        Self { name, value, words, help }
    }

    pub(crate) fn is_flag(&self) -> bool {
        self.value.is_empty()
    }
}

impl Words {
    /// The words; none where they are free or files.
    pub(crate) fn all(self) -> Vec<Cow<'static, str>> {
        let dialects = |wanted: fn(Dialect) -> bool| Dialect::ALL.iter().copied().filter(move |one| wanted(*one));
        match self {
            Self::Free | Self::File => Vec::new(),
            Self::List(list) => list.iter().map(|word| Cow::from(*word)).collect(),
            Self::ReadDialects => {
                [Cow::from("auto")].into_iter().chain(dialects(Dialect::is_read).map(|one| one.name().into())).collect()
            }
            Self::WrittenDialects => dialects(Dialect::is_written).map(|one| one.name().into()).collect(),
            Self::Profiles => [Cow::from("auto")].into_iter().chain(Profile::names().map(Cow::from)).collect(),
            Self::Editions => Edition::ALL.iter().map(|edition| edition.name().into()).collect(),
            Self::Rules => Rule::ALL.iter().map(|rule| rule.id().into()).collect(),
        }
    }
}

/// Options that several commands share, worded once.
pub(crate) const FROM: Opt = Opt::with(
    "--from",
    "DIALECT",
    Words::ReadDialects,
    "what the input speaks (default auto: found out from its first message); what is not Open Responses is converted first",
);
pub(crate) const MESSAGES: Opt =
    Opt::flag("--messages", "each line of the input is a JSON message of a socket or log, not an event stream");
pub(crate) const SPLIT: Opt = Opt::with("--split", "N", Words::Free, "feed N bytes at a time (the answer is the same)");
pub(crate) const COLOR: Opt = Opt::with(
    "--color",
    "WHEN",
    Words::List(&["auto", "always", "never"]),
    "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
);
pub(crate) const PROGRESS: Opt = Opt::with(
    "--progress",
    "WHEN",
    Words::List(&["auto", "always", "never"]),
    "on stderr: auto (a bar on a terminal, elsewhere a line every 10 seconds), always (elsewhere a line per file) or never",
);
pub(crate) const JOBS: Opt =
    Opt::with("--jobs", "N", Words::Free, "read N files at once (default: one per core); the output keeps their order");

/// The codes of a command that only prints.
pub(crate) const PLAIN_EXITS: &[(&str, &str)] = &[
    ("0", "done"),
    ("1", "reading failed or a limit was passed"),
    ("2", "the call was wrong or a file cannot be opened"),
];
