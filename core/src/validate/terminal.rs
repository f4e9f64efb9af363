//! The end: the terminal snapshot against what was streamed, and what is missing when input ends.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::agree::{input_of, member_digest};
use super::cuts::Cuts;
use super::digest::{text_hash, Digest};
use super::options::Layers;
use super::rule::Rule;
use super::said::{means_json, Said};
use super::slots::{Class, Item};
use super::tools::Call;
use super::validator::{status_is, Validator};
use crate::contract::Kind;
use crate::event::Event;
use crate::finding::{Findings, Place};
use crate::json::View;

impl Validator {
    /// Says that the input has ended at this byte.
    pub fn finish(&mut self, offset: u64, findings: &mut Findings) {
        let end = Place { offset, ..Place::default() };
        let layers = self.options.layers;
        if layers.contains(Layers::FRAMING) && self.sse && !self.sentinel {
            findings.report(Rule::Sse02, end, None, || {
                (String::new(), "expected `[DONE]` at the end, found the end of input".into())
            });
        }
        if !layers.contains(Layers::STREAM) || self.response.is_over() {
            return;
        }
        if let Some(place) = self.error {
            findings.report(Rule::Err06, place, None, || {
                (String::new(), "expected `response.failed` behind the error, found the end of input".into())
            });
            if self.sse && !self.spoken {
                findings.report(Rule::Http08, place, None, || {
                    (String::new(), "expected an HTTP error status, found a stream with nothing but an error".into())
                });
            }
        } else if self.spoken {
            findings.report(Rule::Life06, end, None, || {
                (String::new(), "expected a terminal event, found the end of input".into())
            });
        }
    }

    /// Compares the terminal snapshot with the items that were streamed.
    pub(super) fn check_terminal(&mut self, event: &Event<'_>, response: View<'_>, findings: &mut Findings) {
        let place = event.place();
        let kind = event.kind();
        if let Some(place) = self.error.filter(|_| kind != Kind::Failed) {
            findings.report(Rule::Err06, place, None, || {
                (String::new(), format!("expected `response.failed` behind the error, found `{kind}`"))
            });
        }
        let held = Held::of(response);
        let output = &held.output;
        self.check_unfinished(event, &held, findings);
        // The objects' own check looks at the output, if there is one and if it runs.
        if output.is_empty() || !self.options.layers.contains(Layers::SCHEMA) {
            self.check_cuts(event, response, findings);
        }
        // What was never done and is not there has been reported, or was cut short by a failure.
        let due: Vec<(u64, &Item)> =
            self.items.in_order().filter(|(_, item)| item.state.is_done() || held.position(item).is_some()).collect();
        // Where not all items were seen, each stands at its index.
        let limited = self.items.len() >= self.options.limits.items;
        let partly = self.joined || self.unread > 0 || limited;
        if output.len() == due.len() || partly {
            let at = |index: u64| usize::try_from(index).ok();
            for (position, (index, item)) in due.iter().enumerate() {
                let position = if partly { at(*index) } else { Some(position) };
                let Some(position) = position.filter(|at| *at < output.len()) else { continue };
                let moved = if has_id(output[position], item) { None } else { held.position(item) };
                if let Some(found) = moved {
                    findings.report(Rule::Life09, place, None, || {
                        (
                            format!("/response/output/{found}"),
                            format!("expected item {index} at {position}, found it at {found}"),
                        )
                    });
                }
                let at = moved.unwrap_or(position);
                compare(item, output[at], at, place, findings);
            }
        } else {
            let (expected, found) = (due.len(), output.len());
            findings.report(Rule::Life09, place, None, || {
                ("/response/output".into(), format!("expected the {expected} items that were streamed, found {found}"))
            });
            for (_, item) in &due {
                if let Some(position) = held.position(item) {
                    compare(item, output[position], position, place, findings);
                }
            }
        }
        let (mut calls, mut foreign) =
            response.get("output").map_or((Vec::new(), false), |output| Call::all(output, "/response/output"));
        if output.is_empty() {
            (calls, foreign) = self.streamed_calls();
        }
        let whole = kind == Kind::Completed && !foreign;
        self.expected.check(&calls, whole, "/response/output", &mut |rule, path, message| {
            findings.report(rule, place, None, || (path, message));
        });
        self.check_cut_calls(event, response, findings);
    }

