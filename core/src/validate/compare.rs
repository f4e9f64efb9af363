//! Compares a done item, part or input with the deltas streamed before it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::channel::Channel;
use super::digest::{text_hash, Digest, ValueOptions};
use super::parts::channel_rows;
use super::records::{ItemClass, ItemRecord, PartRecord, PartType, StreamedText, TextComparison};
use super::rule::Rule;
use super::text_digest::TextDigest;
use crate::event::Event;
use crate::finding::Findings;
use crate::json::{ValueKind, ValueRef};

/// Facts for the comparison of a done item.
#[derive(Clone, Copy)]
pub(super) struct ItemClosing {
    /// True if the item was added complete or the stream started in the middle, so that deltas may be absent.
    pub(super) may_skip_deltas: bool,
    /// Number of events that could not be read.
    pub(super) unread: u64,
    /// Number of parts per list that are checked.
    pub(super) parts: usize,
}

/// Compares the parts of a done item with the streamed ones; returns the digests of its content and its summary.
pub(super) fn close_parts(
    event: &Event<'_>,
    view: ValueRef<'_>,
    item: &mut ItemRecord,
    how: ItemClosing,
    findings: &mut Findings,
) -> [Digest; 2] {
    close_commands(event, view, item, how, findings);
    [("content", Channel::Content(PartType::Unknown)), ("summary", Channel::Summary)]
        .map(|(list, channel)| close_list(event, view.get(list), list, item, channel, how, findings))
}

fn close_list(
    event: &Event<'_>,
    parts: Option<ValueRef<'_>>,
    list: &str,
    item: &mut ItemRecord,
    channel: Channel,
    how: ItemClosing,
    findings: &mut Findings,
) -> Digest {
    let location = event.location();
    let (class, incomplete) = (item.class, item.incomplete);
    let rule = if channel == Channel::Summary { Rule::Rsn07 } else { Rule::Part10 };
    let rows = channel_rows(item, channel);
    for (index, slot) in rows.iter() {
        for missing in slot.state.missing_at_item_done() {
            // Only text parts have done events of their text.
            if slot.kind == PartType::Other && *missing == Rule::Part04 {
                continue;
            }
            let rule = if incomplete { Rule::Inc03 } else { channel.rule(*missing) };
            findings.report(rule, location, None, || (format!("/item/{list}/{index}"), missing_message(*missing)));
        }
    }
    let mut count = 0;
    let digest =
        Digest::of_elements(parts.into_iter().flat_map(|parts| parts.elements()).enumerate().map(|(index, part)| {
            count += 1;
            let slot = rows.get_mut(index as u64);
            let closed = slot.as_ref().and_then(|slot| slot.whole);
            let whole = match closed {
                Some((raw_digest, whole)) if raw_digest == Digest::of_raw(part.raw()) => whole,
                _ => Digest::of_value_with(part, stable_options(slot.as_ref().and_then(|slot| slot.text.last_whole()))),
            };
            let Some(slot) = slot else { return whole };
            let kind = PartType::of(&part.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
            let known = slot.text.last_whole();
            let text = part.get(kind.field()).and_then(|text| TextDigest::of_string(text, known));
            let mut same_text = true;
            compare_text(
                &mut slot.text,
                text.unwrap_or_else(|| TextDigest::of_text("")),
                how.unread,
                |found, expected| {
                    same_text = false;
                    let message = format!(
                        "expected the text of the part (length {expected}), found another text (length {found})"
                    );
                    findings
                        .report(rule, location, None, || (format!("/item/{list}/{index}/{}", kind.field()), message));
                },
            );
            if same_text && closed.is_some_and(|(_, closed)| closed != whole) {
                findings.report(rule, location, None, || {
                    (
                        format!("/item/{list}/{index}"),
                        "expected the part of its done event, found a different part".into(),
                    )
                });
            }
            whole
        }));
    let known = rows.len();
    let streamed = known > 0 || (channel != Channel::Summary && class == ItemClass::Message);
    if streamed && !how.may_skip_deltas && known != count && known < how.parts {
        findings.report(rule, location, None, || {
            (format!("/item/{list}"), format!("expected as many parts as streamed ({known}), found {count}"))
        });
    }
    digest
}

fn close_commands(
    event: &Event<'_>,
    view: ValueRef<'_>,
    item: &mut ItemRecord,
    how: ItemClosing,
    findings: &mut Findings,
) {
    for (index, slot) in item.commands.iter() {
        if slot.state.missing_at_item_done().contains(&Rule::Part04) {
            let rule = if item.incomplete { Rule::Inc03 } else { Rule::Arg07 };
            findings.report(rule, event.location(), None, || {
                let message = "expected a done event for this command before the item's done event, found none";
                (format!("/item/action/commands/{index}"), message.into())
            });
        }
    }
    let Some(commands) = view.pointer("/action/commands") else { return };
    for (index, command) in commands.elements().enumerate() {
        let Some(slot) = item.commands.get_mut(index as u64) else { continue };
        let Some(done_text) = TextDigest::of_string(command, slot.text.last_whole()) else { continue };
        compare_text(&mut slot.text, done_text, how.unread, |found, expected| {
            let message =
                format!("expected the streamed text (length {expected}), found another text (length {found})");
            findings
                .report(Rule::Arg02, event.location(), None, || (format!("/item/action/commands/{index}"), message));
        });
    }
}

/// Compares the input of a done call with its deltas.
pub(super) fn close_input(
    event: &Event<'_>,
    view: ValueRef<'_>,
    item: &mut ItemRecord,
    how: ItemClosing,
    findings: &mut Findings,
) {
    let location = event.location();
    let class = item.class;
    let known = item.input.text.last_whole();
    let Some(input) = input_of(class, view).and_then(|input| TextDigest::of_string(input, known)) else { return };
    let channel = Channel::Input(class);
    let silent =
        !item.input.has_events && (how.may_skip_deltas || class != ItemClass::FunctionCall || input.text.length == 0);
    if !item.input.state.is_done() && !silent {
        let rule = if item.incomplete { Rule::Inc03 } else { channel.rule(Rule::Arg01) };
        findings.report(rule, location, None, || {
            (
                input_path(class).into(),
                "expected a done event for this input before the item's done event, found none".into(),
            )
        });
    }
    // An input without events has nothing to compare with.
    if item.input.has_events {
        compare_text(&mut item.input.text, input, how.unread, |found, expected| {
            let message =
                format!("expected the streamed text (length {expected}), found another text (length {found})");
            findings.report(Rule::Arg02, location, None, || (input_path(class).into(), message));
        });
    }
}

/// Compares the annotations of a done part with the annotation events.
pub(super) fn check_annotations(
    event: &Event<'_>,
    part: ValueRef<'_>,
    path: &str,
    slot: &mut PartRecord,
    findings: &mut Findings,
) {
    if slot.annotations.is_empty() {
        return;
    }
    let held: Vec<Digest> =
        part.get("annotations").into_iter().flat_map(|list| list.elements()).map(Digest::of_value).collect();
    for (index, sent) in slot.annotations.iter().enumerate() {
        if held.get(index) != Some(sent) {
            findings.report(Rule::Ann03, event.location(), None, || {
                (
                    format!("{path}/annotations"),
                    format!("expected the streamed annotation {index}, found none or another one"),
                )
            });
        }
    }
}

/// Digests of the members of a done item, to compare with the terminal snapshot. `content` and `summary` are already computed;
/// `known_text` is the digest of the item's input.
pub(super) fn member_digests(
    item: ValueRef<'_>,
    [content, summary]: [Digest; 2],
    known_text: Option<TextDigest>,
) -> Vec<(u64, Digest)> {
    let mut members: Vec<_> = item
        .entries()
        .map(|(key, value)| {
            let key = key.as_str().unwrap_or_default();
            let digest = match &*key {
                // Reused, because log probabilities can be most of an item.
                "content" if value.kind() == ValueKind::Array => content,
                "summary" if value.kind() == ValueKind::Array => summary,
                key => member_digest(key, value, known_text),
            };
            (text_hash(&key), digest)
        })
        .collect();
    members.sort_unstable();
    members
}

/// The digest of one member. For a member that servers encrypt anew each time, only its presence counts.
pub(super) fn member_digest(key: &str, value: ValueRef<'_>, known_text: Option<TextDigest>) -> Digest {
    if is_volatile(key) {
        Digest::of(if value.is_null() { "null" } else { "set" })
    } else {
        Digest::of_value_with(value, stable_options(known_text))
    }
}

/// Members that servers encrypt anew in each object, so that two values cannot be compared.
fn is_volatile(key: &str) -> bool {
    matches!(key, "encrypted_content" | "fingerprint")
}

/// Digest options that leave out volatile members; `known_text` is a text that is probably part of the value.
pub(super) fn stable_options(known_text: Option<TextDigest>) -> ValueOptions<'static> {
    ValueOptions { ignored: &is_volatile, known_text }
}

