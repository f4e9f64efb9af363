//! Rules about one object that no schema can say: sums, states that fit, indexes inside a text, ids that are unique.
//!
//! Belongs to the schema layer. Nothing is allocated while an object is right, except for the ids of an output.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

use super::cuts::{Cuts, Ending};
use super::digest::text_hash;
use super::rule::Rule;
use super::slots::{Class, PartKind};
use super::tools::{Call, Expected};
use super::validator::status_is;
use crate::contract::Kind;
use crate::json::{Tag, View};

/// Takes a breach: the rule, the JSON pointer, the message.
pub(super) type Tell<'t> = dyn FnMut(Rule, String, String) + 't;

/// Checks what an event carries.
pub(super) fn event(root: View<'_>, kind: Kind, tell: &mut Tell<'_>) {
    match kind {
        Kind::OutputItemAdded => {
            if let Some(view) = root.get("item") {
                new_item(view, "/item", tell);
                item(view, "/item", tell);
            }
        }
        Kind::OutputItemDone => {
            if let Some(view) = root.get("item") {
                item(view, "/item", tell);
            }
        }
        Kind::ContentPartAdded | Kind::ContentPartDone => {
            if let Some(view) = root.get("part") {
                streamed_part(view, "/part", tell);
                part(view, "/part", tell);
            }
        }
        Kind::Error => {
            if let Some(view) = root.pointer("/error/type") {
                error_type(view, "/error/type", tell);
            }
        }
        _ if kind.is_response_state() => {
            if let Some(view) = root.get("response") {
                response(view, "/response", tell);
            }
        }
        _ => {}
    }
}

/// Checks a response object. Its tool calls are judged by [`calls`] or, in a stream, with the terminal event.
pub(super) fn response(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let [status, usage, completed_at, error, incomplete_details, items] =
        view.members(["status", "usage", "completed_at", "error", "incomplete_details", "output"]);
    let set = |value: Option<View<'_>>| value.is_some_and(|value| !value.is_null());
    let status = status.and_then(|status| status.as_str()).unwrap_or_default();
    // Which of the fields that tell about the end may be set in which state.
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
            tell(Rule::Life10, format!("{path}/{key}"), "expected null in this state, found a value".into());
        }
    }
    if status == "completed" && completed_at.is_some_and(|value| value.is_null()) {
        tell(Rule::Life10, format!("{path}/completed_at"), "expected the time of completion, found null".into());
    }
    if status == "failed" && !set(error) {
        tell(Rule::Err07, format!("{path}/error"), "expected code and message of the failure, found none".into());
    }
    if status == "incomplete" && !set(incomplete_details) {
        tell(Rule::Inc01, format!("{path}/incomplete_details"), "expected the reason, found none".into());
    }
    if let Some(usage) = usage.filter(|usage| usage.tag() == Tag::Object) {
        usage_sums(usage, &format!("{path}/usage"), tell);
    }
    let Some(items) = items else { return };
    output(items, view, &status, &format!("{path}/output"), tell);
    let reason = incomplete_details.and_then(|details| details.get("reason"));
    let budget = reason.is_some_and(|reason| reason.is_str("max_output_tokens"));
    let last = items.elements().enumerate().last();
    if let Some((index, _)) = last.filter(|(_, last)| budget && status == "incomplete" && status_is(*last, "completed"))
    {
        let message = "expected incomplete for the item that ran out of tokens, found completed";
        tell(Rule::Inc01, format!("{path}/output/{index}/status"), message.into());
    }
}

/// Checks the tool calls of a whole response against its own echo of the request.
pub(super) fn calls(view: View<'_>, tell: &mut Tell<'_>) {
    let mut expected = Expected::default();
    expected.note_response(view);
    if let Some(items) = view.get("output") {
        let (calls, foreign) = Call::all(items, "/output");
        expected.check(&calls, status_is(view, "completed") && !foreign, "/output", tell);
    }
}

/// Checks an error body, as it comes with an HTTP error status.
pub(super) fn error_body(view: View<'_>, tell: &mut Tell<'_>) {
    let Some(error) = view.get("error").filter(|error| error.tag() == Tag::Object) else {
        return tell(Rule::Err01, "/error".into(), "expected an object, found none".into());
    };
    for (key, nullable) in [("message", false), ("type", false), ("param", true), ("code", true)] {
        let fits = |value: View<'_>| value.tag() == Tag::String || (nullable && value.is_null());
        if !error.get(key).is_some_and(fits) {
            let expected = if nullable { "a string or null" } else { "a string" };
            tell(Rule::Err01, format!("/error/{key}"), format!("expected {expected}, found none"));
        }
    }
    if let Some(kind) = error.get("type") {
        error_type(kind, "/error/type", tell);
    }
}

/// Compares an HTTP status with the type of the error it came with (HTTP-09). Types that are not known fit any status.
pub(super) fn error_status(status: u64, kind: &str, tell: &mut Tell<'_>) {
    let usual = match kind.strip_suffix("_error").unwrap_or(kind) {
        "server" | "model" => 500..=599,
        // Refusals of all sorts go by this name: 401, 403, 413, 422.
        "invalid_request" => 400..=499,
        "not_found" => 404..=404,
        "too_many_requests" | "rate_limit" => 429..=429,
        _ => return,
    };
    if !usual.contains(&status) {
        let (low, high) = (*usual.start(), *usual.end());
        let expected = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let message = format!("expected status {expected} for this type of error, found {status}");
        tell(Rule::Http09, "/status".into(), message);
    }
}