    /// Looks at a finished item by itself, beside the request; `judged` are arguments of which it is known whether they are JSON.
    pub(super) fn check_done_item(
        &self,
        event: &Event<'_>,
        item: View<'_>,
        class: Class,
        judged: Option<(Said, bool)>,
        findings: &mut Findings,
    ) {
        let place = event.place();
        if matches!(class, Class::FunctionCall | Class::McpCall) && status_is(item, "completed") {
            if let Some(arguments) = input_of(class, item).and_then(|view| view.literal()) {
                let known = judged.filter(|(said, _)| said.is_written_like(&Said::of_text(arguments)));
                let is_json = known.map_or_else(|| self.means_json(arguments), |(_, is_json)| is_json);
                if !is_json {
                    findings.report(Rule::Arg03, place, None, || {
                        ("/item/arguments".into(), "expected JSON, found text that does not parse".into())
                    });
                }
            }
        }
        let sealed = item.get("encrypted_content").is_some_and(|sealed| !sealed.is_null());
        if class == Class::Reasoning && self.expected.encrypted && !sealed {
            findings.report(Rule::Rsn09, place, None, || {
                (
                    "/item/encrypted_content".into(),
                    "expected the encrypted content that was asked for, found none".into(),
                )
            });
        }
    }

    /// Items that are still open, and items that ended incomplete in a response that did not.
    fn check_unfinished(&self, event: &Event<'_>, output: &Held<'_>, findings: &mut Findings) {
        let place = event.place();
        let kind = event.kind();
        for (position, (index, item)) in self.items.in_order().enumerate() {
            if item.state.is_open() && kind != Kind::Failed {
                let here = item.id.is_empty() && position < output.output.len();
                let held = here || output.position(item).is_some();
                let rule = if held || kind != Kind::Completed { Rule::Item06 } else { Rule::Life13 };
                findings.report(rule, place, None, || {
                    (String::new(), format!("expected item {index} to be done before the terminal event"))
                });
            }
            if item.incomplete && kind == Kind::Completed {
                findings.report(Rule::Item09, place, None, || {
                    let path = format!("/response/output/{position}/status");
                    (path, format!("expected `response.incomplete`, since item {index} ended incomplete"))
                });
            }
        }
    }

    /// Items that ended incomplete where only the last one may.
    fn check_cuts(&self, event: &Event<'_>, response: View<'_>, findings: &mut Findings) {
        let last = self.items.in_order().last();
        let cuts = Cuts::of(response, last.map(|(_, item)| item.ending));
        for (position, (index, item)) in self.items.in_order().enumerate() {
            let is_last = last.is_some_and(|(last, _)| last == index);
            if cuts.misplaced(item.ending) && !is_last {
                findings.report(Rule::Item08, event.place(), None, || {
                    let path = format!("/response/output/{position}/status");
                    (path, format!("expected the last item, found item {index} incomplete with others behind it"))
                });
            }
        }
    }

