//! [`History`]: builds the input of the next turn from the answers.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::body::CreateResponse;
use super::parts::InputItem;
use super::policy::{Chain, Inclusion, Policy, ReasoningPolicy};
use crate::contract::{Edition, SchemaId};
use crate::error::{Code, Error};
use crate::finding::Severity;
use crate::json::{Object, Value};
use crate::named::display_name;
use crate::options::{invalid_option, parse, OptionReader};
use crate::validate::validate_input_item;

/// A conversation that becomes the next request.
///
/// It starts with a request and takes answers and new items in order; [`request`](Self::request) returns
/// the next request. The order is kept, nothing is invented, and every omission is reported by a [`HistoryFinding`].
///
/// ```
/// use deltafold::json::Value;
/// use deltafold::request::{CreateResponse, History, InputItem, Policy};
///
/// let first = CreateResponse::new().with_model("m-1").with_input("Hi");
/// let answer = Value::parse(r#"{"object":"response","id":"resp_1","status":"completed","output":[
///     {"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[
///         {"type":"output_text","text":"Hello","annotations":[]}]}]}"#, 64).unwrap();
///
/// let mut history = History::new(Policy::builtin("stateless")?, &first);
/// history.add_response(&answer)?;
/// history.add_item(InputItem::user_message("How are you?"));
/// let next = history.request();
/// assert_eq!(next.input_items().len(), 3);
/// assert_eq!((next.model(), next.store()), (Some("m-1"), Some(false)));
///
/// let mut history = History::new(Policy::builtin("stateful")?, &first);
/// history.add_response(&answer)?;
/// history.add_item(InputItem::user_message("How are you?"));
/// let next = history.request();
/// assert_eq!((next.previous_response_id(), next.input_items().len()), (Some("resp_1"), 1));
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct History {
    policy: Policy,
    /// The fields that are equal in every turn.
    base: CreateResponse,
    items: Vec<Value>,
    previous: Option<String>,
    /// The number of answers.
    answers: usize,
    /// Calls that were left out, by type and id: their outputs are left out too.
    dropped_calls: BTreeSet<(String, String)>,
    findings: Vec<HistoryFinding>,
}

/// Data of an answer that the next request does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryFinding {
    /// What happened.
    pub code: HistoryCode,
    /// The index of the answer, from 0.
    pub response: usize,
    /// JSON pointer into that answer.
    pub path: String,
    /// The type of the item.
    pub item_type: String,
}

