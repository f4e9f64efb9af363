//! [`Finding`]: a broken rule or a repair, with its rule, location and message.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::named::display_name;
use crate::profile::{BuiltinLine, EVERY};
use crate::validate::Rule;

/// The severity of a finding. See [`Rule::severity`] for how it follows from the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information; the stream breaks no rule of the specification.
    Note,
    /// The stream breaks a SHOULD, a published client fails, or a profile lowers an error.
    Warning,
    /// The stream breaks a MUST of the specification.
    Error,
}

impl Severity {
    /// Returns `note`, `warning` or `error`.
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

    /// Parses `note`, `warning` or `error`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let found = [Self::Note, Self::Warning, Self::Error].into_iter().find(|severity| severity.name() == name);
        found.ok_or_else(|| Error::new(Code::UnknownName, 0, "severities are note, warning and error"))
    }
}

/// The layer that reported a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Bytes, lines and frames.
    Framing,
    /// One JSON object against the contract.
    Schema,
    /// Order, numbering, life cycle, consistency.
    Stream,
    /// HTTP headers, WebSocket messages, requests.
    Transport,
}

impl Layer {
    /// Returns `framing`, `schema`, `stream` or `transport`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Framing => "framing",
            Self::Schema => "schema",
            Self::Stream => "stream",
            Self::Transport => "transport",
        }
    }
}

/// A repair by the accumulator. The numbers M1 to M10 identify the repairs in the rules of accumulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// M1: the item was opened.
    OpenedItem,
    /// M2: the part was opened.
    OpenedPart,
    /// M3: the event was routed by its index; the item's first id is kept.
    RoutedByIndex,
    /// M4: the indexes have gaps; elements stay in index order without holes.
    ClosedGap,
    /// M5: the event arrived after its item was done, and was not applied.
    IgnoredLate,
    /// M6: the item was added twice; the second one is ignored, or placed after all others.
    DoubleOpen,
    /// M7: items still open at the end are kept with their content so far, marked incomplete.
    ClosedAtEnd,
    /// M8: the terminal snapshot had no output; the finished items are kept.
    KeptItems,
    /// M9: the event is unknown; it is kept and changes nothing.
    KeptUnknown,
    /// M10: the response was started without `response.created`.
    StartedAnyway,
    /// Bytes that are not UTF-8 became U+FFFD.
    ReplacedBytes,
    /// The payload was dropped, the event kept.
    DroppedPayload,
    /// The later, larger object replaced the accumulated value.
    TookLater,
    /// A repeated event was dropped after a reconnect.
    DroppedRepeat,
}

impl Repair {
    /// Returns a short stable name, such as `opened_item`.
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

/// A location in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Position of the event in the stream, from 0; `None` before the first event or outside any.
    pub event_index: Option<u64>,
    /// The sequence number of the event, if it has one.
    pub sequence_number: Option<u64>,
    /// Byte offset from the start of the stream.
    pub offset: u64,
}

/// A rule that the stream broke, or a repair that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The severity after the profile is applied.
    pub severity: Severity,
    /// The layer that reported it.
    pub layer: Layer,
    /// The location in the stream.
    pub location: Location,
    /// JSON pointer into the event's payload; empty for the whole payload.
    pub path: String,
    /// The expectation and the value that was found, without payload text.
    pub message: String,
    /// The repair that was made, if any.
    pub repair: Option<Repair>,
}

impl Finding {
    /// Creates a finding with the rule's own severity and layer, without a location. For programs with checks of their own.
    pub fn new(rule: Rule, message: impl Into<String>) -> Self {
        let (severity, layer) = (rule.severity(), rule.layer());
        Self {
            rule,
            severity,
            layer,
            location: Location::default(),
            path: String::new(),
            message: message.into(),
            repair: None,
        }
    }

