//! Validation by name: one function for all checks of single objects, so that a binding needs only this one.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::{
    validate_compact_request, validate_compact_response, validate_error, validate_request_head, validate_response_head,
    validate_token_count, validate_websocket_create, validate_websocket_error, ExtensionSchemas,
};
use crate::contract::{Edition, SchemaId};
use crate::error::{Code, Error};
use crate::finding::{Finding, Findings, SeverityMap};
use crate::json::Value;
use crate::limits::Limits;
use crate::options::{invalid_option, parse, OptionReader};
use crate::profile::Profile;

/// The kinds of objects that [`validate_named`] checks with the rules that a schema cannot express. It also checks against any schema of
/// the contract by its name.
pub const VALIDATION_TARGETS: &[&str] = &[
    "event",
    "response",
    "item",
    "input_item",
    "request",
    "compact_request",
    "compact_response",
    "token_count",
    "websocket_create",
    "websocket_error",
    "error",
    "request_head",
    "response_head",
];

/// Checks a JSON text as one of [`VALIDATION_TARGETS`]: an object of the contract, an `error` body, or an HTTP head as
/// `{"status", "streamed", "headers": {name: value}}`. Any other name is that of a schema of the contract, such as `Usage` or
/// `FunctionToolParam`; the names that exist are those of [`SchemaId::all`], and each edition has some of them.
///
/// `options` is JSON text or empty: `profile`, which sets the severities and the edition (the name of a built-in profile, or an
/// object as for [`Profile::from_json`]; by default every rule counts); `edition`; for an `error` the HTTP `status`; `schemas`, the
/// additions to the edition (see [`ExtensionSchemas`]).
///
/// ```
/// use deltafold::__bindings::validate_named;
/// let findings = validate_named("request", r#"{"model":7,"input":"Hi"}"#, r#"{"edition":"split"}"#)?;
/// assert_eq!((findings[0].rule.id(), findings[0].path.as_str()), ("SCHEMA-02", "/model"));
/// let findings = validate_named("Usage", r#"{"input_tokens":1,"output_tokens":"2"}"#, r#"{"edition":"split"}"#)?;
/// assert_eq!(findings.len(), 4);
/// let findings = validate_named("response_head", r#"{"status":200,"headers":{}}"#, "")?;
/// assert_eq!(findings[0].rule.id(), "HTTP-05");
/// # Ok::<(), deltafold::Error>(())
/// ```
///
/// # Errors
///
/// [`Code::UnknownName`] for an unknown target, option or edition, and for a schema that the edition does not have, [`Code::NotJson`] or [`Code::TooDeep`] for a text that cannot
/// be parsed, [`Code::BadArgument`] for an option or a head of the wrong type.
pub fn validate_named(what: &str, json: &str, options: &str) -> Result<Vec<Finding>, Error> {
    validate_named_with(what, json, options, ExtensionSchemas::NONE)
}

/// As [`validate_named`], with additions to the edition besides those of the options.
///
/// # Errors
///
/// As for [`validate_named`].
pub fn validate_named_with(
    what: &str,
    json: &str,
    options: &str,
    additions: &ExtensionSchemas,
) -> Result<Vec<Finding>, Error> {
    let options = parse(options)?;
    let reader = OptionReader::new(&options)?;
    reader.check_names(&["edition", "profile", "status", "schemas"])?;
    let profile = match reader.value("profile") {
        None => Profile::builtin("open-responses")?,
        Some(Value::String(name)) => Profile::builtin(name)?,
        Some(object) => Profile::from_json(&object.to_string())?,
    };
    let edition = reader.text("edition")?.map_or(Ok(profile.edition()), str::parse)?;
    let mut schemas = profile.schemas().clone();
    if let Some(given) = reader.value("schemas") {
        schemas.extend(&ExtensionSchemas::from_value(given)?);
    }
    schemas.extend(additions);
    let mut findings = check(what, json, edition, &schemas, &reader)?;
    let severities = profile.severity_map();
    findings.retain_mut(|finding| match severities.at(finding.rule, &finding.path) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    });
    Ok(findings)
}

fn check(
    what: &str,
    json: &str,
    edition: Edition,
    schemas: &ExtensionSchemas,
    reader: &OptionReader<'_>,
) -> Result<Vec<Finding>, Error> {
    match what {
        "event" => schemas.validate_event(json, edition),
        "response" => schemas.validate_response(json, edition),
        "item" => schemas.validate_item(json, edition),
        "input_item" => schemas.validate_input_item(json, edition),
        "request" => schemas.validate_request(json, edition),
        "compact_request" => validate_compact_request(json, edition),
        "compact_response" => validate_compact_response(json, edition),
        "token_count" => validate_token_count(json, edition),
        "websocket_create" => validate_websocket_create(json, edition),
        "websocket_error" => validate_websocket_error(json, edition),
        "error" => validate_error(json, status(reader)?),
        "request_head" | "response_head" => head(json, what == "response_head"),
        _ => match SchemaId::from_name(what) {
            Some(schema) => schemas.validate_as(json, schema, edition),
            None => {
                let targets = VALIDATION_TARGETS.join(", ");
                let detail = format!("expected one of {targets}, or the name of a schema of the contract");
                Err(Error::new(Code::UnknownName, 0, detail))
            }
        },
    }
}

