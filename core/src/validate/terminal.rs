//! The end of a stream: compares the terminal snapshot with the streamed items, and reports what is missing at the end of input.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::compare::{input_of, member_digest};
use super::digest::{text_hash, Digest};
use super::incomplete_items::IncompletePolicy;
use super::options::Layers;
use super::records::{ItemClass, ItemRecord};
use super::response_members::ResponseMembers;
use super::rule::Rule;
use super::text_digest::{is_json_literal, TextDigest};
use super::tool_calls::Call;
use super::validator::{status_is, Validator};
use crate::contract::Kind;
use crate::event::Event;
use crate::finding::{Findings, Location};
use crate::json::ValueRef;

impl Validator {
    /// Declares the end of input at this byte offset.
    pub fn finish(&mut self, offset: u64, findings: &mut Findings) {
        let end = Location { offset, ..Location::default() };
        let layers = self.options.layers;
        if layers.contains(Layers::FRAMING) && self.sse && !self.sentinel_seen {
            findings.report(Rule::Sse02, end, None, || {
                (String::new(), "expected `[DONE]` at the end, found the end of input".into())
            });
        }
        if !layers.contains(Layers::STREAM) || self.response.is_ended() {
            return;
        }
        // The reader has already reported a body that it recognized, such as a JSON error or an HTML page.
        let is_known = |findings: &Findings| findings.as_slice().iter().any(|finding| finding.rule == Rule::Read04);
        if !self.event_seen && !self.joined && !is_known(findings) {
            findings.report(Rule::Read04, end, None, || {
                let found = if offset == 0 { "empty input" } else { "no event" };
                (String::new(), format!("expected an event stream, found {found}"))
            });
        }
        if let Some(location) = self.error {
            findings.report(Rule::Err06, location, None, || {
                (String::new(), "expected `response.failed` after the error, found the end of input".into())
            });
            if self.sse && !self.response_seen {
                findings.report(Rule::Http08, location, None, || {
                    (String::new(), "expected an HTTP error status, found a stream that contains only an error".into())
                });
            }
        } else if self.response_seen {
            findings.report(Rule::Life06, end, None, || {
                (String::new(), "expected a terminal event, found the end of input".into())
            });
        }
    }

    /// Compares the terminal snapshot with the streamed items.
    pub(super) fn check_terminal(
        &mut self,
        event: &Event<'_>,
        response: &ResponseMembers<'_>,
        findings: &mut Findings,
    ) {
        let location = event.location();
        let kind = event.kind();
        if let Some(location) = self.error.filter(|_| kind != Kind::Failed) {
            findings.report(Rule::Err06, location, None, || {
                (String::new(), format!("expected `response.failed` after the error, found `{kind}`"))
            });
        }
        let held = TerminalOutput::of(response);
        let output = &held.output;
        self.check_unfinished(event, &held, findings);
        // Otherwise `object.rs` checks the output.
        if output.is_empty() || !self.options.layers.contains(Layers::SCHEMA) {
            self.check_incomplete_items(event, response, findings);
        }
        // Items that are neither done nor in the output were reported above, or a failure cut them off.
        let due: Vec<(u64, &ItemRecord)> =
            self.items.in_order().filter(|(_, item)| item.state.is_done() || held.position(item).is_some()).collect();
        // If some items are unknown, an item is looked up at its own index.
        let limited = self.is_full();
        let partly = self.joined || self.unread > 0 || limited;
        if output.len() == due.len() || partly {
            let at = |index: u64| usize::try_from(index).ok();
            for (position, (index, item)) in due.iter().enumerate() {
                let position = if partly { at(*index) } else { Some(position) };
                let Some(position) = position.filter(|at| *at < output.len()) else { continue };
                let moved = if has_id(output[position], item) { None } else { held.position(item) };
                if let Some(found) = moved {
                    findings.report(Rule::Life09, location, None, || {
                        (
                            format!("/response/output/{found}"),
                            format!("expected item {index} at position {position}, found it at {found}"),
                        )
                    });
                }
                let at = moved.unwrap_or(position);
                compare(item, output[at], at, location, findings);
            }
        } else {
            let (expected, found) = (due.len(), output.len());
            findings.report(Rule::Life09, location, None, || {
                ("/response/output".into(), format!("expected as many items as streamed ({expected}), found {found}"))
            });
            for (_, item) in &due {
                if let Some(position) = held.position(item) {
                    compare(item, output[position], position, location, findings);
                }
            }
        }
        let (mut calls, mut foreign) =
            response.output.map_or((Vec::new(), false), |output| Call::all(output, "/response/output"));
        if output.is_empty() {
            (calls, foreign) = self.streamed_calls();
        }
        let whole = kind == Kind::Completed && !foreign;
        self.expectations.check(&calls, whole, "/response/output", &mut |rule, path, message| {
            findings.report(rule, location, None, || (path, message));
        });
        self.check_truncated_calls(event, response, findings);
    }

