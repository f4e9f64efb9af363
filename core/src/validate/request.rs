//! Rules about a request that no schema can say: calls and their outputs, ids, and what goes over a socket.

use alloc::collections::BTreeSet;
use alloc::format;

use super::digest::text_hash;
use super::object::Tell;
use super::rule::Rule;
use crate::json::{Tag, View};

/// Checks the body of a request.
pub(super) fn body(view: View<'_>, tell: &mut Tell<'_>) {
    metadata(view, tell);
    let Some(input) = view.get("input").filter(|input| input.tag() == Tag::Array) else { return };
    let text = |item: View<'_>, key: &str| item.get(key).and_then(|value| value.as_str()).map(|text| text_hash(&text));
    let is = |item: View<'_>, kind: &str| item.get("type").is_some_and(|value| value.is_str(kind));
    let (mut ids, mut calls, mut call_items) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut references = false;
    for (index, item) in input.elements().enumerate() {
        let kind = item.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        let reference = kind == "item_reference" || (kind.is_empty() && item.get("role").is_none());
        references |= reference;
        let id = text(item, "id");
        if id.is_some_and(|id| !reference && !ids.insert(id)) {
            let message = "expected an id of its own, found that of another item";
            tell(Rule::Item02, format!("/input/{index}/id"), message.into());
        }
        if kind.ends_with("_call") {
            calls.extend(text(item, "call_id"));
            call_items.extend(id);
        }
    }
    let chained = ["previous_response_id", "conversation"]
        .into_iter()
        .any(|key| view.get(key).is_some_and(|value| !value.is_null()));
    for (index, item) in input.elements().enumerate().filter(|(_, item)| is(*item, "function_call_output")) {
        let Some(call) = text(item, "call_id").filter(|call| !calls.contains(call)) else { continue };
        let path = format!("/input/{index}/call_id");
        if call_items.contains(&call) {
            tell(Rule::Arg05, path, "expected the `call_id` of the call, found its `id`".into());
        } else if !chained && !references {
            tell(Rule::Tool14, path, "expected the `call_id` of a call in this input, found another one".into());
        }
    }
}

/// Checks a `response.create` message of a socket: a request, and more.
pub(super) fn socket(view: View<'_>, tell: &mut Tell<'_>) {
    body(view, tell);
    let compacted = |item: View<'_>| item.get("type").is_some_and(|kind| kind.is_str("compaction"));
    let chained = view.get("previous_response_id").is_some_and(|id| !id.is_null());
    if chained && view.get("input").is_some_and(|input| input.elements().any(compacted)) {
        let message = "expected a new chain behind a compaction, found the id of an earlier response";
        tell(Rule::Cmp05, "/previous_response_id".into(), message.into());
    }
}

/// The length of keys is limited in prose only.
fn metadata(view: View<'_>, tell: &mut Tell<'_>) {
    for (key, _) in view.get("metadata").into_iter().flat_map(|metadata| metadata.entries()) {
        let length = key.as_str().map_or(0, |key| key.chars().count());
        if length > 64 {
            tell(
                Rule::Obj08,
                "/metadata".into(),
                format!("expected keys of at most 64 characters, found one of {length}"),
            );
        }
    }
}
