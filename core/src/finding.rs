//! [`Finding`]: what was wrong with the stream, by which rule, where, and what was repaired.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::validate::Rule;

/// The severity of a finding. See [`Rule::severity`] for how it follows from the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing in the specification is broken.
    Note,
    /// A SHOULD is broken, a published client fails, or a profile lowers an error.
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

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Severity {
    type Err = Error;

    /// Reads `note`, `warning` or `error`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let found = [Self::Note, Self::Warning, Self::Error].into_iter().find(|severity| severity.name() == name);
        found.ok_or_else(|| Error::new(Code::UnknownName, 0, "severities are note, warning and error"))
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
pub struct Location {
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
    pub location: Location,
    /// JSON pointer into the event's payload; empty for the whole.
    pub path: String,
    /// What was expected and what was found, without payload text.
    pub message: String,
    /// What was done about it, if anything.
    pub repair: Option<Repair>,
}

impl Finding {
    /// The finding as every binding and report shows it: `{"rule", "severity", "layer", "event_index", "sequence_number",
    /// "offset", "path", "message", "repair"}`; what there is none of is `null`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(9);
        object.push("rule", self.rule.id());
        object.push("severity", self.severity.name());
        object.push("layer", self.layer.name());
        object.push("event_index", self.location.event_index);
        object.push("sequence_number", self.location.sequence_number);
        object.push("offset", self.location.offset);
        object.push("path", self.path.as_str());
        object.push("message", self.message.as_str());
        object.push("repair", self.repair.map(Repair::name));
        object.into()
    }
}

impl Finding {
    /// The published clients that fail on streams that break this rule, as measured.
    pub fn broken_clients(&self) -> &'static [crate::validate::Client] {
        self.rule.broken_clients()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at byte {}: {}", self.severity.name(), self.rule.id(), self.location.offset, self.message)
    }
}

/// What each rule weighs: its own level, changed by a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeverityMap {
    table: [Option<Severity>; Rule::COUNT],
    /// Rules that weigh something else at some patterns, by pattern.
    patterns: Vec<(Rule, Cow<'static, str>, Option<Severity>)>,
}

impl SeverityMap {
    /// Every rule at its own level.
    pub fn by_level() -> Self {
        let mut table = [None; Rule::COUNT];
        for rule in Rule::ALL {
            table[*rule as usize] = Some(rule.severity());
        }
        Self { table, patterns: Vec::new() }
    }

    /// Sets what a rule weighs; `None` silences it.
    pub fn set(&mut self, rule: Rule, severity: Option<Severity>) {
        self.table[rule as usize] = severity;
    }

    /// Sets what a rule weighs where the JSON pointer of a finding fits a pattern: a pointer whose steps may be `*` for any
    /// one step, and whose last may be `**` for any number of them. Of several patterns that fit the last one counts.
    pub fn set_at(&mut self, rule: Rule, pattern: &str, severity: Option<Severity>) {
        self.set_pattern(rule, Cow::Owned(pattern.into()), severity);
    }

    /// As [`set_at`](Self::set_at). The patterns of profiles are not copied: there are dozens, and a reader has them all.
    pub(crate) fn set_pattern(&mut self, rule: Rule, pattern: Cow<'static, str>, severity: Option<Severity>) {
        self.patterns.push((rule, pattern, severity));
    }

    /// What a rule weighs, where no pattern says otherwise; `None` if it is silenced.
    pub fn of(&self, rule: Rule) -> Option<Severity> {
        self.table[rule as usize]
    }

