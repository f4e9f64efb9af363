//! Whole JSON texts against the contract: each function stands alone.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::blame::Root;
use super::event;
use super::problem::Problem;
use super::walk::{Extensions, Walk};
use crate::contract::tables::id;
use crate::contract::{Edition, Kind, SchemaId};
use crate::error::{Code, Error};
use crate::finding::{Finding, Place};
use crate::json::{Tag, Tape, View};
use crate::limits::Limits;
use crate::validate::own::{ExtensionSchemas, NONE};
use crate::validate::{object, request, Rule};

/// Checks one event: its own fields and every object in it.
///
/// A type that the edition does not list is checked by the edition that does; that its name is foreign here is a matter of
/// the stream layer. Fails if the text is no JSON.
///
/// ```
/// use deltafold::{validate::validate_event, Edition};
/// let event = r#"{"type":"response.refusal.done","item_id":"msg_1","output_index":0,"content_index":0,"refusal":null}"#;
/// let findings = validate_event(event, Edition::default())?;
/// let found: Vec<_> = findings.iter().map(|finding| (finding.rule.id(), finding.path.as_str())).collect();
/// assert_eq!(found, [("SCHEMA-02", "/refusal"), ("SEQ-01", "/sequence_number")]);
/// # Ok::<(), deltafold::Error>(())
/// ```
pub fn validate_event(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    event_with(json, edition, NONE)
}

impl ExtensionSchemas {
    /// Checks one event, as [`validate_event`] does, and by these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is no JSON.
    pub fn validate_event(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        event_with(json, edition, self)
    }

    /// Checks an output item, as [`validate_item`] does, and by these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is no JSON.
    pub fn validate_item(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        both(json, id::ITEM_FIELD, edition, self, item_rules)
    }

    /// Checks a response body, as [`validate_response`] does, and by these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is no JSON.
    pub fn validate_response(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        both(json, id::RESPONSE_RESOURCE, edition, self, response_rules)
    }
}

fn event_with(json: &str, edition: Edition, schemas: &ExtensionSchemas) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    with_root(json, |view| {
        let wire_type = view.get("type").and_then(|value| value.as_str()).unwrap_or_default();
        let kind = Kind::from_wire(&wire_type);
        findings.extend(name_finding(view, kind, &wire_type));
        event::check(view, kind, &wire_type, (edition, schemas, None), &mut |problem| findings.push(finding(problem)));
        object::event(view, kind, &mut |rule, path, message| findings.push(breach(rule, path, message)));
    })?;
    Ok(findings)
}

/// What is wrong with an event as such: no object, no type, a type that nobody may use.
fn name_finding(view: View<'_>, kind: Kind, wire_type: &str) -> Option<Finding> {
    let (rule, path, message) = if view.tag() != Tag::Object {
        (Rule::Sse01, "", format!("the payload is of type {}, expected an object", view.tag().name()))
    } else if wire_type.is_empty() {
        (Rule::Schema01, "/type", "an event needs `type`, a string".into())
    } else if kind == Kind::Unknown {
        (Rule::Ext02, "/type", "the contract has no event of this name, expected a known name or `slug:name`".into())
    } else if kind.is_known() && wire_type != kind.as_str() {
        (Rule::Ext02, "/type", format!("the name is no edition's, it is read as `{kind}`"))
    } else {
        return None;
    };
    Some(breach(rule, path.into(), message))
}

/// Checks a response body, or the `response` of an event: against the contract, and by the rules about one response.
///
/// ```
/// use deltafold::{validate::validate_response, Edition};
/// let findings = validate_response(r#"{"status":"failed","error":null}"#, Edition::default())?;
/// assert!(findings.iter().any(|finding| finding.rule.id() == "ERR-07" && finding.path == "/error"));
/// # Ok::<(), deltafold::Error>(())
/// ```
pub fn validate_response(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::RESPONSE_RESOURCE, edition, NONE, response_rules)
}

fn response_rules(view: View<'_>, tell: &mut object::Tell<'_>) {
    object::response(view, "", tell);
    object::calls(view, tell);
}

/// Checks an output item.
pub fn validate_item(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::ITEM_FIELD, edition, NONE, item_rules)
}

fn item_rules(view: View<'_>, tell: &mut object::Tell<'_>) {
    object::item(view, "", tell);
}

/// Checks an input item.
pub fn validate_input_item(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    validate_as(json, id::ITEM_PARAM, edition, Extensions::Allowed)
}

/// Checks the body of `POST /responses`.
pub fn validate_request(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::CREATE_RESPONSE_BODY, edition, NONE, request::body)
}

