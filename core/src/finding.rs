//! [`Finding`]: what was wrong with the stream, by which rule, where, and what was repaired.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::validate::Rule;

/// How much a finding weighs. Follows the rule's level: MUST and schema make errors, SHOULD warnings, practice notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing in the specification is broken.
    Note,
    /// A SHOULD is broken, or a profile forgives the error.
    Warning,
    /// The stream breaks the specification.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Which layer saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Bytes, lines and frames.
    Framing,
    /// One JSON object against the contract.
    Schema,
    /// Order, numbering, life cycle, agreement.
    Stream,
    /// HTTP headers, WebSocket messages, requests.
    Transport,
}

impl Layer {
    /// `framing`, `schema`, `stream` or `transport`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Framing => "framing",
            Self::Schema => "schema",
            Self::Stream => "stream",
            Self::Transport => "transport",
        }
    }
}

/// What the accumulator did about it. The numbers are those of the accumulation rules M1 to M10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// M1: the item was opened.
    OpenedItem,
    /// M2: the part was opened.
    OpenedPart,
    /// M3: the event was routed by its index; the item's first id is kept.
    RoutedByIndex,
    /// M4: indexes jump; elements stay in index order without holes.
    ClosedGap,
    /// M5: the event came after its item was done and was not applied.
    IgnoredLate,
    /// M6: the item was added twice; ignored, or placed behind all others.
    DoubleOpen,
    /// M7: items still open at the end are kept as they are, marked incomplete.
    ClosedAtEnd,
    /// M8: the terminal snapshot had no output; the finished items are kept.
    KeptItems,
    /// M9: the event is not known; kept, nothing changed.
    KeptUnknown,
    /// M10: the response was started without `response.created`.
    StartedAnyway,
    /// Bytes that are not UTF-8 became U+FFFD.
    ReplacedBytes,
    /// The payload was dropped, the event kept.
    DroppedPayload,
    /// The later, wider source won over what was accumulated.
    TookLater,
    /// A repeated event was dropped after a reconnect.
    DroppedRepeat,
}

impl Repair {
    /// A short stable name, such as `opened_item`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenedItem => "opened_item",
            Self::OpenedPart => "opened_part",
            Self::RoutedByIndex => "routed_by_index",
            Self::ClosedGap => "closed_gap",
            Self::IgnoredLate => "ignored_late",
            Self::DoubleOpen => "double_open",
            Self::ClosedAtEnd => "closed_at_end",
            Self::KeptItems => "kept_items",
            Self::KeptUnknown => "kept_unknown",
            Self::StartedAnyway => "started_anyway",
            Self::ReplacedBytes => "replaced_bytes",
            Self::DroppedPayload => "dropped_payload",
            Self::TookLater => "took_later",
            Self::DroppedRepeat => "dropped_repeat",
        }
    }
}

/// Where in the stream something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Position of the event in the stream, from 0; `None` before the first event or outside any.
    pub event_index: Option<u64>,
    /// The event's own number, where it has one.
    pub sequence_number: Option<u64>,
    /// Byte offset from the start of the stream.
    pub offset: u64,
}

/// One rule broken by the stream, or one repair made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How much it weighs, after the profile.
    pub severity: Severity,
    /// Which layer saw it.
    pub layer: Layer,
    /// Where.
    pub place: Place,
    /// JSON pointer into the event's payload; empty for the whole.
    pub path: String,
    /// What was expected and what was found, without payload text.
    pub message: String,
    /// What was done about it, if anything.
    pub repair: Option<Repair>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at byte {}: {}", self.severity.name(), self.rule.id(), self.place.offset, self.message)
    }
}

/// What each rule weighs: its own level, changed by a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights([Option<Severity>; Rule::COUNT]);

impl Weights {
    /// Every rule at its own level.
    pub fn by_level() -> Self {
        let mut table = [None; Rule::COUNT];
        for rule in Rule::ALL {
            table[*rule as usize] = Some(rule.severity());
        }
        Self(table)
    }

    /// Sets what a rule weighs; `None` silences it.
    pub fn set(&mut self, rule: Rule, severity: Option<Severity>) {
        self.0[rule as usize] = severity;
    }

    /// What a rule weighs; `None` if it is silenced.
    pub fn of(&self, rule: Rule) -> Option<Severity> {
        self.0[rule as usize]
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::by_level()
    }
}

/// The findings of a stream: the first so many are kept, all are counted.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    limit: usize,
    counts: [u64; 3],
    weights: Weights,
}

impl Findings {
    /// Makes an empty list that keeps at most `limit` findings, weighed by `weights`.
    pub fn new(limit: usize, weights: Weights) -> Self {
        Self { kept: Vec::new(), limit, counts: [0; 3], weights }
    }

    /// Adds a finding, or only counts it when the list is full. `text` gives path and message; it is called only if
    /// the finding is kept. A silenced rule is not even counted.
    ///
    /// Where the same rule is already known for the same event and path, the two are merged: the repair is added.
    pub fn report(
        &mut self,
        rule: Rule,
        place: Place,
        repair: Option<Repair>,
        text: impl FnOnce() -> (String, String),
    ) {
        let Some(severity) = self.weights.of(rule) else { return };
        self.counts[severity as usize] += 1;
        if self.kept.len() >= self.limit {
            return;
        }
        let (path, message) = text();
        let same = self.kept.iter_mut().rev().take_while(|f| f.place.event_index == place.event_index);
        if let Some(known) = place.event_index.and_then(|_| { same }.find(|f| f.rule == rule && f.path == path)) {
            self.counts[severity as usize] -= 1;
            known.repair = known.repair.or(repair);
            return;
        }
        self.kept.push(Finding { rule, severity, layer: rule.layer(), place, path, message, repair });
    }

    /// The kept findings, in the order they were made.
    pub fn as_slice(&self) -> &[Finding] {
        &self.kept
    }

    /// What each rule weighs here.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// How many findings of this severity there were, kept or not.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// How many findings there were, kept or not.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Forgets everything, keeps the limit.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.counts = [0; 3];
    }
}
