//! The surroundings of a stream: HTTP headers, the request, and the error message of a failed WebSocket turn.

use alloc::format;
use alloc::string::String;

use super::object::error_status;
use super::response_members::ResponseMembers;
use super::rule::Rule;
use super::validator::Validator;
use crate::event::Event;
use crate::finding::{Findings, Location};
use crate::json::{ValueKind, ValueRef};

/// Checks the headers of a request (HTTP-02 to HTTP-04). Header names are case-insensitive.
pub fn validate_request_head<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>, findings: &mut Findings) {
    let (mut authorization, mut content_type) = (false, None);
    for (name, value) in headers {
        authorization |= name.eq_ignore_ascii_case("authorization");
        if name.eq_ignore_ascii_case("content-type") {
            content_type = Some(value);
        }
    }
    if !authorization {
        report(Rule::Http02, "expected an Authorization header, found none", findings);
    }
    match content_type {
        None => report(Rule::Http03, "expected a Content-Type header, found none", findings),
        Some(value) if !is_media(value, "application/json") => {
            report(Rule::Http04, "expected application/json, found another media type", findings);
        }
        Some(_) => {}
    }
}

/// Checks status and headers of a response (HTTP-05 to HTTP-07). `streamed`: the request asked for a stream. An error status has
/// a JSON body in any case.
pub fn validate_response_head<'a>(
    status: u16,
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    streamed: bool,
    findings: &mut Findings,
) {
    let mut headers = headers.into_iter();
    let content_type = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let Some((_, value)) = content_type else {
        return report(Rule::Http05, "expected a Content-Type header, found none", findings);
    };
    if streamed && status < 400 {
        if !is_media(value, "text/event-stream") {
            report(Rule::Http07, "expected text/event-stream, found another media type", findings);
        }
    } else if !is_media(value, "application/json") {
        report(Rule::Http06, "expected application/json, found another media type", findings);
    }
}

impl Validator {
    /// Takes status and headers of the response that carries the stream.
    pub fn note_headers<'a>(
        &mut self,
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        findings: &mut Findings,
    ) {
        validate_response_head(status, headers, true, findings);
    }

    /// Takes the request that the stream answers, so that the rules about both are checked.
    pub fn note_request(&mut self, request: ValueRef<'_>) {
        self.expectations.note_request(request);
    }

    /// Checks the error message of a failed WebSocket turn, which needs a status and a code.
    pub(super) fn check_envelope(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let location = event.location();
        let Some(root) = event.root() else { return };
        let status = root.get("status").and_then(|status| status.as_u64());
        let code = event.error().and_then(|error| error.get("code"));
        if status.is_none() {
            findings.report(Rule::Ws14, location, None, || {
                ("/status".into(), "expected a whole number, found none".into())
            });
        }
        if !code.is_some_and(|code| code.kind() == ValueKind::String) {
            findings
                .report(Rule::Ws14, location, None, || ("/error/code".into(), "expected a string, found none".into()));
        }
        let kind = event.error().and_then(|error| error.get("type")?.as_str());
        if let (Some(status), Some(kind)) = (status, kind) {
            error_status(status, &kind, &mut |rule, path, message| {
                findings.report(rule, location, None, || (path, message))
            });
        }
    }

    /// Compares a snapshot with the request.
    pub(super) fn check_echo(&mut self, event: &Event<'_>, response: &ResponseMembers<'_>, findings: &mut Findings) {
        if !self.expectations.asked {
            return;
        }
        let echo = response.previous_response_id.and_then(|id| id.as_str()).unwrap_or_default();
        if echo != self.expectations.previous {
            findings.report(Rule::Prev03, event.location(), None, || {
                ("/response/previous_response_id".into(), "expected the id in the request, found another value".into())
            });
        }
        let tools =
            response.tools.filter(|tools| tools.kind() == ValueKind::Array).map(|tools| tools.elements().count());
        if let (Some(asked), Some(echoed)) = (self.expectations.tools, tools) {
            if echoed < asked {
                findings.report(Rule::Tool07, event.location(), None, || {
                    ("/response/tools".into(), format!("expected the {asked} tools of the request, found {echoed}"))
                });
            }
        }
    }

    /// Reports padding that the request switched off.
    #[cold]
    pub(super) fn check_padding(&self, event: &Event<'_>, findings: &mut Findings) {
        if event.member("obfuscation").is_some() {
            findings.report(Rule::Text07, event.location(), None, || {
                ("/obfuscation".into(), "expected no padding, because the request switched it off, found some".into())
            });
        }
    }
}

fn is_media(value: &str, media: &str) -> bool {
    value.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(media))
}

fn report(rule: Rule, message: &str, findings: &mut Findings) {
    findings.report(rule, Location::default(), None, || (String::new(), message.into()));
}
