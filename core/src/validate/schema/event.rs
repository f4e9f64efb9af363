//! Events against the contract: which schema judges which kind, and [`EventSchema`], which skips what cannot have changed.

use super::blame::Root;
use super::logprobs::Lists;
use super::path::Path;
use super::problem::{Context, Fault, Problem};
use super::walk::{Extensions, Walk};
use crate::contract::tables::id;
use crate::contract::{Edition, Kind, SchemaId};
use crate::event::Event;
use crate::finding::Findings;
use crate::json::{Tape, View, DEEPEST};
use crate::validate::own::ExtensionSchemas;
use crate::SPEED;

/// The schema layer for a stream of events.
///
/// A delta that repeats the last of its kind outside the fields that change anyway has the verdict of that one. So the
/// deltas of a right stream cost one comparison each.
#[derive(Clone, Debug)]
pub(crate) struct EventSchema {
    edition: Edition,
    /// Kinds of which an event was checked and found right.
    right: u128,
    /// Kinds of which an event was wrong. A repetition may repeat an older event than the last, so these are always
    /// checked.
    wrong: u128,
    lists: Lists,
    shortcuts: bool,
}

impl EventSchema {
    pub(crate) fn new(edition: Edition) -> Self {
        Self { edition, right: 0, wrong: 0, lists: Lists::default(), shortcuts: true }
    }

    /// Whether an event repeats one that was right in everything that is looked at here.
    #[inline]
    pub(crate) fn is_right_again(&mut self, event: &Event<'_>) -> bool {
        // One bit stands for every extension, so none of them vouches for another.
        event.repeats()
            && self.shortcuts
            && event.kind() != Kind::Extension
            && self.right & (1 << event.kind() as u8) != 0
            && (!event.has_nested() || self.is_plain(event))
    }

    /// Whether all that a repetition does not vouch for is a plain list of log probabilities.
    fn is_plain(&mut self, event: &Event<'_>) -> bool {
        self.lists.grow(event.kind().is_delta());
        event.logprobs().is_some_and(|list| self.lists.is_plain(list))
    }

    #[cfg(all(test, feature = "speed", feature = "validate"))]
    pub(crate) fn go_the_long_way(&mut self) {
        self.shortcuts = false;
    }

    /// Checks an event and reports every problem at its place.
    pub(crate) fn check(&mut self, event: &Event<'_>, schemas: &ExtensionSchemas, findings: &mut Findings) {
        let kind = event.kind();
        let bit = 1u128 << kind as u8;
        self.lists.grow(kind.is_delta());
        if self.is_right_but_for_list(event, schemas) {
            self.right |= bit & !self.wrong;
            return;
        }
        let Some(root) = event.root() else { return };
        let mut wrong = false;
        let lists = Some(&mut self.lists).filter(|_| self.shortcuts);
        check(root, kind, event.wire_type(), (self.edition, schemas, lists), &mut |problem| {
            wrong = true;
            findings.report(problem.rule, event.place(), None, || (problem.pointer(), problem.message()));
        });
        self.wrong |= if wrong { bit } else { 0 };
        self.right = (self.right | bit) & !self.wrong;
    }
}

impl EventSchema {
    /// Whether an event's list of log probabilities is plain, and the rest is right. Without the list a tape of the event is made
    /// in no time.
    fn is_right_but_for_list(&mut self, event: &Event<'_>, schemas: &ExtensionSchemas) -> bool {
        let list = event.fields().logprobs;
        if !SPEED || !self.shortcuts || event.kind().is_delta() || list.len() < LONG {
            return false;
        }
        let Some((start, end)) = list.payload_span() else { return false };
        let (Some(before), Some(behind)) = (event.raw().get(..start), event.raw().get(end..)) else { return false };
        if before.len() + behind.len() > list.len() || !event.logprobs().is_some_and(|list| self.lists.is_plain(list)) {
            return false;
        }
        let rest = [before, "[]", behind].concat();
        let mut tape = Tape::default();
        // How deep it is was asked when the event was read.
        if tape.parse(&rest, DEEPEST).is_err() {
            return false;
        }
        let mut right = true;
        let told = (self.edition, schemas, None);
        check(tape.root(&rest), event.kind(), event.wire_type(), told, &mut |_| right = false);
        right
    }
}

/// Lists longer than this are left out of a tape.
const LONG: usize = 1 << 10;

/// Checks an event's payload by the schema of its kind; `lists` are those that were seen before.
pub(super) fn check(
    view: View<'_>,
    kind: Kind,
    wire_type: &str,
    (edition, schemas, lists): (Edition, &ExtensionSchemas, Option<&mut Lists>),
    report: &mut dyn FnMut(&Problem<'_>),
) {
    let Some((schema, edition)) = schema_of(view, kind, edition) else {
        // Whatever it is, it takes part in the numbering; what only keeps a connection open does not. Any event's schema
        // says what a number is.
        if !kind.is_transport() {
            let schema = id::RESPONSE_QUEUED_STREAMING_EVENT;
            let mut only_number = |problem: &Problem<'_>| {
                if is_top(problem, "sequence_number") {
                    report(problem);
                }
            };
            Walk::new(Root::Event(kind), Extensions::Allowed, &mut only_number).schema(view, schema, edition);
        }
        if let Some(schema) = schemas.of_event(wire_type) {
            let context = Context { schema: None, via: None, field: "", variant: "", edition };
            Walk::new(Root::Event(kind), Extensions::Allowed, report).own(view, schema, &Path::Root, context);
        }
        return;
    };
    // An alias has another name than its schema says. Whether the name is allowed is for the stream layer.
    let renamed = wire_type != kind.as_str() || Some(schema) != SchemaId::of_kind(kind);
    let mut but_the_name = |problem: &Problem<'_>| {
        if !(renamed && is_top(problem, "type") && matches!(problem.fault, Fault::Value(_))) {
            report(problem);
        }
    };
    let mut walk = Walk::new(Root::Event(kind), Extensions::Allowed, &mut but_the_name).with(schemas);
    walk.lists = lists;
    walk.schema(view, schema, edition);
}

/// Which schema of which edition judges a kind: that of the edition itself, else of the one that knows most.
///
/// Raw reasoning has two names for one thing: where an edition knows only one, its schema serves both.
fn schema_of(view: View<'_>, kind: Kind, edition: Edition) -> Option<(SchemaId, Edition)> {
    let twin = match kind {
        Kind::ReasoningDelta => Kind::ReasoningTextDelta,
        Kind::ReasoningDone => Kind::ReasoningTextDone,
        Kind::ReasoningTextDelta => Kind::ReasoningDelta,
        Kind::ReasoningTextDone => Kind::ReasoningDone,
        other => other,
    };
    // OpenAI's types show the fields of an error at the top; its service nests them as Open Responses does.
    if kind == Kind::Error && edition == Edition::OpenAi && view.get("error").is_some() {
        return Some((id::ERROR_STREAMING_EVENT, Edition::Split));
    }
    let editions = [edition, Edition::Split, Edition::OpenAi];
    let choices = editions.into_iter().flat_map(|edition| [(kind, edition), (twin, edition)]);
    choices
        .filter_map(|(kind, edition)| Some((SchemaId::of_kind(kind)?, edition)))
        .find(|(schema, edition)| schema.node(*edition).is_some())
}

/// Whether a problem is about this field of the event itself.
fn is_top(problem: &Problem<'_>, field: &str) -> bool {
    match (problem.path, &problem.fault) {
        (Path::Key(Path::Root, key), _) => *key == field,
        (Path::Root, Fault::Missing(missing)) => *missing == field,
        _ => false,
    }
}
