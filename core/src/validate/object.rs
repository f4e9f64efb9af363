//! Rules about one object that a schema cannot express: sums, fields by status, indexes inside a text, unique ids.
//!
//! Part of the schema layer. Nothing is allocated for a valid object, except for the ids of an output: paths are formatted for a report.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Arguments;

use super::digest::text_hash;
use super::incomplete_items::{IncompletePolicy, ItemEnding};
use super::records::{ItemClass, PartType};
use super::response_members::ResponseMembers;
use super::rule::Rule;
use super::tool_calls::{Call, Expectations};
use super::validator::status_is;
use crate::contract::Kind;
use crate::json::{ValueKind, ValueRef};

/// Receives a violation: the rule, the JSON pointer, the message.
pub(super) type Report<'t> = dyn FnMut(Rule, String, String) + 't;

/// Checks the object that an event carries; `whole` is the response of an event with a whole response.
pub(super) fn event(root: ValueRef<'_>, kind: Kind, whole: Option<&ResponseMembers<'_>>, report: &mut Report<'_>) {
    if let Some(whole) = whole {
        return response(whole, format_args!("/response"), report);
    }
    match kind {
        Kind::OutputItemAdded => {
            if let Some(view) = root.get("item") {
                new_item(view, format_args!("/item"), report);
                item(view, format_args!("/item"), report);
            }
        }
        Kind::OutputItemDone => {
            if let Some(view) = root.get("item") {
                item(view, format_args!("/item"), report);
            }
        }
        Kind::ContentPartAdded | Kind::ContentPartDone => {
            if let Some(view) = root.get("part") {
                streamed_part(view, format_args!("/part"), report);
                part(view, format_args!("/part"), report);
            }
        }
        Kind::Error => {
            if let Some(view) = root.pointer("/error/type") {
                error_type(view, format_args!("/error/type"), report);
            }
        }
        _ => {}
    }
}

/// Checks a response object. Its tool calls are checked by [`calls`] or, in a stream, with the terminal event.
pub(super) fn response(view: &ResponseMembers<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let ResponseMembers { status, usage, completed_at, error, incomplete_details, output: items, .. } = *view;
    let set = |value: Option<ValueRef<'_>>| value.is_some_and(|value| !value.is_null());
    let status = status.and_then(|status| status.as_str()).unwrap_or_default();
    // The fields about the end that may be set in each status.
    let allowed: &[&str] = match &*status {
        "queued" | "in_progress" => &[],
        "completed" => &["usage", "completed_at"],
        "failed" => &["usage", "error"],
        "incomplete" => &["usage", "incomplete_details"],
        _ => &["usage", "completed_at", "error", "incomplete_details"],
    };
    let about_the_end = [
        ("usage", usage),
        ("completed_at", completed_at),
        ("error", error),
        ("incomplete_details", incomplete_details),
    ];
    for (key, value) in about_the_end {
        if set(value) && !allowed.contains(&key) {
            report(Rule::Life10, format!("{path}/{key}"), "expected null in this status, found a value".into());
        }
    }
    if status == "completed" && completed_at.is_some_and(|value| value.is_null()) {
        report(Rule::Life10, format!("{path}/completed_at"), "expected the time of completion, found null".into());
    }
    if status == "failed" && !set(error) {
        report(Rule::Err07, format!("{path}/error"), "expected code and message of the failure, found none".into());
    }
    if status == "incomplete" && !set(incomplete_details) {
        report(Rule::Inc01, format!("{path}/incomplete_details"), "expected the reason, found none".into());
    }
    if let Some(usage) = usage.filter(|usage| usage.kind() == ValueKind::Object) {
        usage_sums(usage, format_args!("{path}/usage"), report);
    }
    let Some(items) = items else { return };
    output(items, view, &status, format_args!("{path}/output"), report);
    if status != "incomplete" || !view.has_incomplete_reason("max_output_tokens") {
        return;
    }
    if let Some((index, _)) = items.elements().enumerate().last().filter(|(_, last)| status_is(*last, "completed")) {
        let message = "expected `incomplete` for the item that ran out of tokens, found `completed`";
        report(Rule::Inc01, format!("{path}/output/{index}/status"), message.into());
    }
}

