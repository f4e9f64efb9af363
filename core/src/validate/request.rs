//! Rules about a request that a schema cannot express: calls and their outputs, ids, WebSocket messages.

use alloc::collections::BTreeSet;
use alloc::format;

use super::digest::text_hash;
use super::object::Report;
use super::rule::Rule;
use crate::json::{ValueKind, ValueRef};

/// Checks the body of a request.
pub(super) fn body(view: ValueRef<'_>, report: &mut Report<'_>) {
    metadata(view, report);
    let Some(input) = view.get("input").filter(|input| input.kind() == ValueKind::Array) else { return };
    let text =
        |item: ValueRef<'_>, key: &str| item.get(key).and_then(|value| value.as_str()).map(|text| text_hash(&text));
    let is = |item: ValueRef<'_>, kind: &str| item.get("type").is_some_and(|value| value.is_str(kind));
    let (mut ids, mut calls, mut call_items) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut approvals = BTreeSet::new();
    let mut references = false;
    for (index, item) in input.elements().enumerate() {
        let kind = item.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        let reference = kind == "item_reference" || (kind.is_empty() && item.get("role").is_none());
        references |= reference;
        let id = text(item, "id");
        if id.is_some_and(|id| !reference && !ids.insert(id)) {
            let message = "expected a unique id, found the id of another item";
            report(Rule::Item02, format!("/input/{index}/id"), message.into());
        }
        if kind == "mcp_approval_request" {
            approvals.extend(id);
        }
        if kind.ends_with("_call") {
            calls.extend(text(item, "call_id"));
            call_items.extend(id);
        }
    }
    let chained = ["previous_response_id", "conversation"]
        .into_iter()
        .any(|key| view.get(key).is_some_and(|value| !value.is_null()));
    let is_output = |item: ValueRef<'_>| {
        let kind = item.get("type").and_then(|kind| kind.as_str());
        kind.is_some_and(|kind| kind.ends_with("_output") && !kind.contains(':'))
    };
    for (index, item) in input.elements().enumerate() {
        let approval =
            text(item, "approval_request_id").filter(|id| is(item, "mcp_approval_response") && !approvals.contains(id));
        if approval.is_some() && !chained && !references {
            let message = "expected the `id` of an approval request in this input, found another value";
            report(Rule::Tool14, format!("/input/{index}/approval_request_id"), message.into());
        }
        if !is_output(item) {
            continue;
        }
        let Some(call) = text(item, "call_id").filter(|call| !calls.contains(call)) else { continue };
        let path = format!("/input/{index}/call_id");
        if call_items.contains(&call) {
            report(Rule::Arg05, path, "expected the `call_id` of the call, found its `id`".into());
        } else if !chained && !references {
            report(Rule::Tool14, path, "expected the `call_id` of a call in this input, found another value".into());
        }
    }
}

/// Checks a `response.create` message of a WebSocket: the rules of a request and one more.
pub(super) fn socket(view: ValueRef<'_>, report: &mut Report<'_>) {
    body(view, report);
    let compacted = |item: ValueRef<'_>| item.get("type").is_some_and(|kind| kind.is_str("compaction"));
    let chained = view.get("previous_response_id").is_some_and(|id| !id.is_null());
    if chained && view.get("input").is_some_and(|input| input.elements().any(compacted)) {
        let message = "expected no `previous_response_id` with a compaction in the input, found one";
        report(Rule::Cmp05, "/previous_response_id".into(), message.into());
    }
}

/// Checks the length of metadata keys, which only the text of the specification limits.
fn metadata(view: ValueRef<'_>, report: &mut Report<'_>) {
    for (key, _) in view.get("metadata").into_iter().flat_map(|metadata| metadata.entries()) {
        let length = key.as_str().map_or(0, |key| key.chars().count());
        if length > 64 {
            report(
                Rule::Obj08,
                "/metadata".into(),
                format!("expected keys of at most 64 characters, found one of {length} characters"),
            );
        }
    }
}
