//! Agreement: a done item, part or input against what was streamed before it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::channel::Channel;
use super::digest::{text_hash, Digest, Eye};
use super::parts::channel_rows;
use super::rule::Rule;
use super::said::Said;
use super::slots::{Agreement, Class, Growing, Item, Part, PartKind};
use crate::event::Event;
use crate::finding::Findings;
use crate::json::{Tag, View};

/// What is known when an item closes.
#[derive(Clone, Copy)]
pub(super) struct Closing {
    /// Whether the item came whole or was joined, so that nothing had to be streamed.
    pub(super) loose: bool,
    /// How many events could not be read.
    pub(super) unread: u64,
    /// How many parts of a list are followed.
    pub(super) parts: usize,
}

/// Compares the parts of a done item with what was streamed; gives the digests of its content and its summary.
pub(super) fn close_parts(
    event: &Event<'_>,
    view: View<'_>,
    item: &mut Item,
    how: Closing,
    findings: &mut Findings,
) -> [Digest; 2] {
    close_commands(event, view, item, how, findings);
    [("content", Channel::Content(PartKind::Untold)), ("summary", Channel::Summary)]
        .map(|(list, channel)| close_list(event, view.get(list), list, item, channel, how, findings))
}

fn close_list(
    event: &Event<'_>,
    parts: Option<View<'_>>,
    list: &str,
    item: &mut Item,
    channel: Channel,
    how: Closing,
    findings: &mut Findings,
) -> Digest {
    let place = event.place();
    let (class, incomplete) = (item.class, item.incomplete);
    let rule = if channel == Channel::Summary { Rule::Rsn07 } else { Rule::Part10 };
    let rows = channel_rows(item, channel);
    for (index, slot) in rows.iter() {
        for missing in slot.state.missing_at_item_done() {
            // Only texts have done events of their own.
            if slot.kind == PartKind::Other && *missing == Rule::Part04 {
                continue;
            }
            let rule = if incomplete { Rule::Inc03 } else { channel.rule(*missing) };
            findings.report(rule, place, None, || (format!("/item/{list}/{index}"), missing_message(*missing)));
        }
    }
    let mut count = 0;
    let digest =
        Digest::of_elements(parts.into_iter().flat_map(|parts| parts.elements()).enumerate().map(|(index, part)| {
            count += 1;
            let slot = rows.get_mut(index as u64);
            let closed = slot.as_ref().and_then(|slot| slot.whole);
            let whole = match closed {
                Some((written, whole)) if written == Digest::of_raw(part.raw()) => whole,
                _ => Digest::of_value_without(part, durable(slot.as_ref().and_then(|slot| slot.text.said()))),
            };
            let Some(slot) = slot else { return whole };
            let kind = PartKind::of(&part.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
            let known = slot.text.said();
            let text = part.get(kind.field()).and_then(|text| Said::of_string(text, known));
            let mut same_text = true;
            agree(&mut slot.text, text.unwrap_or_else(|| Said::of_text("")), how.unread, |found, expected| {
                same_text = false;
                let message = format!("expected the {expected} bytes of the part, found other {found} bytes");
                findings.report(rule, place, None, || (format!("/item/{list}/{index}/{}", kind.field()), message));
            });
            if same_text && closed.is_some_and(|(_, closed)| closed != whole) {
                findings.report(rule, place, None, || {
                    (format!("/item/{list}/{index}"), "expected the part as it was closed, found another one".into())
                });
            }
            whole
        }));
    let known = rows.len();
    let streamed = known > 0 || (channel != Channel::Summary && class == Class::Message);
    if streamed && !how.loose && known != count && known < how.parts {
        findings.report(rule, place, None, || {
            (format!("/item/{list}"), format!("expected the {known} parts that were streamed, found {count}"))
        });
    }
    digest
}

fn close_commands(event: &Event<'_>, view: View<'_>, item: &mut Item, how: Closing, findings: &mut Findings) {
    for (index, slot) in item.commands.iter() {
        if slot.state.missing_at_item_done().contains(&Rule::Part04) {
            let rule = if item.incomplete { Rule::Inc03 } else { Rule::Arg07 };
            findings.report(rule, event.place(), None, || {
                let message = "expected a done event for this command before the item is done";
                (format!("/item/action/commands/{index}"), message.into())
            });
        }
    }
    let Some(commands) = view.pointer("/action/commands") else { return };
    for (index, command) in commands.elements().enumerate() {
        let Some(slot) = item.commands.get_mut(index as u64) else { continue };
        let Some(said) = Said::of_string(command, slot.text.said()) else { continue };
        agree(&mut slot.text, said, how.unread, |found, expected| {
            let message = format!("expected the {expected} bytes that were streamed, found other {found} bytes");
            findings.report(Rule::Arg02, event.place(), None, || (format!("/item/action/commands/{index}"), message));
        });
    }
}

/// Compares the input of a done call with what was streamed.
pub(super) fn close_input(event: &Event<'_>, view: View<'_>, item: &mut Item, how: Closing, findings: &mut Findings) {
    let place = event.place();
    let class = item.class;
    let known = item.input.text.said();
    let Some(input) = input_of(class, view).and_then(|input| Said::of_string(input, known)) else { return };
    let channel = Channel::Input(class);
    let silent = !item.input.touched && (how.loose || class != Class::FunctionCall || input.text.length == 0);
    if !item.input.state.is_said() && !silent {
        let rule = if item.incomplete { Rule::Inc03 } else { channel.rule(Rule::Arg01) };
        findings.report(rule, place, None, || {
            (input_path(class).into(), "expected a done event for this input before the item is done".into())
        });
    }
    // An input that was never streamed has nothing to agree with.
    if item.input.touched {
        agree(&mut item.input.text, input, how.unread, |found, expected| {
            let message = format!("expected the {expected} bytes that were streamed, found other {found} bytes");
            findings.report(Rule::Arg02, place, None, || (input_path(class).into(), message));
        });
    }
}

/// Compares a finished part's annotations with those that were sent.
pub(super) fn check_annotations(
    event: &Event<'_>,
    part: View<'_>,
    path: &str,
    slot: &mut Part,
    findings: &mut Findings,
) {
    if slot.annotations.is_empty() {
        return;
    }
    let held: Vec<Digest> =
        part.get("annotations").into_iter().flat_map(|list| list.elements()).map(Digest::of_value).collect();
    for (index, sent) in slot.annotations.iter().enumerate() {
        if held.get(index) != Some(sent) {
            findings.report(Rule::Ann03, event.place(), None, || {
                (
                    format!("{path}/annotations"),
                    format!("expected the annotation that was sent for {index}, found none or another"),
                )
            });
        }
    }
}

/// The members of a finished item, to be compared with the terminal snapshot; `content` and `summary` are known, and `said` is its
/// input.
pub(super) fn members(item: View<'_>, [content, summary]: [Digest; 2], said: Option<Said>) -> Vec<(u64, Digest)> {
    let mut members: Vec<_> = item
        .entries()
        .map(|(key, value)| {
            let key = key.as_str().unwrap_or_default();
            let digest = match &*key {
                // Known already: log probabilities can be most of an item.
                "content" if value.tag() == Tag::Array => content,
                "summary" if value.tag() == Tag::Array => summary,
                key => member_digest(key, value, said),
            };
            (text_hash(&key), digest)
        })
        .collect();
    members.sort_unstable();
    members
}

/// The digest of one member; of what a server encrypts anew each time only whether it is there.
pub(super) fn member_digest(key: &str, value: View<'_>, said: Option<Said>) -> Digest {
    if is_volatile(key) {
        Digest::of(if value.is_null() { "null" } else { "set" })
    } else {
        Digest::of_value_without(value, durable(said))
    }
}

/// Servers encrypt these anew whenever they write them: both values are right.
fn is_volatile(key: &str) -> bool {
    matches!(key, "encrypted_content" | "fingerprint")
}

/// What of a value is written the same each time; `said` is a text that is likely to stand in it.
pub(super) fn durable(said: Option<Said>) -> Eye<'static> {
    Eye { left_out: &is_volatile, said }
}

pub(super) fn agree(known: &mut Growing, said: Said, unread: u64, differs: impl FnOnce(u64, u64)) {
    let found = said.text.length;
    match known.say(said, unread) {
        Agreement::Same => {}
        Agreement::Unheard => differs(found, 0),
        Agreement::Doubled(expected) | Agreement::Differs(expected) => differs(found, expected),
    }
}

/// The input of a call item.
pub(super) fn input_of(class: Class, item: View<'_>) -> Option<View<'_>> {
    match class {
        Class::FunctionCall | Class::McpCall => item.get("arguments"),
        Class::CustomToolCall => item.get("input"),
        Class::CodeInterpreterCall => item.get("code"),
        Class::ApplyPatchCall => item.pointer("/operation/diff"),
        _ => None,
    }
}

fn input_path(class: Class) -> &'static str {
    match class {
        Class::CustomToolCall => "/item/input",
        Class::CodeInterpreterCall => "/item/code",
        Class::ApplyPatchCall => "/item/operation/diff",
        _ => "/item/arguments",
    }
}

fn missing_message(rule: Rule) -> String {
    match rule {
        Rule::Part04 => "expected a done event for the part's text before the item is done",
        _ => "expected a done event for the part before the item is done",
    }
    .into()
}