/// Checks the tool calls of a whole response against the request fields that it repeats.
pub(super) fn calls(view: &ResponseMembers<'_>, report: &mut Report<'_>) {
    let mut expected = Expectations::default();
    expected.note_response(view);
    if let Some(items) = view.output {
        let (calls, foreign) = Call::all(items, "/output");
        expected.check(&calls, view.has_status("completed") && !foreign, "/output", report);
    }
}

/// Checks the body of an HTTP error response.
pub(super) fn error_body(view: ValueRef<'_>, report: &mut Report<'_>) {
    let Some(error) = view.get("error").filter(|error| error.kind() == ValueKind::Object) else {
        return report(Rule::Err01, "/error".into(), "expected an object, found none".into());
    };
    for (key, nullable) in [("message", false), ("type", false), ("param", true), ("code", true)] {
        let fits = |value: ValueRef<'_>| value.kind() == ValueKind::String || (nullable && value.is_null());
        if !error.get(key).is_some_and(fits) {
            let expected = if nullable { "a string or null" } else { "a string" };
            report(Rule::Err01, format!("/error/{key}"), format!("expected {expected}, found none"));
        }
    }
    if let Some(kind) = error.get("type") {
        error_type(kind, format_args!("/error/type"), report);
    }
}

/// Checks that an HTTP status fits the error type (HTTP-09). Unknown types fit every status.
pub(super) fn error_status(status: u64, kind: &str, report: &mut Report<'_>) {
    let usual = match kind.strip_suffix("_error").unwrap_or(kind) {
        "server" | "model" => 500..=599,
        // Servers use this type for 401, 403, 413 and 422 too.
        "invalid_request" => 400..=499,
        "not_found" => 404..=404,
        "too_many_requests" | "rate_limit" => 429..=429,
        _ => return,
    };
    if !usual.contains(&status) {
        let (low, high) = (*usual.start(), *usual.end());
        let expected = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let message = format!("expected status {expected} for this error type, found {status}");
        report(Rule::Http09, "/status".into(), message);
    }
}

/// Checks the response to a compaction request.
pub(super) fn compaction(view: ValueRef<'_>, report: &mut Report<'_>) {
    let encrypted = |item: ValueRef<'_>| {
        item.get("type").is_some_and(|kind| kind.is_str("compaction"))
            && item.get("encrypted_content").is_some_and(|encrypted| encrypted.kind() == ValueKind::String)
    };
    if !view.get("output").is_some_and(|items| items.elements().any(encrypted)) {
        report(Rule::Cmp03, "/output".into(), "expected a compaction item with encrypted content, found none".into());
    }
}

/// Checks an item of an output.
pub(super) fn item(view: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    parts(view.get("content"), path, report);
}

/// Checks the content of the item at a path.
fn parts(content: Option<ValueRef<'_>>, path: Arguments<'_>, report: &mut Report<'_>) {
    for (index, content) in content.into_iter().flat_map(|content| content.elements()).enumerate() {
        part(content, format_args!("{path}/content/{index}"), report);
    }
}

fn output(
    items: ValueRef<'_>,
    response: &ResponseMembers<'_>,
    status: &str,
    path: Arguments<'_>,
    report: &mut Report<'_>,
) {
    let mut ids = BTreeSet::new();
    // Few outputs have an incomplete item.
    let policy = || IncompletePolicy::of(response, items.elements().last().map(ItemEnding::of));
    let count = items.elements().count();
    for (index, view) in items.elements().enumerate() {
        let [id, item_status, content] = view.members(["id", "status", "content"]);
        if let Some(id) = id.and_then(|id| id.as_str()).filter(|id| !id.is_empty()) {
            if !ids.insert(text_hash(&id)) {
                let message = "expected a unique id, found the id of another item";
                report(Rule::Item02, format!("{path}/{index}/id"), message.into());
            }
        }
        if item_status.is_some_and(|status| status.is_str("incomplete")) {
            if index + 1 < count && policy().must_be_last(ItemEnding::of(view)) {
                let message = "expected an incomplete item at the end, found items after it";
                report(Rule::Item08, format!("{path}/{index}/status"), message.into());
            }
            if status == "completed" {
                let message = "expected no incomplete item in a completed response, found one";
                report(Rule::Item09, format!("{path}/{index}/status"), message.into());
            }
        }
        parts(content, format_args!("{path}/{index}"), report);
    }
}