    /// Checks a done item on its own and against the request. `judged` tells for the digest of some arguments whether they are JSON.
    pub(super) fn check_done_item(
        &self,
        event: &Event<'_>,
        item: ValueRef<'_>,
        class: ItemClass,
        judged: Option<(TextDigest, bool)>,
        findings: &mut Findings,
    ) {
        let location = event.location();
        if matches!(class, ItemClass::FunctionCall | ItemClass::McpCall) && status_is(item, "completed") {
            if let Some(arguments) = input_of(class, item).and_then(|view| view.literal()) {
                let known = judged.filter(|(digest, _)| digest.has_same_literal(&TextDigest::of_text(arguments)));
                let is_json = known.map_or_else(|| self.is_json_literal(arguments), |(_, is_json)| is_json);
                if !is_json {
                    findings.report(Rule::Arg03, location, None, || {
                        ("/item/arguments".into(), "expected JSON, found text that does not parse".into())
                    });
                }
            }
        }
        let encrypted = item.get("encrypted_content").is_some_and(|encrypted| !encrypted.is_null());
        if class == ItemClass::Reasoning && self.expectations.encrypted && !encrypted {
            findings.report(Rule::Rsn09, location, None, || {
                ("/item/encrypted_content".into(), "expected the requested encrypted content, found none".into())
            });
        }
    }

    /// Reports items that are still open, and incomplete items in a completed response.
    fn check_unfinished(&self, event: &Event<'_>, output: &TerminalOutput<'_>, findings: &mut Findings) {
        let location = event.location();
        let kind = event.kind();
        for (position, (index, item)) in self.items.in_order().enumerate() {
            if item.state.is_open() && kind != Kind::Failed {
                let here = item.id.is_empty() && position < output.output.len();
                let held = here || output.position(item).is_some();
                let rule = if held || kind != Kind::Completed { Rule::Item06 } else { Rule::Life13 };
                findings.report(rule, location, None, || {
                    (
                        String::new(),
                        format!("expected a done event for item {index} before the terminal event, found none"),
                    )
                });
            }
            if item.incomplete && kind == Kind::Completed {
                findings.report(Rule::Item09, location, None, || {
                    let path = format!("/response/output/{position}/status");
                    (path, format!("expected `response.incomplete`, because item {index} is incomplete"))
                });
            }
        }
    }

    /// Reports incomplete items that must be the last item.
    fn check_incomplete_items(&self, event: &Event<'_>, response: &ResponseMembers<'_>, findings: &mut Findings) {
        let last = self.items.in_order().last();
        let policy = IncompletePolicy::of(response, last.map(|(_, item)| item.ending));
        for (position, (index, item)) in self.items.in_order().enumerate() {
            let is_last = last.is_some_and(|(last, _)| last == index);
            if policy.must_be_last(item.ending) && !is_last {
                findings.report(Rule::Item08, event.location(), None, || {
                    let path = format!("/response/output/{position}/status");
                    (path, format!("expected incomplete item {index} at the end, found items after it"))
                });
            }
        }
    }

