//! [`Edition`] and [`Editions`]: the published versions of the contract.

use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error};

/// A published version of the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Edition {
    /// The release of 2026-04-24, the newest dated one. Conformance to Open Responses means this edition; the later
    /// TypeSpec sources carry the same contract.
    #[default]
    V2026_04_24,
    /// The release of 2026-01-15, the first.
    V2026_01_15,
    /// The split component schemas as of 2026-07: the full surface with hosted tools.
    Split,
    /// The split component schemas of the first public commit, 2026-01.
    Split2026_01,
    /// The types of OpenAI's SDKs, which describe the OpenAI service, not Open Responses.
    OpenAi,
}

impl Edition {
    /// Every edition.
    pub const ALL: [Self; 5] = [Self::V2026_04_24, Self::V2026_01_15, Self::Split, Self::Split2026_01, Self::OpenAi];

    /// Returns the short name: `2026-04-24`, `2026-01-15`, `split`, `split-2026-01` or `openai`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2026_04_24 => "2026-04-24",
            Self::V2026_01_15 => "2026-01-15",
            Self::Split => "split",
            Self::Split2026_01 => "split-2026-01",
            Self::OpenAi => "openai",
        }
    }

    /// Returns the edition for a short name, or for a long one such as `bundle-2026-04-24`, `typespec`, `split-2026-07`,
    /// `openai-sdk`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "2026-04-24" | "bundle-2026-04-24" | "typespec" => Self::V2026_04_24,
            "2026-01-15" | "bundle-2026-01-15" => Self::V2026_01_15,
            "split" | "split-2026-07" => Self::Split,
            "split-2026-01" => Self::Split2026_01,
            "openai" | "openai-sdk" => Self::OpenAi,
            _ => return None,
        })
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Edition {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = "known editions: 2026-04-24, 2026-01-15, split, split-2026-01 and openai";
        Self::from_name(name).ok_or_else(|| Error::new(Code::UnknownName, 0, known))
    }
}

/// A set of editions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Editions(u8);

impl Editions {
    /// No edition.
    pub const NONE: Self = Self(0);

    /// Returns the set of these editions.
    pub const fn of(editions: &[Edition]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < editions.len() {
            bits |= 1 << editions[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Returns the set with one more edition.
    #[must_use]
    pub const fn with(self, edition: Edition) -> Self {
        Self(self.0 | 1 << edition as u8)
    }

    /// Returns `true` if the edition is in the set.
    pub const fn contains(self, edition: Edition) -> bool {
        self.0 & (1 << edition as u8) != 0
    }

    /// Returns `true` if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the editions of the set, in the order of [`Edition::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Edition> {
        Edition::ALL.into_iter().filter(move |edition| self.contains(*edition))
    }
}

impl fmt::Debug for Editions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