/// Checks the answer to a compaction request.
pub(super) fn compaction(view: View<'_>, tell: &mut Tell<'_>) {
    let sealed = |item: View<'_>| {
        item.get("type").is_some_and(|kind| kind.is_str("compaction"))
            && item.get("encrypted_content").is_some_and(|sealed| sealed.tag() == Tag::String)
    };
    if !view.get("output").is_some_and(|items| items.elements().any(sealed)) {
        tell(Rule::Cmp03, "/output".into(), "expected a compaction item with encrypted content, found none".into());
    }
}

/// Checks an item of an output.
pub(super) fn item(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    for (index, content) in view.get("content").into_iter().flat_map(|content| content.elements()).enumerate() {
        part(content, &format!("{path}/content/{index}"), tell);
    }
}

fn output(items: View<'_>, response: View<'_>, status: &str, path: &str, tell: &mut Tell<'_>) {
    let mut ids = BTreeSet::new();
    let cuts = Cuts::of(response, items.elements().last().map(Ending::of));
    let count = items.elements().count();
    for (index, view) in items.elements().enumerate() {
        let path = format!("{path}/{index}");
        if let Some(id) = view.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty()) {
            if !ids.insert(text_hash(&id)) {
                tell(
                    Rule::Item02,
                    format!("{path}/id"),
                    "expected an id of its own, found that of another item".into(),
                );
            }
        }
        if status_is(view, "incomplete") {
            if index + 1 < count && cuts.misplaced(Ending::of(view)) {
                let message = "expected the last item, found an incomplete one with others behind it";
                tell(Rule::Item08, format!("{path}/status"), message.into());
            }
            if status == "completed" {
                let message = "expected no incomplete item in a completed response, found one";
                tell(Rule::Item09, format!("{path}/status"), message.into());
            }
        }
        item(view, &path, tell);
    }
}

/// An item that begins: a message says who speaks, a call what it calls.
fn new_item(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let key = match Class::of(&view.get("type").and_then(|kind| kind.as_str()).unwrap_or_default()) {
        Class::Message => "role",
        Class::FunctionCall => "name",
        _ => return,
    };
    if view.get(key).is_some_and(|value| value.is_str("")) {
        tell(
            Rule::Item04,
            format!("{path}/{key}"),
            "expected a value from the beginning, found an empty string".into(),
        );
    }
}

/// A part that a model streams is one of four; the schema admits input parts too.
fn streamed_part(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let Some(kind) = view.get("type").and_then(|kind| kind.as_str()) else { return };
    if PartKind::of(&kind) == PartKind::Other && !kind.contains(':') {
        let message = "expected output_text, refusal, reasoning_text or summary_text, found another type";
        tell(Rule::Part12, format!("{path}/type"), message.into());
    }
}

fn part(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let kind = PartKind::of(&view.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
    if kind == PartKind::Refusal && view.get("refusal").is_none() && view.get("text").is_some() {
        tell(Rule::Ref01, format!("{path}/text"), "expected the refusal in `refusal`, found it in `text`".into());
    }
    let Some(annotations) = view.get("annotations").filter(|list| list.elements().next().is_some()) else { return };
    // Nobody says what an index counts; bytes are the most that it can be.
    let Some(length) = view.get("text").and_then(|text| text.as_str()).map(|text| text.len() as i64) else { return };
    for (index, annotation) in annotations.elements().enumerate() {
        let at = |key: &str| annotation.get(key).and_then(|value| value.as_i64());
        let (Some(start), Some(end)) = (at("start_index"), at("end_index")) else { continue };
        if start < 0 || start > end || end > length {
            tell(Rule::Ann05, format!("{path}/annotations/{index}"), {
                format!("expected 0 <= start <= end <= {length}, found {start} to {end}")
            });
        }
    }
}

fn usage_sums(usage: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let count = |pointer: &str| usage.pointer(pointer).and_then(|value| value.as_u64());
    let (input, output) = (count("/input_tokens"), count("/output_tokens"));
    if let (Some(input), Some(output), Some(total)) = (input, output, count("/total_tokens")) {
        if input.checked_add(output) != Some(total) {
            tell(Rule::Obj07, format!("{path}/total_tokens"), {
                format!("expected {input} + {output}, found {total}")
            });
        }
    }
    let details = [("/input_tokens_details/cached_tokens", input), ("/output_tokens_details/reasoning_tokens", output)];
    for (pointer, whole) in details {
        if let (Some(part), Some(whole)) = (count(pointer), whole) {
            if part > whole {
                tell(Rule::Obj07, format!("{path}{pointer}"), format!("expected at most {whole}, found {part}"));
            }
        }
    }
}

fn error_type(view: View<'_>, path: &str, tell: &mut Tell<'_>) {
    let Some(kind) = view.as_str() else { return };
    let known = ["server", "invalid_request", "not_found", "model", "too_many_requests"];
    // `server_error` and `model_error` are the table's words, `invalid_request_error` is the example's.
    let fits = match kind.strip_suffix("_error") {
        Some(base) => known.contains(&base),
        None => known[1..].contains(&&*kind) && kind != "model",
    };
    if !fits {
        tell(Rule::Err03, path.into(), "expected one of the five types of errors, found another one".into());
    }
}
