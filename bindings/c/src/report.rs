//! Checks a whole stream or one object and returns a report.

use deltafold::__bindings::validate_named;
use deltafold::json::{Object, Value};
use deltafold::{Code, Error, Finding, Limits, Reader, ReaderOptions, Severity};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_problem, report_problem};
use crate::ffi;
use crate::finding::{dfold_finding, findings_json};
use crate::status::dfold_status;

/// The result of a check. Opaque; created by dfold_check and dfold_validate, freed by dfold_report_free.
pub struct dfold_report {
    report: Report,
    panicked: bool,
}

/// The contents of the handle.
pub(crate) struct Report {
    /// How the stream ended; `None` for a single object.
    outcome: Option<&'static str>,
    events: u64,
    findings: Vec<Finding>,
    /// Number of findings per severity, kept or not: notes, warnings, errors.
    counts: [u64; 3],
    scratch: String,
}

impl ffi::Handle for dfold_report {
    type Inner = Report;

    fn parts(&mut self) -> (&mut Report, &mut bool) {
        (&mut self.report, &mut self.panicked)
    }
}

impl Report {
    fn of_stream(stream: &[u8], options: &str) -> Result<Self, Error> {
        let mut reader = Reader::with_options(check_options(options)?);
        // A stream may be longer than the buffer limit of a reader, so it is fed in blocks; all limits still apply.
        for chunk in stream.chunks(BLOCK_BYTES) {
            reader.feed(chunk)?;
            while reader.poll_event()?.is_some() {}
        }
        let outcome = reader.finish()?;
        let all = reader.all_findings();
        Ok(Self {
            outcome: Some(outcome.name()),
            events: reader.event_count(),
            findings: reader.findings().to_vec(),
            counts: [Severity::Note, Severity::Warning, Severity::Error].map(|severity| all.count(severity)),
            scratch: String::new(),
        })
    }

    fn of_findings(findings: Vec<Finding>) -> Self {
        let mut counts = [0; 3];
        findings.iter().for_each(|finding| counts[finding.severity as usize] += 1);
        Self { outcome: None, events: 0, findings, counts, scratch: String::new() }
    }

    fn to_json(&self) -> String {
        let [notes, warnings, errors] = self.counts;
        let mut summary = Object::new();
        summary.push("errors", errors);
        summary.push("warnings", warnings);
        summary.push("notes", notes);
        let mut object = Object::new();
        object.push("outcome", self.outcome);
        object.push("events", self.events);
        object.push("findings", self.findings.iter().map(Finding::to_value).collect::<Vec<_>>());
        object.push("summary", summary);
        object.to_string()
    }

    fn to_text(&self) -> String {
        let mut text: String = self.findings.iter().map(|finding| format!("{finding}\n")).collect();
        if let Some(outcome) = self.outcome {
            text.push_str(&format!("{outcome}, {}, ", plural(self.events, "event")));
        }
        let [notes, warnings, errors] = self.counts;
        let counts = [plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note")];
        text.push_str(&counts.join(", "));
        text.push('\n');
        text
    }
}

const BLOCK_BYTES: usize = 64 << 10;

fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// The options of a reader with other defaults: a check exempts nothing and validates all layers.
fn check_options(options: &str) -> Result<ReaderOptions, Error> {
    let text = if options.is_empty() { "{}" } else { options };
    let Value::Object(mut options) = Value::parse(text, Limits::default().depth)? else {
        return Err(Error::new(Code::BadArgument, 0, "expected the options to be an object"));
    };
    for (name, default) in [("profile", "open-responses"), ("layers", "all")] {
        if !options.contains_key(name) {
            options.push(name, default);
        }
    }
    ReaderOptions::from_value(&options.into())
}

/// Checks a whole stream: framing, every object, and their order. Options are a JSON object as for dfold_reader_new_json;
/// without `profile` nothing is exempt, without `layers` all layers validate.
///
/// Returns DFOLD_OK with a report, whatever the findings; DFOLD_LIMIT_* past a limit and DFOLD_JSON_SYNTAX,
/// DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the reason in `out_problem`; DFOLD_MISUSE
/// for NULL.
///
/// - Ownership: the caller owns the report and frees it with dfold_report_free; bytes and options are read and not kept.
/// - NULL: `stream` may be NULL with `len` 0, `options.data` with length 0; `out_problem` may be NULL; `out_report` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_check(
    stream: *const u8,
    len: usize,
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_report: *mut *mut dfold_report,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all these functions.
    unsafe {
        ffi::create(out_report, || {
            let (stream, options) = (ffi::bytes(stream, len)?, ffi::text(options)?);
            Ok(dfold_report {
                report: report_problem(Report::of_stream(stream, options), out_problem)?,
                panicked: false,
            })
        })
    }
}

