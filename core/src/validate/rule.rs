//! [`Rule`]: the table of all requirements on a stream, a response or a request.
//!
//! The table holds id, level, bound party, editions, layer, and the evidence that a finding is based on. The descriptive
//! texts (sentence, reason, examples) are in `explain`, which needs the feature of the same name, so that a small build can omit them.

use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error};
use crate::finding::{Layer, Severity};
use crate::named::display_name;

/// How strongly a rule is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleLevel {
    /// The specification says MUST.
    Must,
    /// The specification says MUST NOT.
    MustNot,
    /// The specification says SHOULD.
    Should,
    /// The specification says SHOULD NOT.
    ShouldNot,
    /// The specification says MAY: nothing can break the rule.
    May,
    /// A published schema requires it.
    Schema,
    /// Stated without a key word, or follows from the specification.
    Implied,
    /// Not in the specification; clients or servers depend on it.
    Practice,
}

impl RuleLevel {
    /// The level as text: `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT`, `MAY`, `schema`, `implied` or `practice`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
            Self::Schema => "schema",
            Self::Implied => "implied",
            Self::Practice => "practice",
        }
    }
}

/// The party that a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Party {
    /// The producer of the stream.
    Server,
    /// The consumer of the stream.
    Client,
    /// Software that forwards streams.
    Gateway,
    /// Producer and consumer.
    Both,
    /// Consumer and software that forwards streams.
    ClientAndGateway,
}

impl Party {
    /// The parties as text, such as `server, client`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Gateway => "gateway",
            Self::Both => "server, client",
            Self::ClientAndGateway => "client, gateway",
        }
    }
}

/// The editions of the specification that contain a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EditionScope {
    /// Every edition.
    All,
    /// Only the first dated release, 2026-01-15.
    V01,
    /// Since the second dated release, 2026-04-24.
    V04,
    /// The split edition, which has the full set of events.
    Split,
}

impl EditionScope {
    /// The editions as text, such as `since 2026-04-24`.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::V01 => "2026-01-15",
            Self::V04 => "since 2026-04-24",
            Self::Split => "split",
        }
    }
}

display_name!(RuleLevel, Party, EditionScope, ReportedBy);

/// The evidence that a finding is based on, or the reason why a rule has no findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportedBy {
    /// The bytes: lines and frames.
    Frame,
    /// The order and content of events.
    Events,
    /// One object: an event, an item, a part, a response, an error body.
    Object,
    /// A request body or a client's WebSocket message.
    Request,
    /// A stream or response together with its request; checked if the request is known.
    WithRequest,
    /// HTTP status and headers; checked if they are known.
    Headers,
    /// Nothing on the wire: the rule binds readers. This library's reader follows it; its vectors prove that.
    FollowedByReader,
    /// The same evidence as another rule, which is reported instead.
    OtherRule,
    /// Nothing: the rule permits or informs.
    ForbidsNothing,
    /// Nothing in a stream, a response or a request: a check would need knowledge of the server, the model or the connection.
    NotObservable,
}

impl ReportedBy {
    /// Returns `true` if violations are reported.
    pub fn is_reported(self) -> bool {
        matches!(self, Self::Frame | Self::Events | Self::Object | Self::Request | Self::WithRequest | Self::Headers)
    }

    /// The evidence as text, such as `the order and content of events`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "lines and frames",
            Self::Events => "the order and content of events",
            Self::Object => "one object",
            Self::Request => "a request",
            Self::WithRequest => "a stream together with its request",
            Self::Headers => "status and headers, if known",
            Self::FollowedByReader => "not reported: binds readers; this reader follows it",
            Self::OtherRule => "not reported: another rule reports the same evidence",
            Self::ForbidsNothing => "not reported: the rule forbids nothing",
            Self::NotObservable => "not reported: no evidence in a stream or an object",
        }
    }
}

impl fmt::Display for Rule {
    /// The id, such as `SSE-02`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Rule {
    type Err = Error;

    /// Reads an id, such as `SSE-02`.
    fn from_str(id: &str) -> Result<Self, Error> {
        Self::from_id(id).ok_or_else(|| Error::new(Code::UnknownName, 0, "expected the id of a rule, such as SSE-02"))
    }
}