    /// Returns the finding in the form of every binding and report: `{"rule", "severity", "layer", "event_index", "sequence_number",
    /// "offset", "path", "message", "repair"}`; absent values are `null`.
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
    /// Returns the published clients that fail on streams that break this rule, as measured.
    pub fn broken_clients(&self) -> &'static [crate::validate::Client] {
        self.rule.broken_clients()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at byte {}: {}", self.severity.name(), self.rule.id(), self.location.offset, self.message)
    }
}

/// The severity of each rule: its own level, changed by a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeverityMap {
    table: [Option<Severity>; Rule::COUNT],
    /// Rules with another severity at some locations, by pattern, as a constant. Lines without a pattern are in the table.
    builtin: &'static [BuiltinLine],
    /// More of them, which count more.
    patterns: Vec<(Rule, Cow<'static, str>, Option<Severity>)>,
    /// Rules that are errors in any case, even where earlier events are unknown.
    required: Vec<Rule>,
}

impl SeverityMap {
    /// Returns a map with every rule at its own level.
    pub fn by_level() -> Self {
        Self { table: BY_LEVEL, builtin: &[], patterns: Vec::new(), required: Vec::new() }
    }

    /// Returns the map of the profile `any`.
    pub(crate) fn any() -> Self {
        Self { table: ANY, builtin: EVERY, patterns: Vec::new(), required: Vec::new() }
    }

    /// Sets the severity of a rule; `None` silences it.
    pub fn set(&mut self, rule: Rule, severity: Option<Severity>) {
        self.table[rule as usize] = severity;
    }

    /// Makes a rule an error at every location, also for a stream that was joined in the middle.
    pub fn require(&mut self, rule: Rule) {
        self.set(rule, Some(Severity::Error));
        self.patterns.retain(|entry| entry.0 != rule);
        self.required.push(rule);
    }

    /// Sets the severity of a rule for findings whose JSON pointer matches a pattern: a pointer whose steps may be `*` for any
    /// one step, and whose last may be `**` for any number of them. Of several matching patterns the last one applies.
    pub fn set_at(&mut self, rule: Rule, pattern: &str, severity: Option<Severity>) {
        self.set_pattern(rule, Cow::Owned(pattern.into()), severity);
    }

    /// As [`set_at`](Self::set_at). The patterns of profiles are not copied: there are dozens, and a reader has them all.
    pub(crate) fn set_pattern(&mut self, rule: Rule, pattern: Cow<'static, str>, severity: Option<Severity>) {
        self.patterns.push((rule, pattern, severity));
    }

    /// Returns the severity of a rule if no pattern matches; `None` if it is silenced.
    pub fn of(&self, rule: Rule) -> Option<Severity> {
        self.table[rule as usize]
    }

    /// Returns the severity of a rule at a JSON pointer.
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
        if let Some(entry) = self.patterns.iter().rev().find(fits) {
            return entry.2;
        }
        self.builtin_patterns(rule).rev().find(|line| matches(line.1, path)).map_or(self.of(rule), |line| line.2)
    }

    fn has_patterns(&self, rule: Rule) -> bool {
        self.patterns.iter().any(|entry| entry.0 == rule) || self.builtin_patterns(rule).next().is_some()
    }

    /// The built-in patterns of a rule, unless the rule is required.
    fn builtin_patterns(&self, rule: Rule) -> impl DoubleEndedIterator<Item = &'static BuiltinLine> {
        let lines: &[BuiltinLine] = if self.required.contains(&rule) { &[] } else { self.builtin };
        lines.iter().filter(move |line| line.0 == rule && !line.1.is_empty())
    }
}

/// The severity of each rule by its own level.
const BY_LEVEL: [Option<Severity>; Rule::COUNT] = {
    let mut table = [None; Rule::COUNT];
    let mut at = 0;
    while at < Rule::ALL.len() {
        table[Rule::ALL[at] as usize] = Some(Rule::ALL[at].severity());
        at += 1;
    }
    table
};