    /// The severity of a rule at a JSON pointer.
    ///
    /// ```
    /// use deltafold::{validate::Rule, Severity, SeverityMap};
    /// let mut severities = SeverityMap::by_level();
    /// severities.set_at(Rule::Life09, "/response/output/*/action", Some(Severity::Note));
    /// assert_eq!(severities.at(Rule::Life09, "/response/output/3/action"), Some(Severity::Note));
    /// assert_eq!(severities.at(Rule::Life09, "/response/output/3/id"), Some(Severity::Error));
    /// ```
    pub fn at(&self, rule: Rule, path: &str) -> Option<Severity> {
        let fits = |entry: &&(Rule, Cow<'static, str>, Option<Severity>)| entry.0 == rule && matches(&entry.1, path);
        self.patterns.iter().rev().find(fits).map_or(self.of(rule), |entry| entry.2)
    }

    fn has_patterns(&self, rule: Rule) -> bool {
        self.patterns.iter().any(|entry| entry.0 == rule)
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let mut steps = path.split('/');
    for wanted in pattern.split('/') {
        match (wanted, steps.next()) {
            ("**", _) => return true,
            (_, None) => return false,
            ("*", Some(_)) => {}
            (wanted, Some(step)) if wanted == step => {}
            _ => return false,
        }
    }
    steps.next().is_none()
}

impl Default for SeverityMap {
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
    severities: SeverityMap,
    /// Whether something before is not known, so that a repair says nothing about the server.
    softened: bool,
}

impl Findings {
    /// Makes an empty list that keeps at most `limit` findings, weighed by `severities`.
    pub fn new(limit: usize, severities: SeverityMap) -> Self {
        Self { kept: Vec::new(), limit, counts: [0; 3], severities, softened: false }
    }

    /// From now on repairs are notes: the stream was joined in the middle or an event could not be read, so what had to be
    /// repaired may well have been sent.
    pub(crate) fn soften_repairs(&mut self) {
        self.softened = true;
    }

    /// Adds a finding, or only counts it when the list is full. `text` gives path and message; it is called only if
    /// the finding is kept or its rule weighs differently at some patterns. A silenced rule is not even counted.
    ///
    /// Where the same rule is already known for the same event and path, the two are merged: the repair is added. A repair
    /// is also added to what a validator has said of the same event under another rule, since it is an answer to that.
    pub fn report(
        &mut self,
        rule: Rule,
        location: Location,
        repair: Option<Repair>,
        text: impl FnOnce() -> (String, String),
    ) {
        let mut text = Some(text);
        self.weigh(rule, location, repair, &mut || text.take().map_or_else(Default::default, |text| text()));
    }

    /// As `report`, and compiled once: there are some fifty texts, and this is on nobody's fast path.
    #[cold]
    fn weigh(
        &mut self,
        rule: Rule,
        location: Location,
        repair: Option<Repair>,
        text: &mut dyn FnMut() -> (String, String),
    ) {
        let full = self.kept.len() >= self.limit;
        if !self.severities.has_patterns(rule) {
            let Some(severity) = self.severities.of(rule).map(|severity| self.soft(severity, repair)) else { return };
            if full {
                self.counts[severity as usize] += 1;
                return;
            }
            return self.add(rule, severity, location, repair, text());
        }
        let (path, message) = text();
        let Some(severity) = self.severities.at(rule, &path).map(|severity| self.soft(severity, repair)) else {
            return;
        };
        if full {
            self.counts[severity as usize] += 1;
            return;
        }
        self.add(rule, severity, location, repair, (path, message));
    }

    fn soft(&self, severity: Severity, repair: Option<Repair>) -> Severity {
        if self.softened && repair.is_some() {
            Severity::Note
        } else {
            severity
        }
    }

    fn add(
        &mut self,
        rule: Rule,
        severity: Severity,
        location: Location,
        repair: Option<Repair>,
        text: (String, String),
    ) {
        let (path, message) = text;
        let index = location.event_index;
        let same = |f: &Finding| f.rule == rule && (f.path == path || (repair.is_some() && path.is_empty()));
        let open =
            |f: &Finding| repair.is_some() && f.repair.is_none() && f.layer == Layer::Stream && f.rule < Rule::Schema01;
        // Findings of one event. At the end of input, a repair belongs to the finding at the same offset.
        let here = |f: &&Finding| match index {
            Some(_) => f.location.event_index == index,
            None => repair.is_some() && f.location.event_index.is_none() && f.location.offset == location.offset,
        };
        let known = self.kept.iter().rev().take_while(here).count();
        let start = self.kept.len() - known;
        let rest = &mut self.kept[start..];
        if let Some(at) = rest.iter().position(same).or_else(|| rest.iter().position(open)) {
            rest[at].repair = rest[at].repair.or(repair);
            return;
        }
        self.counts[severity as usize] += 1;
        self.kept.push(Finding { rule, severity, layer: rule.layer(), location, path, message, repair });
    }

    /// The kept findings, in the order they were made.
    pub fn as_slice(&self) -> &[Finding] {
        &self.kept
    }

    /// What each rule weighs here.
    pub fn severities(&self) -> &SeverityMap {
        &self.severities
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
        self.softened = false;
    }
}