    /// The token limit cut the response: a call whose arguments stop in the middle cannot be complete.
    fn check_cut_calls(&self, event: &Event<'_>, response: View<'_>, findings: &mut Findings) {
        let reason = response.pointer("/incomplete_details/reason");
        if event.kind() != Kind::Incomplete || !reason.is_some_and(|reason| reason.is_str("max_output_tokens")) {
            return;
        }
        for (index, item) in response.get("output").into_iter().flat_map(|output| output.elements()).enumerate() {
            let class = Class::of(&item.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
            if !matches!(class, Class::FunctionCall | Class::McpCall) || !status_is(item, "completed") {
                continue;
            }
            let arguments = item.get("arguments").and_then(|arguments| arguments.literal());
            if arguments.is_some_and(|arguments| !self.means_json(arguments)) {
                findings.report(Rule::Arg09, event.place(), None, || {
                    (
                        format!("/response/output/{index}/status"),
                        "expected incomplete for a call that was cut off".into(),
                    )
                });
            }
        }
    }

    fn streamed_calls(&self) -> (Vec<Call>, bool) {
        let mut calls = Vec::new();
        let mut foreign = false;
        for (_, item) in self.items.in_order() {
            foreign |= matches!(item.class, Class::Foreign | Class::Untold);
            if item.class.is_call() {
                let (kind, name) = (item.kind.text().into(), item.tool.text().into());
                calls.push(Call { class: item.class, kind, name, path: "/response/output".into() });
            }
        }
        (calls, foreign)
    }

    fn means_json(&self, literal: &str) -> bool {
        means_json(literal, self.options.limits.depth)
    }
}

/// The items of the terminal snapshot, found by id without a look at each: there may be as many of them as were streamed.
struct Held<'e> {
    output: Vec<View<'e>>,
    /// The digest of each id that is not empty, and its position; ascending.
    ids: Vec<(u64, usize)>,
}

impl<'e> Held<'e> {
    fn of(response: View<'e>) -> Self {
        let output: Vec<View<'_>> = response.get("output").into_iter().flat_map(|output| output.elements()).collect();
        let id = |held: &View<'e>| held.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        let known = output.iter().enumerate().filter_map(|(at, held)| Some((text_hash(&id(held)?), at)));
        let mut ids: Vec<_> = known.collect();
        ids.sort_unstable();
        Self { output, ids }
    }

    /// The first position that has the item's id.
    fn position(&self, item: &Item) -> Option<usize> {
        let hash = item.id.hash();
        let from = self.ids.partition_point(|(known, _)| *known < hash);
        let same = self.ids.get(from..)?.iter().take_while(|(known, _)| *known == hash);
        same.map(|(_, at)| *at).find(|at| self.output.get(*at).is_some_and(|held| has_id(*held, item)))
    }
}

fn has_id(held: View<'_>, item: &Item) -> bool {
    held.get("id").and_then(|id| id.as_str()).is_some_and(|id| !id.is_empty() && item.id.is(&id))
}

/// Compares an item of the terminal snapshot with the same item as it was done.
fn compare(item: &Item, held: View<'_>, position: usize, place: Place, findings: &mut Findings) {
    // Only a done event tells the members.
    if item.members.is_empty() || item.written == Some(Digest::of_raw(held.raw())) {
        return;
    }
    let mut seen = 0;
    for (key, value) in held.entries() {
        let key = key.as_str().unwrap_or_default();
        let known = find(&item.members, text_hash(&key));
        seen += usize::from(known.is_some());
        if known != Some(member_digest(&key, value, item.input.text.said())) {
            findings.report(Rule::Life09, place, None, || {
                let message = if known.is_some() {
                    "expected the value that the done item has, found another one"
                } else {
                    "expected no such member, since the done item has none"
                };
                (format!("/response/output/{position}/{}", pointer_step(&key)), message.into())
            });
        }
    }
    if seen < item.members.len() {
        let missing = item.members.len() - seen;
        findings.report(Rule::Life09, place, None, || {
            let message = format!("expected all members of the done item, found {missing} fewer");
            (format!("/response/output/{position}"), message)
        });
    }
}

fn find(members: &[(u64, Digest)], key: u64) -> Option<Digest> {
    let at = members.binary_search_by_key(&key, |(known, _)| *known).ok()?;
    members.get(at).map(|(_, digest)| *digest)
}

/// A key as a step of a JSON pointer.
pub(super) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