impl Rule {
    /// Finds a rule by its id; upper and lower case are equal.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id().eq_ignore_ascii_case(id))
    }

    /// The severity of a violation, before any profile.
    ///
    /// The level decides: errors for MUST, schema and implied rules, warnings for SHOULD, notes for the others. A rule whose
    /// violation makes a published client fail is at least a warning.
    pub const fn severity(self) -> Severity {
        let severity = match (self, self.level()) {
            // The schema allows a null item, and a model may write invalid JSON; neither is an error of the server.
            (Self::Item15 | Self::Arg03, _) => Severity::Note,
            // Each of the two names breaks some readers: OpenAI's breaks the upstream test suite, the specification's `openai` for Node.js.
            (Self::Rsn04, _) => Severity::Warning,
            (_, RuleLevel::Must | RuleLevel::MustNot | RuleLevel::Schema | RuleLevel::Implied) => Severity::Error,
            (_, RuleLevel::Should | RuleLevel::ShouldNot) => Severity::Warning,
            (_, RuleLevel::May | RuleLevel::Practice) => Severity::Note,
        };
        if matches!(severity, Severity::Note) && !self.broken_clients().is_empty() {
            return Severity::Warning;
        }
        severity
    }
}

macro_rules! rules {
    ($($name:ident $id:literal $level:ident $binds:ident $scope:ident $layer:ident $reported_by:ident;)*) => {
        /// A requirement with a stable id.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Rule { $(#[doc = $id] $name,)* }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];
            /// The number of rules.
            pub const COUNT: usize = Self::ALL.len();

            const ROWS: [RuleRow; Self::COUNT] = [$(RuleRow {
                id: $id,
                level: RuleLevel::$level,
                binds: Party::$binds,
                scope: EditionScope::$scope,
                layer: Layer::$layer,
                reported_by: ReportedBy::$reported_by,
            },)*];
        }
    };
}

struct RuleRow {
    id: &'static str,
    level: RuleLevel,
    binds: Party,
    scope: EditionScope,
    layer: Layer,
    reported_by: ReportedBy,
}

impl Rule {
    const fn row(self) -> &'static RuleRow {
        // The enum and the rows come from one macro call, so every discriminant is an index.
        &Self::ROWS[self as usize]
    }

    /// The stable id, such as `SSE-04`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// How strongly the rule is stated.
    pub const fn level(self) -> RuleLevel {
        self.row().level
    }

    /// The party that it binds.
    pub fn binds(self) -> Party {
        self.row().binds
    }

    /// The editions that contain it.
    pub fn scope(self) -> EditionScope {
        self.row().scope
    }

    /// The layer that reports it.
    pub fn layer(self) -> Layer {
        self.row().layer
    }

    /// The evidence for a finding, or the reason why there is none.
    pub fn reported_by(self) -> ReportedBy {
        self.row().reported_by
    }
}