fn head(json: &str, is_response: bool) -> Result<Vec<Finding>, Error> {
    let head = Value::parse(json, Limits::default().depth)?;
    let reader = OptionReader::new(&head)?;
    reader.check_names(&["status", "streamed", "headers"])?;
    let mut headers = Vec::new();
    for (name, value) in reader.object("headers")?.into_iter().flat_map(|headers| headers.iter()) {
        headers.push((name, value.as_str().ok_or_else(|| invalid_option("headers", "strings by name"))?));
    }
    let mut findings = Findings::new(Limits::default().findings, SeverityMap::by_level());
    if is_response {
        let streamed = reader.flag("streamed")?.unwrap_or(false);
        validate_response_head(status(&reader)?.unwrap_or(200), headers, streamed, &mut findings);
    } else {
        validate_request_head(headers, &mut findings);
    }
    Ok(findings.as_slice().to_vec())
}

fn status(reader: &OptionReader<'_>) -> Result<Option<u16>, Error> {
    let status = reader.count("status")?;
    status.map(|status| u16::try_from(status).map_err(|_| invalid_option("status", "an HTTP status"))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    #[test]
    fn every_listed_target_is_checked_and_no_other() {
        for name in VALIDATION_TARGETS {
            let json = if name.ends_with("_head") { "{}" } else { r#"{"model":7}"# };
            // This edition has all schemas.
            let options = r#"{"edition":"split"}"#;
            assert!(validate_named(name, json, options).is_ok_and(|findings| !findings.is_empty()), "{name}");
        }
        assert_eq!(validate_named("reqest", "{}", "").unwrap_err().code(), Code::UnknownName);
    }

    #[test]
    fn a_profile_sets_the_edition_and_the_severities() {
        let found = |options: &str| {
            validate_named("request", r#"{"model":"m","input":[{"role":"user","content":"x"}]}"#, options).unwrap()
        };
        assert_eq!(found("")[0].rule.id(), "ITEM-20");
        assert_eq!(found(r#"{"profile":"openai"}"#), []);
        assert_eq!(found(r#"{"profile":"openai","edition":"2026-04-24"}"#).len(), 1);
        let exempt = r#"{"profile":{"exemptions":[{"rule":"ITEM-20","severity":"warning"}]}}"#;
        assert_eq!(found(exempt)[0].severity, Severity::Warning);
        let dropped = r#"{"profile":{"exemptions":[{"rule":"ITEM-20","severity":"none"}]}}"#;
        assert_eq!(found(dropped), []);
    }

    #[test]
    fn every_schema_of_the_contract_is_checked_by_its_name() {
        let mut checked = [0; Edition::ALL.len()];
        for schema in SchemaId::all() {
            for (at, edition) in Edition::ALL.into_iter().enumerate() {
                let found = validate_named(schema.name(), "[[]]", &format!(r#"{{"edition":"{edition}"}}"#));
                let is_checked = found.is_ok();
                match found {
                    Ok(_) => checked[at] += 1,
                    Err(error) => assert_eq!(error.code(), Code::UnknownName, "{}", schema.name()),
                }
                let known = schema.editions().contains(edition);
                assert_eq!(known, is_checked, "{} in {edition}", schema.name());
            }
        }
        assert!(checked.iter().max() >= Some(&412), "{checked:?}");
    }

    #[test]
    fn request_and_response_heads_have_different_rules() {
        let found = |what: &str, json: &str| -> Vec<_> {
            validate_named(what, json, "").unwrap().iter().map(|finding| finding.rule.id()).collect()
        };
        assert_eq!(found("request_head", "{}"), ["HTTP-02", "HTTP-03"]);
        assert_eq!(found("response_head", "{}"), ["HTTP-05"]);
    }

    #[test]
    fn invalid_input_and_options_are_rejected() {
        for (what, json, options, code) in [
            ("request", "{", "", Code::NotJson),
            ("request", "{}", "[]", Code::BadArgument),
            ("request", "{}", r#"{"edition":"1999"}"#, Code::UnknownName),
            ("request", "{}", r#"{"editon":"split"}"#, Code::UnknownName),
            ("error", "{}", r#"{"status":70000}"#, Code::BadArgument),
            ("response_head", r#"{"headers":{"a":1}}"#, "", Code::BadArgument),
            ("response_head", r#"{"header":{}}"#, "", Code::UnknownName),
        ] {
            assert_eq!(validate_named(what, json, options).unwrap_err().code(), code, "{what} {json} {options}");
        }
    }
}