/// Checks an added item: a message needs its role, a function call its name.
fn new_item(view: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let key = match ItemClass::of(&view.get("type").and_then(|kind| kind.as_str()).unwrap_or_default()) {
        ItemClass::Message => "role",
        ItemClass::FunctionCall => "name",
        _ => return,
    };
    if view.get(key).is_some_and(|value| value.is_str("")) {
        report(Rule::Item04, format!("{path}/{key}"), "expected a value, found an empty string".into());
    }
}

/// Checks the type of a streamed part: one of four types, although the schema allows input parts too.
fn streamed_part(view: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let Some(kind) = view.get("type").and_then(|kind| kind.as_str()) else { return };
    if PartType::of(&kind) == PartType::Other && !kind.contains(':') {
        let message = "expected output_text, refusal, reasoning_text or summary_text, found another type";
        report(Rule::Part12, format!("{path}/type"), message.into());
    }
}

fn part(view: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let [kind, text, refusal, annotations] = view.members(["type", "text", "refusal", "annotations"]);
    let kind = PartType::of(&kind.and_then(|kind| kind.as_str()).unwrap_or_default());
    if kind == PartType::Refusal && refusal.is_none() && text.is_some() {
        report(Rule::Ref01, format!("{path}/text"), "expected the refusal in `refusal`, found it in `text`".into());
    }
    let Some(annotations) = annotations.filter(|list| list.elements().next().is_some()) else { return };
    // The specification does not define the unit of an index; no unit counts more than bytes.
    let Some(length) = text.and_then(|text| text.as_str()).map(|text| text.len() as i64) else { return };
    for (index, annotation) in annotations.elements().enumerate() {
        let at = |key: &str| annotation.get(key).and_then(|value| value.as_i64());
        let (Some(start), Some(end)) = (at("start_index"), at("end_index")) else { continue };
        if start < 0 || start > end || end > length {
            report(Rule::Ann05, format!("{path}/annotations/{index}"), {
                format!("expected 0 <= start <= end <= {length}, found {start} to {end}")
            });
        }
    }
}

fn usage_sums(usage: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let [input, output, total, input_details, output_details] = usage.members([
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "input_tokens_details",
        "output_tokens_details",
    ]);
    let count = |value: Option<ValueRef<'_>>| value.and_then(|value| value.as_u64());
    let (input, output) = (count(input), count(output));
    if let (Some(input), Some(output), Some(total)) = (input, output, count(total)) {
        if input.checked_add(output) != Some(total) {
            report(Rule::Obj07, format!("{path}/total_tokens"), {
                format!("expected {input} + {output}, found {total}")
            });
        }
    }
    let details = [
        (input_details, "input_tokens_details", "cached_tokens", input),
        (output_details, "output_tokens_details", "reasoning_tokens", output),
    ];
    for (details, key, part_key, whole) in details {
        let part = count(details.and_then(|details| details.get(part_key)));
        if let (Some(part), Some(whole)) = (part, whole) {
            if part > whole {
                report(
                    Rule::Obj07,
                    format!("{path}/{key}/{part_key}"),
                    format!("expected at most {whole}, found {part}"),
                );
            }
        }
    }
}

fn error_type(view: ValueRef<'_>, path: Arguments<'_>, report: &mut Report<'_>) {
    let Some(kind) = view.as_str() else { return };
    let known = ["server", "invalid_request", "not_found", "model", "too_many_requests"];
    // `server_error` and `model_error` are in the table of the specification, `invalid_request_error` in its example.
    let fits = match kind.strip_suffix("_error") {
        Some(base) => known.contains(&base),
        None => known[1..].contains(&&*kind) && kind != "model",
    };
    if !fits {
        report(Rule::Err03, path.to_string(), "expected one of the five error types, found another one".into());
    }
}
