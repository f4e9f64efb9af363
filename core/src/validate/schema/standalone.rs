//! Checks of single JSON texts against the contract.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::event;
use super::problem::Problem;
use super::rule_for::Root;
use super::walk::{Extensions, SchemaWalk};
use crate::contract::tables::id;
use crate::contract::{is_valid_extension_type, Edition, Kind, SchemaId};
use crate::error::{Code, Error};
use crate::finding::{Finding, Location};
use crate::json::{Tape, ValueKind, ValueRef};
use crate::limits::Limits;
use crate::validate::extension_schema::{ExtensionSchemas, NONE};
use crate::validate::response_members::ResponseMembers;
use crate::validate::{object, request, Rule};

/// Checks one event: its own fields and every object in it.
///
/// A type that the edition does not have is checked against the edition that has it; the stream layer reports the name. Fails if
/// the text is not JSON.
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
    /// Checks one event like [`validate_event`], and against these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is not JSON.
    pub fn validate_event(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        event_with(json, edition, self)
    }

    /// Checks an output item like [`validate_item`], and against these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is not JSON.
    pub fn validate_item(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        both(json, id::ITEM_FIELD, edition, self, item_rules)
    }

    /// Checks an input item like [`validate_input_item`], and against these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is not JSON.
    pub fn validate_input_item(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        as_with(json, id::ITEM_PARAM, edition, Extensions::Allowed, self)
    }

    /// Checks a request body like [`validate_request`], and against these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is not JSON.
    pub fn validate_request(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        both(json, id::CREATE_RESPONSE_BODY, edition, self, request::body)
    }

    /// Checks a text like [`validate_as`], and against these schemas.
    ///
    /// # Errors
    ///
    /// Those of [`validate_as`].
    pub fn validate_as(&self, json: &str, schema: SchemaId, edition: Edition) -> Result<Vec<Finding>, Error> {
        as_with(json, schema, edition, Extensions::Allowed, self)
    }

    /// Checks a response body like [`validate_response`], and against these schemas.
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] if the text is not JSON.
    pub fn validate_response(&self, json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
        both(json, id::RESPONSE_RESOURCE, edition, self, response_rules)
    }
}

fn event_with(json: &str, edition: Edition, schemas: &ExtensionSchemas) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    with_root(json, |view| {
        let wire_type = view.get("type").and_then(|value| value.as_str()).unwrap_or_default();
        let kind = Kind::from_wire(&wire_type);
        findings.extend(name_finding(view, kind, &wire_type).filter(|_| schemas.of_event(&wire_type).is_none()));
        event::check(view, kind, &wire_type, edition, schemas, &mut |problem| findings.push(finding(problem)));
        let response = if kind.is_response_state() { view.get("response").map(ResponseMembers::of) } else { None };
        object::event(view, kind, response.as_ref(), &mut |rule, path, message| {
            findings.push(rule_finding(rule, path, message))
        });
    })?;
    Ok(findings)
}

/// Reports an event that is not an object, has no type or an invalid one.
fn name_finding(view: ValueRef<'_>, kind: Kind, wire_type: &str) -> Option<Finding> {
    let (rule, path, message) = if view.kind() != ValueKind::Object {
        (Rule::Sse01, "", format!("expected an object, found a payload of type {}", view.kind().name()))
    } else if wire_type.is_empty() {
        (Rule::Schema01, "/type", "expected a string `type`, found none".into())
    } else if kind == Kind::Unknown || (kind == Kind::Extension && !is_valid_extension_type(wire_type)) {
        (Rule::Ext02, "/type", "expected an event name of the contract or `slug:name`, found another name".into())
    } else if kind.is_known() && wire_type != kind.name() {
        (Rule::Ext02, "/type", format!("expected `{kind}`, found another name for it"))
    } else {
        return None;
    };
    Some(rule_finding(rule, path.into(), message))
}

/// Checks a response body, or the `response` of an event, against the contract and the rules about one response.
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