/// Checks the body of `POST /responses/compact`.
pub fn validate_compact_request(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    validate_as(json, id::COMPACT_RESPONSE_METHOD_PUBLIC_BODY, edition, Extensions::Allowed)
}

/// Checks the body of `POST /responses/input_tokens`.
pub fn validate_token_count(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    validate_as(json, id::TOKEN_COUNTS_BODY, edition, Extensions::Allowed)
}

/// Checks the answer of `POST /responses/compact`.
pub fn validate_compact_response(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::COMPACT_RESOURCE, edition, NONE, object::compaction)
}

/// Checks a client's `response.create` message on a WebSocket.
pub fn validate_websocket_create(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::WEB_SOCKET_RESPONSE_CREATE_EVENT, edition, NONE, request::socket)
}

/// Checks an error body, as it comes with an HTTP error status; with the status, whether the two fit.
pub fn validate_error(json: &str, status: Option<u16>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    with_root(json, |view| {
        let mut tell = |rule, path, message| findings.push(breach(rule, path, message));
        object::error_body(view, &mut tell);
        let kind = view.pointer("/error/type").and_then(|kind| kind.as_str());
        if let (Some(status), Some(kind)) = (status, kind) {
            object::error_status(u64::from(status), &kind, &mut tell);
        }
    })?;
    Ok(findings)
}

/// Checks the error message of a WebSocket, which has no sequence number.
pub fn validate_websocket_error(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    validate_as(json, id::WEB_SOCKET_ERROR_EVENT, edition, Extensions::Allowed)
}

/// Checks a text against any schema of the contract. Fails if the text is no JSON, or if the edition does not have the
/// schema.
///
/// ```
/// use deltafold::contract::SchemaId;
/// use deltafold::validate::{validate_as, Extensions};
/// use deltafold::Edition;
/// let usage = SchemaId::from_name("Usage").unwrap();
/// let findings = validate_as("{}", usage, Edition::Split, Extensions::Refused)?;
/// assert_eq!(findings.len(), 5);
/// assert_eq!(findings[0].message, "`Usage` needs `input_tokens`, which is missing");
/// # Ok::<(), deltafold::Error>(())
/// ```
pub fn validate_as(
    json: &str,
    schema: SchemaId,
    edition: Edition,
    extensions: Extensions,
) -> Result<Vec<Finding>, Error> {
    as_with(json, schema, edition, extensions, NONE)
}

fn as_with(
    json: &str,
    schema: SchemaId,
    edition: Edition,
    extensions: Extensions,
    schemas: &ExtensionSchemas,
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let known = with_root(json, |view| {
        let mut report = |problem: &Problem<'_>| findings.push(finding(problem));
        Walk::new(Root::Value, extensions, &mut report).with(schemas).schema(view, schema, edition)
    })?;
    if !known {
        return Err(Error::new(Code::UnknownName, 0, format!("edition {edition} has no schema {}", schema.name())));
    }
    Ok(findings)
}

/// Checks against a schema, then by the rules that no schema can say.
fn both(
    json: &str,
    schema: SchemaId,
    edition: Edition,
    schemas: &ExtensionSchemas,
    rules: impl FnOnce(View<'_>, &mut object::Tell<'_>),
) -> Result<Vec<Finding>, Error> {
    let mut findings = as_with(json, schema, edition, Extensions::Allowed, schemas)?;
    with_root(json, |view| {
        if view.tag() == Tag::Object {
            rules(view, &mut |rule, path, message| findings.push(breach(rule, path, message)));
        }
    })?;
    Ok(findings)
}

fn with_root<T>(json: &str, check: impl FnOnce(View<'_>) -> T) -> Result<T, Error> {
    let mut tape = Tape::default();
    tape.parse(json, Limits::default().depth)?;
    Ok(check(tape.root(json)))
}

/// A finding at its place in the text.
fn finding(problem: &Problem<'_>) -> Finding {
    let rule = problem.rule;
    Finding {
        rule,
        severity: rule.severity(),
        layer: rule.layer(),
        place: Place { event_index: None, sequence_number: None, offset: problem.at as u64 },
        path: problem.pointer(),
        message: problem.message(),
        repair: None,
    }
}

/// A finding by a rule that no schema says.
fn breach(rule: Rule, path: String, message: String) -> Finding {
    Finding {
        rule,
        severity: rule.severity(),
        layer: rule.layer(),
        place: Place::default(),
        path,
        message,
        repair: None,
    }
}