macro_rules! codes {
    ($($variant:ident, $name:literal, $doc:literal;)*) => {
        /// The cause of a [`HistoryFinding`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum HistoryCode { $(#[doc = $doc] $variant,)* }

        impl HistoryCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in a report.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// One sentence that explains the code.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

codes! {
    ItemDropped, "item_dropped", "The policy does not send items of this type.";
    ItemInvalid, "item_invalid", "The item is not valid as input in the edition of the policy.";
    UnfinishedDropped, "unfinished_dropped", "The item was incomplete when the response ended, or is a truncated call.";
    ReasoningDropped, "reasoning_dropped", "Reasoning that the server cannot read again, or that the policy leaves out.";
    PairDropped, "pair_dropped", "The item requires another item that is not sent.";
    FieldDropped, "field_dropped", "A field that requests do not have, or that the policy leaves out.";
    IdDropped, "id_dropped", "The id of an item that is sent without it.";
    ReferenceSent, "reference_sent", "The item is sent as a reference to what the server has stored.";
    NameReplaced, "name_replaced", "The name of a tool is sent with `_` for characters that names of tools cannot have.";
    NotStored, "not_stored", "The response was not stored, so only a server that still has it in memory can continue from it.";
}

impl HistoryFinding {
    /// The finding in the form of bindings and reports: `{"code", "response", "path", "item_type", "message"}`.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(5);
        object.push("code", self.code.name());
        object.push("response", self.response as u64);
        object.push("path", self.path.as_str());
        object.push("item_type", self.item_type.as_str());
        object.push("message", self.code.sentence());
        Value::Object(object)
    }
}

/// An item of an answer while it is prepared for a request.
struct PreparedItem {
    kind: String,
    /// `None` if it is left out.
    item: Option<Object>,
    at: usize,
}

impl History {
    /// Starts a conversation with its first request.
    pub fn new(policy: Policy, request: &CreateResponse) -> Self {
        Self {
            items: request.input_items(),
            previous: request.previous_response_id().map(ToString::to_string),
            base: request.clone().without("input").without("previous_response_id"),
            policy,
            answers: 0,
            dropped_calls: BTreeSet::new(),
            findings: Vec::new(),
        }
    }

    /// Adds an answer: a response, or the result of a compaction, which replaces everything before it.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] if it is neither, or if the policy is stateful and the response has no id.
    pub fn add_response(&mut self, response: &Value) -> Result<(), Error> {
        let output = response.get("output").and_then(Value::as_array);
        let output = output.ok_or_else(|| Error::new(Code::BadArgument, 0, "expected a response with an output"))?;
        let compaction = response.str_at("object") == Some("response.compaction");
        if compaction {
            // The result is the whole context: it is sent unchanged, and there is no id to continue from (CMP-04, CMP-06).
            self.items = output.to_vec();
            self.previous = None;
        } else if self.policy.chain == Chain::Stateful {
            let id = response.str_at("id").filter(|id| !id.is_empty());
            let id = id.ok_or_else(|| Error::new(Code::BadArgument, 0, "expected a response with an id"))?;
            if response.get("store").and_then(Value::as_bool) == Some(false) {
                self.report(HistoryCode::NotStored, "/store", "");
            }
            self.previous = Some(id.to_string());
            self.items.clear();
        } else {
            let items = self.replay(output);
            self.items.extend(items);
        }
        self.answers += 1;
        Ok(())
    }

    /// Adds an item of the next turn. The output of a call that was left out is left out too, because servers reject an output without
    /// its call.
    pub fn add_item(&mut self, item: impl Into<Value>) {
        let item = item.into();
        let is_dropped = |call: (String, String)| self.dropped_calls.contains(&call);
        if answered_call(&item).is_some_and(is_dropped) {
            let kind = item.str_at("type").unwrap_or_default().to_string();
            return self.report(HistoryCode::PairDropped, "", &kind);
        }
        self.items.push(item);
    }

    /// The next request: the fields of the first one, and the input according to the policy.
    pub fn request(&self) -> CreateResponse {
        let mut request = self.base.clone().with("input", self.items.clone());
        if let Some(id) = &self.previous {
            return request.with("previous_response_id", id.as_str());
        }
        if self.policy.chain == Chain::Stateless && self.answers > 0 {
            request = request.with("store", false);
            if self.policy.reasoning == ReasoningPolicy::Encrypted {
                request = with_include(request, "reasoning.encrypted_content");
            }
        }
        request
    }

    /// The items of the next input.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// The omissions, in order.
    pub fn findings(&self) -> &[HistoryFinding] {
        &self.findings
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Prepares the items of an output.
    fn replay(&mut self, output: &[Value]) -> Vec<Value> {
        let mut all: Vec<PreparedItem> = Vec::with_capacity(output.len());
        for (at, value) in output.iter().enumerate() {
            let kind = value.str_at("type").unwrap_or_default().to_string();
            let refused = self.refusal(&kind, value);
            let item = match (refused, value.as_object()) {
                (None, Some(item)) => self.shape(&kind, item, at),
                (code, _) => {
                    self.report(code.unwrap_or(HistoryCode::ItemInvalid), &format!("/output/{at}"), &kind);
                    None
                }
            };
            all.push(PreparedItem { kind, item, at });
        }
        self.keep_pairs(&mut all);
        self.drop_outputs(output, &mut all);
        all.into_iter().filter_map(|sent| sent.item.map(Value::Object)).collect()
    }

    /// The reason why an item is not sent.
    fn refusal(&self, kind: &str, item: &Value) -> Option<HistoryCode> {
        let policy = &self.policy;
        let status = item.str_at("status").unwrap_or("completed");
        if status == "in_progress" || (kind.ends_with("_call") && status == "incomplete") {
            return Some(HistoryCode::UnfinishedDropped);
        }
        if policy.drop_items.iter().any(|dropped| dropped == kind)
            || (kind.contains(':') && policy.extensions == Inclusion::Drop)
        {
            return Some(HistoryCode::ItemDropped);
        }
        let sealed = item.str_at("encrypted_content").is_some_and(|sealed| !sealed.is_empty());
        let unreadable = match policy.reasoning {
            ReasoningPolicy::Keep => false,
            ReasoningPolicy::Encrypted => !sealed,
            ReasoningPolicy::Drop => true,
        };
        (kind == "reasoning" && unreadable).then_some(HistoryCode::ReasoningDropped)
    }

    /// Prepares the form of an item that is sent.
    fn shape(&mut self, kind: &str, item: &Object, at: usize) -> Option<Object> {
        let id = item.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        if let Some(id) = id.filter(|_| self.policy.reference_items.iter().any(|known| known == kind)) {
            self.report(HistoryCode::ReferenceSent, &format!("/output/{at}"), kind);
            return Some(InputItem::item_reference(id).as_object().clone());
        }
        let mut sent = Object::with_capacity(item.len());
        for (field, value) in item.iter() {
            let path = || format!("/output/{at}/{field}");
            // An empty id is not an id of the server.
            if field == "id" && id.is_none() {
                continue;
            }
            if field.starts_with("deltafold:") || self.policy.drops_field(kind, field) {
                if !value.is_null() {
                    self.report(HistoryCode::FieldDropped, &path(), kind);
                }
            } else {
                sent.push(field, value.clone());
            }
        }
        self.make_name_legal(&mut sent, kind, at);
        if let Some(id) = id.filter(|_| self.policy.ids == Inclusion::Drop) {
            sent.remove("id");
            if kind.contains(':') || is_valid(&sent, &self.policy) {
                self.report(HistoryCode::IdDropped, &format!("/output/{at}/id"), kind);
            } else {
                // Some types are meaningless without their id.
                sent.push("id", id);
            }
        }
        // Only its server can check an extension.
        if !kind.contains(':') && !is_valid(&sent, &self.policy) {
            if let Some(plain) = self.text_only(&sent, kind, at) {
                return Some(plain);
            }
            self.report(HistoryCode::ItemInvalid, &format!("/output/{at}"), kind);
            return None;
        }
        Some(sent)
    }

    /// Removes annotations and log probabilities of a message, if it is valid then: text is worth more than a citation.
    fn text_only(&mut self, item: &Object, kind: &str, at: usize) -> Option<Object> {
        let mut plain = item.clone();
        let mut dropped = Vec::new();
        for (index, part) in plain.get_mut("content")?.as_array_mut()?.iter_mut().enumerate() {
            let part = part.as_object_mut()?;
            for field in ["annotations", "logprobs"] {
                if part.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
                    part.insert(field, Value::Array(Vec::new()));
                    dropped.push(format!("/output/{at}/content/{index}/{field}"));
                }
            }
        }
        if !is_valid(&plain, &self.policy) {
            return None;
        }
        for path in dropped {
            self.report(HistoryCode::FieldDropped, &path, kind);
        }
        Some(plain)
    }

    /// Gives a call a name that every server accepts: only letters, digits, `_` and `-`.
    fn make_name_legal(&mut self, item: &mut Object, kind: &str, at: usize) {
        let is_legal = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let Some(name) = item.get("name").and_then(Value::as_str) else { return };
        if !matches!(kind, "function_call" | "custom_tool_call") || name.chars().all(is_legal) {
            return;
        }
        let legal: String = name.chars().map(|char| if is_legal(char) { char } else { '_' }).collect();
        item.insert("name", legal);
        self.report(HistoryCode::NameReplaced, &format!("/output/{at}/name"), kind);
    }

    /// Leaves out the outputs of omitted calls, and remembers these calls.
    fn drop_outputs(&mut self, output: &[Value], all: &mut [PreparedItem]) {
        for sent in all {
            let Some(value) = output.get(sent.at) else { continue };
            if sent.item.is_none() {
                if let Some(id) = value.str_at("call_id").filter(|_| sent.kind.ends_with("_call")) {
                    self.dropped_calls.insert((sent.kind.clone(), id.to_string()));
                }
            } else if answered_call(value).is_some_and(|call| self.dropped_calls.contains(&call)) {
                sent.item = None;
                self.report(HistoryCode::PairDropped, &format!("/output/{}", sent.at), &sent.kind);
            }
        }
    }

    /// The request without its input: the fields of every turn.
    pub(super) fn base(&self) -> &CreateResponse {
        &self.base
    }

    /// Keeps or drops paired items together.
    fn keep_pairs(&mut self, all: &mut [PreparedItem]) {
        // From the back: an item whose follower is not sent is dropped, and so is its own lead.
        for at in (0..all.len()).rev() {
            if !self.policy.is_lead(&all[at].kind) || all[at].item.is_none() {
                continue;
            }
            let follower = all[at + 1..].iter().find(|next| next.item.is_some() || !self.policy.is_lead(&next.kind));
            // At the end of an output no follower was dropped.
            let lost =
                follower.is_some_and(|next| next.item.is_none() && self.policy.is_pair(&all[at].kind, &next.kind));
            if lost {
                let (path, kind) = (format!("/output/{}", all[at].at), all[at].kind.clone());
                self.report(HistoryCode::PairDropped, &path, &kind);
                all[at].item = None;
            }
        }
        // From the front: an item whose lead is not sent must lose its id. Parallel calls share a lead.
        let mut lost: Option<String> = None;
        for sent in all.iter_mut() {
            if self.policy.is_lead(&sent.kind) {
                lost = sent.item.is_none().then(|| sent.kind.clone());
                continue;
            }
            if !lost.as_ref().is_some_and(|lead| self.policy.is_pair(lead, &sent.kind)) {
                lost = None;
                continue;
            }
            let Some(item) = &mut sent.item else { continue };
            if item.remove("id").is_none() {
                continue;
            }
            if is_valid(item, &self.policy) {
                self.report(HistoryCode::IdDropped, &format!("/output/{}/id", sent.at), &sent.kind);
            } else {
                // Its type requires the id, and the id requires an item that is not sent.
                sent.item = None;
                self.report(HistoryCode::PairDropped, &format!("/output/{}", sent.at), &sent.kind);
            }
        }
    }

    fn report(&mut self, code: HistoryCode, path: &str, item_type: &str) {
        let (path, item_type) = (path.to_string(), item_type.to_string());
        self.findings.push(HistoryFinding { code, response: self.answers, path, item_type });
    }
}

/// The type and id of the call that an output item belongs to.
fn answered_call(item: &Value) -> Option<(String, String)> {
    let call = item.str_at("type")?.strip_suffix("_output")?;
    Some((call.to_string(), item.str_at("call_id")?.to_string()))
}

/// Returns `true` if an item may be input in the policy's edition.
///
/// OpenAI's service is described only by the types of its SDKs, which require fields that the service does not require, and the full
/// surface of Open Responses differs from them in a few items. So in these two editions an item is accepted if it fits either.
///
/// An item of a type that the edition does not list came from a server with a newer edition: it is checked against the
/// editions that list the type, and is kept unchanged if none does. A policy that drops extensions drops these types too.
fn is_valid(item: &Object, policy: &Policy) -> bool {
    let mut json = String::new();
    item.write_into(&mut json);
    let fits = |edition| {
        let findings = validate_input_item(&json, edition);
        findings.is_ok_and(|findings| findings.iter().all(|finding| finding.severity != Severity::Error))
    };
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    if policy.extensions == Inclusion::Drop || kind.is_empty() || lists_type(policy.edition, kind) {
        let other = match policy.edition {
            Edition::OpenAi => Some(Edition::Split),
            Edition::Split => Some(Edition::OpenAi),
            _ => None,
        };
        return fits(policy.edition) || other.is_some_and(fits);
    }
    let mut listing = Edition::ALL.into_iter().filter(|edition| lists_type(*edition, kind)).peekable();
    listing.peek().is_none() || listing.any(fits)
}

/// Returns `true` if items of a type can be input in an edition.
fn lists_type(edition: Edition, kind: &str) -> bool {
    let variants = SchemaId::from_name("ItemParam").map(|schema| schema.variants(edition)).unwrap_or_default();
    variants.iter().any(|variant| variant.contains(&("type", kind)))
}

fn with_include(request: CreateResponse, what: &str) -> CreateResponse {
    let mut include = request.get("include").and_then(Value::as_array).unwrap_or_default().to_vec();
    if !include.iter().any(|known| known.as_str() == Some(what)) {
        include.push(Value::from(what));
    }
    request.with("include", include)
}

/// A whole conversation in one call, for a binding: `{"policy", "request", "steps": [{"response": …} or {"item": …}, …]}`
/// gives `{"request": …, "findings": […]}`. `policy` is a name or an object as for [`Policy::from_json`].
///
/// ```
/// use deltafold::__bindings::request_named;
/// let next = request_named("history", r#"{"policy":"stateful","request":{"model":"m-1","input":"Hi"},
///     "steps":[{"response":{"id":"resp_1","output":[]}}]}"#)?;
/// assert_eq!(next, r#"{"request":{"model":"m-1","input":[],"previous_response_id":"resp_1"},"findings":[]}"#);
/// # Ok::<(), deltafold::Error>(())
/// ```
///
/// # Errors
///
/// [`Code::NotJson`], [`Code::UnknownName`] for a name that does not exist, [`Code::BadArgument`] for a value that cannot be
/// used.
pub(super) fn history_json(json: &str) -> Result<String, Error> {
    let call = parse(json)?;
    let reader = OptionReader::new(&call)?;
    reader.check_names(&["policy", "request", "steps"])?;
    let policy = reader.value("policy").map_or_else(|| Policy::builtin("stateless"), Policy::from_value)?;
    let request = match reader.value("request") {
        Some(request) => CreateResponse::from_value(request.clone())?,
        None => CreateResponse::new(),
    };
    let mut history = History::new(policy, &request);
    for step in reader.value("steps").and_then(Value::as_array).unwrap_or_default() {
        match (step.get("response"), step.get("item")) {
            (Some(response), None) => history.add_response(response)?,
            (None, Some(item)) => history.add_item(item.clone()),
            _ => return Err(invalid_option("steps", "objects with either response or item")),
        }
    }
    let mut answer = Object::new();
    answer.push("request", history.request());
    answer.push("findings", history.findings.iter().map(HistoryFinding::to_value).collect::<Vec<_>>());
    Ok(Value::Object(answer).to_string())
}

display_name!(HistoryCode);
