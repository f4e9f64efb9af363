//! What comes around a stream: HTTP heads, the request, and the envelope of a failed turn on a socket.

use alloc::format;
use alloc::string::String;

use super::object::error_status;
use super::rule::Rule;
use super::validator::Validator;
use crate::event::Event;
use crate::finding::{Findings, Place};
use crate::json::{Tag, View};

/// Checks the headers of a request (HTTP-02 to HTTP-04). Names are compared without regard to case.
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

/// Checks status and headers of a response (HTTP-05 to HTTP-07). `streamed`: the request asked for a stream; an error
/// status is answered with JSON all the same.
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
    /// Takes status and headers of the response that the stream comes in.
    pub fn note_headers<'a>(
        &mut self,
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        findings: &mut Findings,
    ) {
        validate_response_head(status, headers, true, findings);
    }

    /// Takes the request that the stream answers, so that the rules about both can be checked.
    pub fn note_request(&mut self, request: View<'_>) {
        self.expected.note_request(request);
    }

    /// The envelope of a failed turn on a socket: status and code say what to do now.
    pub(super) fn check_envelope(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let place = event.place();
        let Some(root) = event.root() else { return };
        let status = root.get("status").and_then(|status| status.as_u64());
        let code = event.error().and_then(|error| error.get("code"));
        if status.is_none() {
            findings
                .report(Rule::Ws14, place, None, || ("/status".into(), "expected a whole number, found none".into()));
        }
        if !code.is_some_and(|code| code.tag() == Tag::String) {
            findings.report(Rule::Ws14, place, None, || ("/error/code".into(), "expected a string, found none".into()));
        }
        let kind = event.error().and_then(|error| error.get("type")?.as_str());
        if let (Some(status), Some(kind)) = (status, kind) {
            error_status(status, &kind, &mut |rule, path, message| {
                findings.report(rule, place, None, || (path, message))
            });
        }
    }

    /// Compares a snapshot with the request, once a response has begun.
    pub(super) fn check_echo(&mut self, event: &Event<'_>, response: View<'_>, findings: &mut Findings) {
        if !self.expected.asked {
            return;
        }
        let echo = response.get("previous_response_id").and_then(|id| id.as_str()).unwrap_or_default();
        if echo != self.expected.previous {
            findings.report(Rule::Prev03, event.place(), None, || {
                ("/response/previous_response_id".into(), "expected the id of the request, found another value".into())
            });
        }
        let tools =
            response.get("tools").filter(|tools| tools.tag() == Tag::Array).map(|tools| tools.elements().count());
        if let (Some(asked), Some(echoed)) = (self.expected.tools, tools) {
            if echoed < asked {
                findings.report(Rule::Tool07, event.place(), None, || {
                    ("/response/tools".into(), format!("expected the {asked} tools of the request, found {echoed}"))
                });
            }
        }
    }

    /// Padding that the request switched off.
    #[cold]
    pub(super) fn check_padding(&self, event: &Event<'_>, findings: &mut Findings) {
        if event.member("obfuscation").is_some() {
            findings.report(Rule::Text07, event.place(), None, || {
                ("/obfuscation".into(), "expected no padding, since the request switched it off".into())
            });
        }
    }
}

fn is_media(value: &str, media: &str) -> bool {
    value.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(media))
}

fn report(rule: Rule, message: &str, findings: &mut Findings) {
    findings.report(rule, Place::default(), None, || (String::new(), message.into()));
}