pub(super) fn compare_text(
    known: &mut StreamedText,
    done_text: TextDigest,
    unread: u64,
    differs: impl FnOnce(u64, u64),
) {
    let found = done_text.text.length;
    match known.compare_whole(done_text, unread) {
        TextComparison::Same => {}
        TextComparison::NoDeltas => differs(found, 0),
        TextComparison::Repeated(expected) | TextComparison::Differs(expected) => differs(found, expected),
    }
}

/// The input of a call item.
pub(super) fn input_of(class: ItemClass, item: ValueRef<'_>) -> Option<ValueRef<'_>> {
    match class {
        ItemClass::FunctionCall | ItemClass::McpCall => item.get("arguments"),
        ItemClass::CustomToolCall => item.get("input"),
        ItemClass::CodeInterpreterCall => item.get("code"),
        ItemClass::ApplyPatchCall => item.pointer("/operation/diff"),
        _ => None,
    }
}

fn input_path(class: ItemClass) -> &'static str {
    match class {
        ItemClass::CustomToolCall => "/item/input",
        ItemClass::CodeInterpreterCall => "/item/code",
        ItemClass::ApplyPatchCall => "/item/operation/diff",
        _ => "/item/arguments",
    }
}

fn missing_message(rule: Rule) -> String {
    match rule {
        Rule::Part04 => "expected a done event for the part's text before the item's done event, found none",
        _ => "expected a done event for the part before the item's done event, found none",
    }
    .into()
}
