//! The schema layer for events: selects the schema of each kind, and skips checks of unchanged events ([`EventSchema`]).

use super::path::Path;
use super::problem::{Problem, ProblemKind};
use super::rule_for::Root;
use super::walk::{Extensions, SchemaWalk};
use crate::contract::tables::id;
use crate::contract::{Edition, Kind, SchemaId};
use crate::event::Event;
use crate::finding::{Findings, Layer};
use crate::json::ValueRef;
use crate::validate::extension_schema::{ExtensionPosition, ExtensionSchemas};

/// Checks the events of a stream against the contract.
///
/// Fast path: a delta that equals a checked and valid delta of its kind in all fields except the changing ones is valid too, so
/// that the deltas of a valid stream cost one comparison each. The tests of `reader/with_validator.rs` compare it with the full
/// check.
#[derive(Clone, Debug)]
pub(crate) struct EventSchema {
    edition: Edition,
    /// One bit per kind: an event of the kind was checked and valid.
    right: u128,
    /// One bit per kind: an event of the kind was invalid. A later event may have the shape of that one, so events of the kind are
    /// always checked.
    wrong: u128,
    shortcuts: bool,
    /// True if rules of the stream layer are reported too, such as SEQ-01.
    stream_rules: bool,
}

impl EventSchema {
    pub(crate) fn new(edition: Edition, stream_rules: bool) -> Self {
        Self { edition, right: 0, wrong: 0, shortcuts: true, stream_rules }
    }

    /// Returns `true` if the event has the shape of an event that was checked and valid.
    #[inline]
    pub(crate) fn repeats_valid_event(&self, event: &Event<'_>) -> bool {
        // All extensions share one bit, so none of them is accepted for another.
        event.has_same_shape()
            && self.shortcuts
            && event.kind() != Kind::Extension
            && self.right & (1 << event.kind() as u8) != 0
    }

    #[cfg(all(test, feature = "validate"))]
    pub(crate) fn disable_shortcuts(&mut self) {
        self.shortcuts = false;
    }

    /// Checks an event and reports every problem.
    pub(crate) fn check(&mut self, event: &Event<'_>, schemas: &ExtensionSchemas, findings: &mut Findings) {
        let kind = event.kind();
        let bit = 1u128 << kind as u8;
        let Some(root) = event.root() else { return };
        let stream_rules = self.stream_rules;
        let mut wrong = false;
        check(root, kind, event.wire_type(), self.edition, schemas, &mut |problem| {
            wrong = true;
            if problem.rule.layer() == Layer::Stream && !stream_rules {
                return;
            }
            findings.report(problem.rule, event.location(), None, || (problem.pointer(), problem.message()));
        });
        self.wrong |= if wrong { bit } else { 0 };
        self.right = (self.right | bit) & !self.wrong;
    }
}

/// Checks an event's payload against the schema of its kind.
pub(super) fn check(
    view: ValueRef<'_>,
    kind: Kind,
    wire_type: &str,
    edition: Edition,
    schemas: &ExtensionSchemas,
    report: &mut dyn FnMut(&Problem<'_>),
) {
    let Some((schema, edition)) = schema_of(view, kind, edition) else {
        // Every event except keep-alives has a sequence number; the number has the same schema in all event schemas.
        if !kind.is_transport() {
            let schema = id::RESPONSE_QUEUED_STREAMING_EVENT;
            let mut only_number = |problem: &Problem<'_>| {
                if is_top(problem, "sequence_number") {
                    report(problem);
                }
            };
            SchemaWalk::new(Root::Event(kind), Extensions::Allowed, &mut only_number).schema(view, schema, edition);
        }
        if let Some(schema) = schemas.of_event(wire_type) {
            let mut walk = SchemaWalk::new(Root::Event(kind), Extensions::Allowed, report);
            walk.extension_value(view, ExtensionPosition::root(schema), &Path::Root);
        }
        return;
    };
    // An alias differs from the name in its schema. The stream layer checks the name.
    let renamed = wire_type != kind.name() || Some(schema) != SchemaId::of_kind(kind);
    let mut but_the_name = |problem: &Problem<'_>| {
        if !(renamed && is_top(problem, "type") && matches!(problem.kind, ProblemKind::Value(_))) {
            report(problem);
        }
    };
    SchemaWalk::new(Root::Event(kind), Extensions::Allowed, &mut but_the_name)
        .with(schemas)
        .schema(view, schema, edition);
}

/// The schema and edition that apply to a kind: those of the edition itself, otherwise of the most complete edition.
///
/// Raw reasoning has two names with equal schemas; an edition that has only one of them uses it for both.
fn schema_of(view: ValueRef<'_>, kind: Kind, edition: Edition) -> Option<(SchemaId, Edition)> {
    let twin = match kind {
        Kind::ReasoningDelta => Kind::ReasoningTextDelta,
        Kind::ReasoningDone => Kind::ReasoningTextDone,
        Kind::ReasoningTextDelta => Kind::ReasoningDelta,
        Kind::ReasoningTextDone => Kind::ReasoningDone,
        other => other,
    };
    // OpenAI's types have the fields of an error at the top level; its service nests them as Open Responses does.
    if kind == Kind::Error && edition == Edition::OpenAi && view.get("error").is_some() {
        return Some((id::ERROR_STREAMING_EVENT, Edition::Split));
    }
    let editions = [edition, Edition::Split, Edition::OpenAi];
    let choices = editions.into_iter().flat_map(|edition| [(kind, edition), (twin, edition)]);
    choices
        .filter_map(|(kind, edition)| Some((SchemaId::of_kind(kind)?, edition)))
        .find(|(schema, edition)| schema.node(*edition).is_some())
}

/// Returns `true` if a problem concerns this field of the event itself.
fn is_top(problem: &Problem<'_>, field: &str) -> bool {
    match (problem.path, &problem.kind) {
        (Path::Key(Path::Root, _) | Path::Field(Path::Root, _), _) => problem.path.last_key() == Some(field),
        (Path::Root, ProblemKind::Missing(missing)) => *missing == field,
        _ => false,
    }
}