fn response_rules(view: ValueRef<'_>, report: &mut object::Report<'_>) {
    let members = ResponseMembers::of(view);
    object::response(&members, format_args!(""), report);
    object::calls(&members, report);
}

/// Checks an output item.
pub fn validate_item(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::ITEM_FIELD, edition, NONE, item_rules)
}

fn item_rules(view: ValueRef<'_>, report: &mut object::Report<'_>) {
    object::item(view, format_args!(""), report);
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

/// Checks the response of `POST /responses/compact`.
pub fn validate_compact_response(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::COMPACT_RESOURCE, edition, NONE, object::compaction)
}

/// Checks a client's `response.create` message on a WebSocket.
pub fn validate_websocket_create(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    both(json, id::WEB_SOCKET_RESPONSE_CREATE_EVENT, edition, NONE, request::socket)
}

/// Checks the body of an HTTP error response and, if the status is given, whether both fit.
pub fn validate_error(json: &str, status: Option<u16>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    with_root(json, |view| {
        let mut report = |rule, path, message| findings.push(rule_finding(rule, path, message));
        object::error_body(view, &mut report);
        let kind = view.pointer("/error/type").and_then(|kind| kind.as_str());
        if let (Some(status), Some(kind)) = (status, kind) {
            object::error_status(u64::from(status), &kind, &mut report);
        }
    })?;
    Ok(findings)
}

/// Checks the error message of a WebSocket, which has no sequence number.
pub fn validate_websocket_error(json: &str, edition: Edition) -> Result<Vec<Finding>, Error> {
    validate_as(json, id::WEB_SOCKET_ERROR_EVENT, edition, Extensions::Allowed)
}

/// Checks a text against any schema of the contract. Fails if the text is not JSON or the edition does not have the schema.
///
/// ```
/// use deltafold::contract::SchemaId;
/// use deltafold::validate::{validate_as, Extensions};
/// use deltafold::Edition;
/// let usage = SchemaId::from_name("Usage").unwrap();
/// let findings = validate_as("{}", usage, Edition::Split, Extensions::Refused)?;
/// assert_eq!(findings.len(), 5);
/// assert_eq!(findings[0].message, "expected `input_tokens` in `Usage`, found none");
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
        SchemaWalk::new(Root::Value, extensions, &mut report).with(schemas).schema(view, schema, edition)
    })?;
    if !known {
        return Err(Error::new(Code::UnknownName, 0, format!("edition {edition} has no schema {}", schema.name())));
    }
    Ok(findings)
}

/// Checks against a schema, then against the rules that a schema cannot express.
fn both(
    json: &str,
    schema: SchemaId,
    edition: Edition,
    schemas: &ExtensionSchemas,
    rules: impl FnOnce(ValueRef<'_>, &mut object::Report<'_>),
) -> Result<Vec<Finding>, Error> {
    let mut findings = as_with(json, schema, edition, Extensions::Allowed, schemas)?;
    with_root(json, |view| {
        if view.kind() == ValueKind::Object {
            rules(view, &mut |rule, path, message| findings.push(rule_finding(rule, path, message)));
        }
    })?;
    Ok(findings)
}

fn with_root<T>(json: &str, check: impl FnOnce(ValueRef<'_>) -> T) -> Result<T, Error> {
    let mut tape = Tape::default();
    tape.parse(json, Limits::default().depth)?;
    Ok(check(tape.root(json)))
}

/// Converts a problem to a finding.
fn finding(problem: &Problem<'_>) -> Finding {
    let rule = problem.rule;
    Finding {
        rule,
        severity: rule.severity(),
        layer: rule.layer(),
        location: Location { event_index: None, sequence_number: None, offset: problem.at as u64 },
        path: problem.pointer(),
        message: problem.message(),
        repair: None,
    }
}

/// A finding of a rule that a schema cannot express.
fn rule_finding(rule: Rule, path: String, message: String) -> Finding {
    Finding {
        rule,
        severity: rule.severity(),
        layer: rule.layer(),
        location: Location::default(),
        path,
        message,
        repair: None,
    }
}