/// [`BY_LEVEL`] with the exemptions of the profile `any` that apply everywhere.
const ANY: [Option<Severity>; Rule::COUNT] = {
    let mut table = BY_LEVEL;
    let mut at = 0;
    while at < EVERY.len() {
        let (rule, path, severity, _) = EVERY[at];
        if path.is_empty() {
            table[rule as usize] = severity;
        }
        at += 1;
    }
    table
};

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

/// The findings of a stream: the first ones are kept up to a limit, all are counted.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    limit: usize,
    counts: [u64; 3],
    severities: SeverityMap,
    /// `true` if earlier events are unknown, so that a repair is not evidence of a fault of the server.
    softened: bool,
}

impl Findings {
    /// Creates an empty list that keeps at most `limit` findings, with the severities of `severities`.
    pub fn new(limit: usize, severities: SeverityMap) -> Self {
        Self { kept: Vec::new(), limit, counts: [0; 3], severities, softened: false }
    }

    /// Makes later repairs notes, unless their rule is [required](SeverityMap::require): the stream was joined in the middle or an
    /// event could not be read, so the repaired part may have been sent.
    pub(crate) fn soften_repairs(&mut self) {
        self.softened = true;
    }

    /// Returns `true` if a finding is kept for this event and path.
    pub(crate) fn has(&self, location: Location, path: &str) -> bool {
        let of_event = |finding: &&Finding| finding.location.event_index == location.event_index;
        self.kept.iter().rev().take_while(of_event).any(|finding| finding.path == path)
    }

    /// True if later repairs are notes.
    pub(crate) fn is_softened(&self) -> bool {
        self.softened
    }

    /// Adds a finding, or only counts it when the list is full. `text` returns path and message; it is called only if
    /// the finding is kept or the severity of its rule depends on the location. A silenced rule is not counted.
    ///
    /// If the same rule is already reported for the same event and path, the two are merged: the repair is added. A repair
    /// is also added to a finding of the validator for the same event under another rule, because it repairs that fault.
    pub fn report(
        &mut self,
        rule: Rule,
        location: Location,
        repair: Option<Repair>,
        text: impl FnOnce() -> (String, String),
    ) {
        let mut text = Some(text);
        self.report_text(rule, location, repair, &mut || text.take().map_or_else(Default::default, |text| text()));
    }

    /// As `report`, but compiled only once: there are about fifty texts, and this is not a hot path.
    #[cold]
    fn report_text(
        &mut self,
        rule: Rule,
        location: Location,
        repair: Option<Repair>,
        text: &mut dyn FnMut() -> (String, String),
    ) {
        let full = self.kept.len() >= self.limit;
        if !self.severities.has_patterns(rule) {
            let Some(severity) =
                self.severities.of(rule).map(|severity| self.softened_severity(rule, severity, repair))
            else {
                return;
            };
            if full {
                self.counts[severity as usize] += 1;
                return;
            }
            return self.add(rule, severity, location, repair, text());
        }
        let (path, message) = text();
        let Some(severity) =
            self.severities.at(rule, &path).map(|severity| self.softened_severity(rule, severity, repair))
        else {
            return;
        };
        if full {
            self.counts[severity as usize] += 1;
            return;
        }
        self.add(rule, severity, location, repair, (path, message));
    }

    fn softened_severity(&self, rule: Rule, severity: Severity, repair: Option<Repair>) -> Severity {
        if self.softened && repair.is_some() && !self.severities.required.contains(&rule) {
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

    /// Returns the kept findings, in the order in which they were reported.
    pub fn as_slice(&self) -> &[Finding] {
        &self.kept
    }

    /// Returns the severity of each rule.
    pub fn severities(&self) -> &SeverityMap {
        &self.severities
    }

    /// Returns the number of findings of this severity, kept or not.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// Returns the number of findings, kept or not.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Removes all findings and keeps the limit.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.counts = [0; 3];
        self.softened = false;
    }
}

display_name!(Layer, Repair);