    /// After a cut-off by the token limit, a call with partial arguments cannot be completed.
    fn check_truncated_calls(&self, event: &Event<'_>, response: &ResponseMembers<'_>, findings: &mut Findings) {
        if event.kind() != Kind::Incomplete || !response.has_incomplete_reason("max_output_tokens") {
            return;
        }
        for (index, item) in response.items().enumerate() {
            let class = ItemClass::of(&item.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
            if !matches!(class, ItemClass::FunctionCall | ItemClass::McpCall) || !status_is(item, "completed") {
                continue;
            }
            let arguments = item.get("arguments").and_then(|arguments| arguments.literal());
            if arguments.is_some_and(|arguments| !self.is_json_literal(arguments)) {
                findings.report(Rule::Arg09, event.location(), None, || {
                    (
                        format!("/response/output/{index}/status"),
                        "expected `incomplete` for a call with partial arguments, found `completed`".into(),
                    )
                });
            }
        }
    }

    fn streamed_calls(&self) -> (Vec<Call>, bool) {
        let mut calls = Vec::new();
        let mut foreign = false;
        for (_, item) in self.items.in_order() {
            foreign |= matches!(item.class, ItemClass::Foreign | ItemClass::Unknown);
            if item.class.is_call() {
                let (kind, name) = (item.kind.text().into(), item.tool.text().into());
                calls.push(Call { class: item.class, kind, name, path: "/response/output".into() });
            }
        }
        (calls, foreign)
    }

    fn is_json_literal(&self, literal: &str) -> bool {
        is_json_literal(literal, self.options.limits.depth)
    }
}

/// The items of the terminal snapshot, indexed by id, because there may be as many of them as streamed items.
struct TerminalOutput<'e> {
    output: Vec<ValueRef<'e>>,
    /// The hash of each non-empty id and its position, in ascending order.
    ids: Vec<(u64, usize)>,
}

impl<'e> TerminalOutput<'e> {
    fn of(response: &ResponseMembers<'e>) -> Self {
        let output: Vec<ValueRef<'_>> = response.items().collect();
        let id = |held: &ValueRef<'e>| held.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        let known = output.iter().enumerate().filter_map(|(at, held)| Some((text_hash(&id(held)?), at)));
        let mut ids: Vec<_> = known.collect();
        ids.sort_unstable();
        Self { output, ids }
    }

    /// The first position with the item's id.
    fn position(&self, item: &ItemRecord) -> Option<usize> {
        let hash = item.id.hash();
        let from = self.ids.partition_point(|(known, _)| *known < hash);
        let same = self.ids.get(from..)?.iter().take_while(|(known, _)| *known == hash);
        same.map(|(_, at)| *at).find(|at| self.output.get(*at).is_some_and(|held| has_id(*held, item)))
    }
}

fn has_id(held: ValueRef<'_>, item: &ItemRecord) -> bool {
    held.get("id").and_then(|id| id.as_str()).is_some_and(|id| !id.is_empty() && item.id.is(&id))
}

/// Compares an item of the terminal snapshot with its done event.
fn compare(item: &ItemRecord, held: ValueRef<'_>, position: usize, location: Location, findings: &mut Findings) {
    // The members are known from the done event only.
    if item.members.is_empty() || item.raw_digest == Some(Digest::of_raw(held.raw())) {
        return;
    }
    let mut seen = 0;
    for (key, value) in held.entries() {
        let key = key.as_str().unwrap_or_default();
        let known = find(&item.members, text_hash(&key));
        seen += usize::from(known.is_some());
        if known != Some(member_digest(&key, value, item.input.text.last_whole())) {
            findings.report(Rule::Life09, location, None, || {
                let message = if known.is_some() {
                    "expected the value of the item's done event, found another value"
                } else {
                    "expected only members of the item's done event, found another member"
                };
                (format!("/response/output/{position}/{}", pointer_step(&key)), message.into())
            });
        }
    }
    if seen < item.members.len() {
        let missing = item.members.len() - seen;
        findings.report(Rule::Life09, location, None, || {
            let message = format!("expected all members of the item's done event, found {missing} fewer");
            (format!("/response/output/{position}"), message)
        });
    }
}

fn find(members: &[(u64, Digest)], key: u64) -> Option<Digest> {
    let at = members.binary_search_by_key(&key, |(known, _)| *known).ok()?;
    members.get(at).map(|(_, digest)| *digest)
}

/// Escapes a key as a step of a JSON pointer.
pub(super) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
