//! Properties of a [`Kind`]: wire name, group and editions, and the kind of a wire name.
//!
//! The enum itself and its facts are generated; see [`contract`](crate::contract).

use core::fmt;
use core::str::FromStr;

use crate::contract::kinds::{self, Fact};
use crate::contract::{Editions, Group, Kind};
use crate::error::{Code, Error};

impl Kind {
    /// Every kind, in the order of the contract.
    pub const ALL: &'static [Self] = &kinds::KINDS;

    /// Wire names of real servers that no edition lists, and the kind of each.
    pub const ALIASES: &'static [(&'static str, Self)] = &kinds::ALIASES;

    /// The kind of a wire `type`. Aliases return the kind that they stand for; `slug:name` returns [`Kind::Extension`]; any
    /// other name that is not in the contract returns [`Kind::Unknown`].
    #[inline]
    pub fn from_wire(name: &str) -> Self {
        match kinds::search(name) {
            Some(kind) => kind,
            None => Self::extension_or_unknown(name),
        }
    }

    /// The wire name in the contract, such as `response.created`; `extension` and `unknown` for the two kinds that
    /// have many names.
    pub fn name(self) -> &'static str {
        self.fact().name
    }

    /// The group of the kind.
    pub fn group(self) -> Group {
        self.fact().group
    }

    /// The editions that list it. Empty for names that are only seen on real servers.
    pub fn editions(self) -> Editions {
        self.fact().editions
    }

    /// The schema of Open Responses for it; `None` if only OpenAI describes it, or no document does.
    pub fn schema(self) -> Option<&'static str> {
        kinds::SCHEMAS[self as usize]
    }

    /// Returns `true` if the contract or the list of aliases has its name: it is neither an extension nor unknown.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Extension | Self::Unknown)
    }

    /// Returns `true` if it carries a whole response: created, queued, in progress, or a terminal event.
    pub fn is_response_state(self) -> bool {
        matches!(self.group(), Group::ResponseState)
    }

    /// Returns `true` if it ends the response: completed, failed or incomplete.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Incomplete)
    }

    /// Returns `true` if it adds to a value (group `delta`).
    pub fn is_delta(self) -> bool {
        matches!(self.group(), Group::Delta)
    }

    /// Returns `true` if it ends a value (group `done`; the `.done` of items and parts are boundaries).
    pub fn is_done(self) -> bool {
        matches!(self.group(), Group::Done)
    }

    /// Returns `true` if it is not about the response: keep-alives, rate limits, answers to WebSocket messages.
    pub fn is_transport(self) -> bool {
        matches!(self.group(), Group::Transport | Group::WebsocketControl)
    }

    #[inline]
    fn fact(self) -> &'static Fact {
        &kinds::FACTS[self as usize]
    }

    #[cold]
    fn extension_or_unknown(name: &str) -> Self {
        match name.split_once(':') {
            Some((slug, rest)) if !slug.is_empty() && !rest.is_empty() => Self::Extension,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Accepts the result of [`Kind::name`], the aliases, and `slug:name`.
impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match Self::from_wire(name) {
            Self::Unknown if name == Self::Extension.name() => Ok(Self::Extension),
            Self::Unknown if name != Self::Unknown.name() => {
                Err(Error::new(Code::UnknownName, 0, "no event of the contract has this name"))
            }
            kind => Ok(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Edition;
    use alloc::string::ToString;

    #[test]
    fn every_kind_is_found_by_its_name_and_has_its_own_index() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, at);
            assert_eq!(kind.to_string().parse(), Ok(*kind));
            assert_eq!(Kind::from_wire(kind.name()), if kind.is_known() { *kind } else { Kind::Unknown });
        }
    }

    #[test]
    fn aliases_fold_to_the_kind_they_mean() {
        for (wire, kind) in Kind::ALIASES {
            assert_eq!(Kind::from_wire(wire), *kind);
        }
        assert_eq!(Kind::from_wire("response.reasoning_part.added"), Kind::ContentPartAdded);
        assert_eq!(Kind::from_wire("ping"), Kind::Keepalive);
    }

    #[test]
    fn a_name_that_differs_in_one_byte_is_another_name() {
        for kind in Kind::ALL.iter().filter(|kind| kind.is_known()) {
            let name = kind.name();
            for at in 0..name.len() {
                let mut other = name.to_string();
                other.replace_range(at..=at, "#");
                assert_eq!(Kind::from_wire(&other), Kind::Unknown, "{other}");
            }
            assert_eq!(Kind::from_wire(&name[1..]), Kind::Unknown);
        }
    }

    #[test]
    fn an_extension_needs_slug_and_name() {
        for (wire, kind) in [
            ("acme:trace", Kind::Extension),
            ("acme:a:b", Kind::Extension),
            (":trace", Kind::Unknown),
            ("acme:", Kind::Unknown),
            (":", Kind::Unknown),
            ("", Kind::Unknown),
            ("response.createdé", Kind::Unknown),
        ] {
            assert_eq!(Kind::from_wire(wire), kind, "{wire}");
        }
    }

    #[test]
    fn the_editions_know_as_many_events_as_they_list() {
        let count = |edition| Kind::ALL.iter().filter(|kind| kind.editions().contains(edition)).count();
        assert_eq!(count(Edition::Split), 58);
        assert_eq!(count(Edition::Split2026_01), 58);
        assert_eq!(count(Edition::V2026_04_24), 24);
        assert_eq!(count(Edition::V2026_01_15), 24);
        // 59 of the event union, 5 that answer WebSocket messages, and the keep-alive.
        assert_eq!(count(Edition::OpenAi), 65);
    }
}