// Ids are stable: rows are added, never renumbered or reused.
rules! {
    Http01 "HTTP-01" Must Both All Transport NotObservable;
    Http02 "HTTP-02" Must Client All Transport Headers;
    Http03 "HTTP-03" Must Client All Transport Headers;
    Http04 "HTTP-04" Must Client All Transport Headers;
    Http05 "HTTP-05" Must Server All Transport Headers;
    Http06 "HTTP-06" Must Server All Transport Headers;
    Http07 "HTTP-07" Must Server All Transport Headers;
    Http08 "HTTP-08" Implied Server All Transport Events;
    Http09 "HTTP-09" Implied Server All Transport Headers;
    Sse01 "SSE-01" Must Server All Framing Frame;
    Sse02 "SSE-02" Must Server All Framing Frame;
    Sse03 "SSE-03" Implied Server All Framing Frame;
    Sse04 "SSE-04" Must Server All Framing Frame;
    Sse05 "SSE-05" ShouldNot Server All Framing Frame;
    Sse06 "SSE-06" Implied Client All Framing FollowedByReader;
    Sse07 "SSE-07" Implied Client All Framing FollowedByReader;
    Sse08 "SSE-08" Implied Client All Framing FollowedByReader;
    Sse09 "SSE-09" Practice Server All Framing Frame;
    Sse10 "SSE-10" Implied Client All Framing Frame;
    Sse11 "SSE-11" Practice Server All Framing Frame;
    Seq01 "SEQ-01" Schema Server All Stream Events;
    Seq02 "SEQ-02" Implied Server All Stream Events;
    Seq03 "SEQ-03" Implied Server All Stream Events;
    Seq04 "SEQ-04" Implied Server All Stream Events;
    Seq05 "SEQ-05" Practice Server All Stream ForbidsNothing;
    Seq06 "SEQ-06" Implied Client All Stream FollowedByReader;
    Seq07 "SEQ-07" Schema Server Split Stream Events;
    Seq08 "SEQ-08" Implied Gateway All Stream OtherRule;
    Seq09 "SEQ-09" Implied Server V04 Stream ForbidsNothing;
    Life01 "LIFE-01" Must Server All Stream OtherRule;
    Life02 "LIFE-02" Practice Server All Stream Events;
    Life03 "LIFE-03" Implied Server All Stream Events;
    Life04 "LIFE-04" Schema Server All Schema Object;
    Life05 "LIFE-05" Implied Server All Stream Events;
    Life06 "LIFE-06" Implied Server All Stream Events;
    Life07 "LIFE-07" Implied Server All Stream Events;
    Life08 "LIFE-08" Practice Server All Stream Events;
    Life09 "LIFE-09" Implied Server All Stream Events;
    Life10 "LIFE-10" Implied Server All Schema Object;
    Life11 "LIFE-11" Implied Client All Stream OtherRule;
    Life12 "LIFE-12" Schema Both All Schema ForbidsNothing;
    Life13 "LIFE-13" Implied Server All Stream Events;
    Item01 "ITEM-01" Must Server All Schema Object;
    Item02 "ITEM-02" Must Server All Stream Events;
    Item03 "ITEM-03" Must Server All Stream Events;
    Item04 "ITEM-04" Must Server All Schema Object;
    Item05 "ITEM-05" Implied Server All Stream Events;
    Item06 "ITEM-06" Implied Server All Stream Events;
    Item07 "ITEM-07" Implied Server All Stream Events;
    Item08 "ITEM-08" Must Server All Stream Events;
    Item09 "ITEM-09" Must Server All Stream Events;
    Item10 "ITEM-10" Practice Server All Stream Events;
    Item11 "ITEM-11" Implied Server All Stream Events;
    Item12 "ITEM-12" Practice Server All Stream Events;
    Item13 "ITEM-13" Implied Client All Stream FollowedByReader;
    Item14 "ITEM-14" Implied Both All Stream ForbidsNothing;
    Item15 "ITEM-15" Schema Client All Stream Events;
    Item16 "ITEM-16" Should Client All Stream FollowedByReader;
    Item17 "ITEM-17" Should Both All Schema ForbidsNothing;
    Item18 "ITEM-18" Must Server All Schema Object;
    Item19 "ITEM-19" Implied Client All Stream FollowedByReader;
    Item20 "ITEM-20" Schema Client All Transport Request;
    Part01 "PART-01" Must Server All Stream Events;
    Part02 "PART-02" Must Server All Stream Events;
    Part03 "PART-03" Implied Server All Stream ForbidsNothing;
    Part04 "PART-04" Implied Server All Stream Events;
    Part05 "PART-05" Implied Server All Stream Events;
    Part06 "PART-06" May Server All Stream ForbidsNothing;
    Part07 "PART-07" Implied Server All Stream Events;
    Part08 "PART-08" Practice Server All Stream Events;
    Part09 "PART-09" Implied Server All Stream Events;
    Part10 "PART-10" Implied Server All Stream Events;
    Part11 "PART-11" Implied Server All Stream Events;
    Part12 "PART-12" Schema Server All Schema Object;
    Part13 "PART-13" Implied Server All Stream Events;
    Text01 "TEXT-01" Implied Server All Stream Events;
    Text02 "TEXT-02" Implied Client All Stream FollowedByReader;
    Text03 "TEXT-03" Schema Server V01 Schema Object;
    Text04 "TEXT-04" Schema Server V04 Schema Object;
    Text05 "TEXT-05" Implied Client All Stream FollowedByReader;
    Text06 "TEXT-06" Implied Client All Stream FollowedByReader;
    Text07 "TEXT-07" Schema Client All Transport WithRequest;
    Text08 "TEXT-08" Implied Client All Stream FollowedByReader;
    Text09 "TEXT-09" Schema Server All Schema Object;
    Ann01 "ANN-01" Implied Server All Stream Events;
    Ann02 "ANN-02" Practice Server All Stream Events;
    Ann03 "ANN-03" Implied Server All Stream Events;
    Ann04 "ANN-04" Schema Server All Schema Object;
    Ann05 "ANN-05" Implied Server All Schema Object;
    Ann06 "ANN-06" Schema Client All Stream FollowedByReader;
    Ann07 "ANN-07" Practice Client All Stream FollowedByReader;
    Ref01 "REF-01" Implied Server All Schema Object;
    Ref02 "REF-02" Implied Server All Stream Events;
    Ref03 "REF-03" Implied Client All Stream FollowedByReader;
    Ref04 "REF-04" Schema Both All Transport Request;
    Rsn01 "RSN-01" May Server All Schema ForbidsNothing;
    Rsn02 "RSN-02" Schema Server All Schema Object;
    Rsn03 "RSN-03" Implied Client All Stream FollowedByReader;
    Rsn04 "RSN-04" Schema Server All Stream Events;
    Rsn05 "RSN-05" Implied Server All Stream Events;
    Rsn06 "RSN-06" Implied Server All Stream Events;
    Rsn07 "RSN-07" Implied Server All Stream Events;
    Rsn08 "RSN-08" Schema Client All Transport Request;
    Rsn09 "RSN-09" Schema Client All Transport WithRequest;
    Rsn10 "RSN-10" Schema Both All Schema Object;
    Rsn11 "RSN-11" Schema Server All Schema Object;
    Arg01 "ARG-01" Implied Server All Stream Events;
    Arg02 "ARG-02" Implied Server All Stream Events;
    Arg03 "ARG-03" Implied Client All Stream Events;
    Arg04 "ARG-04" Practice Client All Stream Events;
    Arg05 "ARG-05" Implied Client All Transport Request;
    Arg06 "ARG-06" Schema Client All Transport Request;
    Arg07 "ARG-07" Schema Server Split Stream Events;
    Arg08 "ARG-08" Practice Server All Stream ForbidsNothing;
    Arg09 "ARG-09" Implied Server All Stream Events;
    Tool01 "TOOL-01" Must Server All Stream Events;
    Tool02 "TOOL-02" MustNot Server All Stream Events;
    Tool03 "TOOL-03" Implied Server All Stream ForbidsNothing;
    Tool04 "TOOL-04" Implied Server All Stream Events;
    Tool05 "TOOL-05" Must Server All Stream Events;
    Tool06 "TOOL-06" MustNot Server All Stream OtherRule;
    Tool07 "TOOL-07" Implied Server All Transport WithRequest;
    Tool08 "TOOL-08" Schema Client All Schema Object;
    Tool09 "TOOL-09" Implied Server All Stream Events;
    Tool10 "TOOL-10" Implied Server All Stream NotObservable;
    Tool11 "TOOL-11" Implied Both All Schema Object;
    Tool12 "TOOL-12" Schema Both All Schema Object;
    Tool13 "TOOL-13" Schema Client All Transport Request;
    Tool14 "TOOL-14" Implied Client All Transport Request;
    Obj01 "OBJ-01" Schema Server All Schema Object;
    Obj02 "OBJ-02" Schema Server All Schema Object;
    Obj03 "OBJ-03" Schema Server All Schema Object;
    Obj04 "OBJ-04" Schema Server All Schema Object;
    Obj05 "OBJ-05" Schema Client All Transport Request;
    Obj06 "OBJ-06" Schema Server All Schema Object;
    Obj07 "OBJ-07" Implied Server All Schema Object;
    Obj08 "OBJ-08" Schema Client All Transport Request;
    Obj09 "OBJ-09" Schema Client All Transport Request;
    Obj10 "OBJ-10" Schema Both V04 Schema Object;
    Obj11 "OBJ-11" Implied Server All Schema Object;
    Obj12 "OBJ-12" Schema Server Split Schema Object;
    Inc01 "INC-01" Implied Server All Schema Object;
    Inc02 "INC-02" Schema Server All Schema Object;
    Inc03 "INC-03" Implied Server All Stream Events;
    Inc04 "INC-04" Implied Client All Stream FollowedByReader;
    Inc05 "INC-05" Practice Client All Stream ForbidsNothing;
    Err01 "ERR-01" Implied Server All Schema Object;
    Err02 "ERR-02" Implied Server All Schema NotObservable;
    Err03 "ERR-03" Implied Server All Schema Object;
    Err04 "ERR-04" Schema Server All Schema Object;
    Err05 "ERR-05" Practice Client All Stream FollowedByReader;
    Err06 "ERR-06" Implied Server All Stream Events;
    Err07 "ERR-07" Implied Server All Schema Object;
    Err08 "ERR-08" Implied Client All Stream FollowedByReader;
    Err09 "ERR-09" Implied Client All Stream FollowedByReader;
    Err10 "ERR-10" Implied Client All Stream ForbidsNothing;
    Err11 "ERR-11" Practice Client All Stream FollowedByReader;
    Ext01 "EXT-01" Must Server All Schema Object;
    Ext02 "EXT-02" Must Server All Stream Events;
    Ext03 "EXT-03" MustNot Server All Stream NotObservable;
    Ext04 "EXT-04" Must Client All Stream FollowedByReader;
    Ext05 "EXT-05" Must Server All Stream Events;
    Ext06 "EXT-06" Should Client All Stream NotObservable;
    Ext07 "EXT-07" Should Server All Stream NotObservable;
    Ext08 "EXT-08" MustNot Server All Stream NotObservable;
    Ext09 "EXT-09" Implied ClientAndGateway All Stream FollowedByReader;
    Ext10 "EXT-10" Must Server All Schema Object;
    Ext11 "EXT-11" Implied Client All Stream FollowedByReader;
    Ext12 "EXT-12" Practice Server All Stream Events;
    Req01 "REQ-01" Schema Client All Transport Request;
    Req02 "REQ-02" Schema Client All Transport Request;
    Req03 "REQ-03" Schema Client All Transport Request;
    Req04 "REQ-04" Schema Client All Transport Request;
    Prev01 "PREV-01" Must Server All Transport NotObservable;
    Prev02 "PREV-02" Must Server All Transport NotObservable;
    Prev03 "PREV-03" Implied Server All Transport WithRequest;
    Prev04 "PREV-04" Implied Server All Transport NotObservable;
    Prev05 "PREV-05" Practice Client All Transport ForbidsNothing;
    Trunc01 "TRUNC-01" MustNot Server All Transport NotObservable;
    Trunc02 "TRUNC-02" Must Server All Transport NotObservable;
    Trunc03 "TRUNC-03" Should Server All Transport NotObservable;
    Tier01 "TIER-01" Should Server All Transport ForbidsNothing;
    Ws01 "WS-01" May Server V04 Transport ForbidsNothing;
    Ws02 "WS-02" Must Client V04 Transport Request;
    Ws03 "WS-03" MustNot Client V04 Transport Request;
    Ws04 "WS-04" Must Server V04 Transport NotObservable;
    Ws05 "WS-05" Must Server V04 Transport Events;
    Ws06 "WS-06" Must Server V04 Transport Events;
    Ws07 "WS-07" Must Server V04 Transport OtherRule;
    Ws08 "WS-08" Should Client V04 Transport NotObservable;
    Ws09 "WS-09" Should Client V04 Transport NotObservable;
    Ws10 "WS-10" Should Server V04 Transport NotObservable;
    Ws11 "WS-11" Must Server V04 Transport NotObservable;
    Ws12 "WS-12" Must Server V04 Transport NotObservable;
    Ws13 "WS-13" Must Server V04 Transport NotObservable;
    Ws14 "WS-14" Must Server V04 Transport Events;
    Ws15 "WS-15" Should Client V04 Transport NotObservable;
    Ws16 "WS-16" Should Client V04 Transport NotObservable;
    Ws17 "WS-17" Implied Server V04 Transport ForbidsNothing;
    Ws18 "WS-18" Practice Client V04 Transport ForbidsNothing;
    Cmp01 "CMP-01" Schema Client V04 Transport Request;
    Cmp02 "CMP-02" Schema Server V04 Transport Object;
    Cmp03 "CMP-03" Implied Server V04 Transport Object;
    Cmp04 "CMP-04" Implied Client V04 Transport NotObservable;
    Cmp05 "CMP-05" Must Client V04 Transport Request;
    Cmp06 "CMP-06" Implied Client V04 Transport Request;
    // The following rules are those of this library: other requirements of the contract, and observations of the reader.
    Schema01 "SCHEMA-01" Schema Both All Schema Object;
    Schema02 "SCHEMA-02" Schema Both All Schema Object;
    Schema03 "SCHEMA-03" Schema Both All Schema Object;
    Schema04 "SCHEMA-04" Schema Both All Schema Object;
    Schema05 "SCHEMA-05" Schema Both All Schema Object;
    Read01 "READ-01" Implied Server All Framing Frame;
    Read02 "READ-02" Practice Server All Framing Frame;
    Read03 "READ-03" Practice Server All Stream Events;
    Read04 "READ-04" Implied Server All Stream Events;
    Read05 "READ-05" Practice Server All Stream Events;
    Read06 "READ-06" Practice Server All Stream Events;
    Read07 "READ-07" Implied Server All Stream Events;
    Read08 "READ-08" Practice Server All Stream Events;
    Read09 "READ-09" Practice Server All Stream Events;
    Read10 "READ-10" Practice Server All Stream Events;
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_id_is_unique_and_found_again() {
        let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::COUNT);
        for rule in Rule::ALL {
            assert_eq!(Rule::from_id(rule.id()), Some(*rule));
            assert_eq!(Rule::from_id(&rule.id().to_ascii_lowercase()), Some(*rule));
        }
        assert_eq!(Rule::from_id("SSE-99"), None);
    }

    #[test]
    fn a_rule_that_only_permits_is_never_reported() {
        for rule in Rule::ALL.iter().filter(|rule| rule.level() == RuleLevel::May) {
            assert!(!rule.reported_by().is_reported(), "{}", rule.id());
        }
    }
}