/// Checks a JSON text as the named kind of object: `event`, `response`, `item`, `input_item`, `request`, `compact_request`,
/// `compact_response`, `token_count`, `websocket_create`, `websocket_error`, `error`, `request_head` or `response_head`; any other name
/// is that of a schema of the contract, such as `Usage`. A head is `{"status", "streamed", "headers": {name: value}}`. Options are a JSON
/// object: `edition`, and for an error its HTTP `status`.
///
/// Returns DFOLD_OK with a report, whatever the findings; DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH for invalid text,
/// DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for an unknown name or option, with the reason in `out_problem`;
/// DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the report and frees it with dfold_report_free; the texts are read and not kept.
/// - NULL: `options.data` may be NULL with length 0; `out_problem` may be NULL; `out_report` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_validate(
    what: dfold_bytes,
    json: dfold_bytes,
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_report: *mut *mut dfold_report,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all these functions.
    unsafe {
        ffi::create(out_report, || {
            let (what, json, options) = (ffi::text(what)?, ffi::text(json)?, ffi::text(options)?);
            let findings = report_problem(validate_named(what, json, options), out_problem)?;
            Ok(dfold_report { report: Report::of_findings(findings), panicked: false })
        })
    }
}

/// Frees a report.
///
/// - Ownership: the report is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the report may be running.
/// - Views: invalidates all views of the report.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_free(report: *mut dfold_report) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(report) }
}

/// The counts of a report.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_summary {
    /// Findings that are errors, kept or not.
    pub errors: u64,
    /// Findings that are warnings, kept or not.
    pub warnings: u64,
    /// Findings that are notes, kept or not.
    pub notes: u64,
    /// Events of the stream.
    pub events: u64,
    /// Number of kept findings; see dfold_report_finding.
    pub findings: usize,
    /// How the stream ended, such as `completed`; empty for a single object.
    pub outcome: dfold_bytes,
}

/// Gets the counts of a report.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the view.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a report; different reports are independent.
/// - Views: valid until the report is freed.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_summary(
    report: *mut dfold_report,
    out_summary: *mut dfold_summary,
) -> dfold_status {
    let get = |report: &mut Report| {
        let [notes, warnings, errors] = report.counts;
        let (events, findings) = (report.events, report.findings.len());
        Ok(dfold_summary { errors, warnings, notes, events, findings, outcome: report.outcome.into() })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(report, out_summary, get) }
}

/// Gets a finding by its position, from 0.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last kept finding; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the finding.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a report; different reports are independent.
/// - Views: valid until the report is freed.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_finding(
    report: *mut dfold_report,
    at: usize,
    out_finding: *mut dfold_finding,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(report, out_finding, |report| {
            report.findings.get(at).map(Into::into).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// Gets the kept findings as one JSON array.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a report; different reports are independent.
/// - Views: valid until the next call on the report.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_findings_json(
    report: *mut dfold_report,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(report, out_json, |report| {
            report.scratch = findings_json(&report.findings);
            Ok(report.scratch.as_str().into())
        })
    }
}

/// Gets the whole report as a JSON object: `outcome`, `events`, `findings`, `summary`.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a report; different reports are independent.
/// - Views: valid until the next call on the report.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_json(report: *mut dfold_report, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(report, out_json, |report| {
            report.scratch = report.to_json();
            Ok(report.scratch.as_str().into())
        })
    }
}

/// Gets the whole report as text: one line per finding, and a line of counts.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a report; different reports are independent.
/// - Views: valid until the next call on the report.
#[no_mangle]
pub unsafe extern "C" fn dfold_report_text(report: *mut dfold_report, out_text: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(report, out_text, |report| {
            report.scratch = report.to_text();
            Ok(report.scratch.as_str().into())
        })
    }
}
