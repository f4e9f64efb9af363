//! One entry for each function of the header.

use std::ffi::{c_char, CStr};
use std::mem::MaybeUninit;
use std::ptr;

use deltafold_c::*;

use super::World;

/// The name of a function and a call of it.
pub(crate) type Call = (&'static str, fn(&mut World<'_>));

/// A call with an output. The output is read only if the status is DFOLD_OK; its memory is uninitialized before, so that
/// Miri detects a missing write.
macro_rules! call_out {
    ($world:ident, $call:expr) => {{
        let mut out = MaybeUninit::uninit();
        // Sometimes the output pointer is NULL.
        let place = if $world.rest.len() % 13 == 7 { ptr::null_mut() } else { out.as_mut_ptr() };
        #[allow(clippy::redundant_closure_call)]
        // SAFETY: handles are NULL or live, views point to live bytes, and the output is NULL or writable.
        let status = unsafe { ($call)(place) };
        // SAFETY: the library writes the output if the status is DFOLD_OK; this test verifies that.
        $world.good(status).then(|| unsafe { out.assume_init() })
    }};
}

/// A call without an output.
macro_rules! call {
    ($world:ident, $call:expr) => {{
        // SAFETY: as for `call_out`.
        let status = unsafe { $call };
        $world.good(status)
    }};
}

macro_rules! calls {
    ($($name:ident: |$world:ident| $body:block)*) => {
        /// Every function of the header, in its order.
        pub(crate) const CALLS: &[Call] = &[$((stringify!($name), |$world: &mut World<'_>| $body),)*];
    };
}

const READER_OPTIONS: &[&str] = &[
    "",
    r#"{"layers":"all"}"#,
    r#"{"strict":true,"layers":"all","profile":"openai"}"#,
    r#"{"quote":true,"layers":["schema"],"limits":{"frame_bytes":200,"items":2,"overflow":"drop"}}"#,
    r#"{"images":"keep","ignore_terminal_snapshot":true}"#,
];
const CONVERTER_OPTIONS: &[&str] = &[
    r#"{"to":"open-responses"}"#,
    r#"{"from":"anthropic","to":"open-responses","options":{"now":5}}"#,
    r#"{"from":"open-responses","to":"ag-ui","options":{"thread_id":"t","run_id":"r"}}"#,
    r#"{"from":"chat-completions","to":"anthropic","framing":"jsonl"}"#,
];
const POINTERS: &[&str] = &["", "/type", "/item/name", "/delta", "/output/0/content/0/text", "/response/id"];

/// Creates one handle of each kind, so that a few bytes reach many states.
pub(super) fn make(world: &mut World<'_>) {
    for name in ["dfold_reader_new", "dfold_writer_new", "dfold_sse_new"] {
        for (known, call) in CALLS {
            if *known == name {
                call(world);
            }
        }
    }
}

fn see_problem(world: &mut World<'_>, problem: &dfold_problem) {
    // SAFETY: the library writes NUL-terminated messages, and an unwritten problem is all NUL.
    let message = unsafe { CStr::from_ptr(problem.message.as_ptr()) };
    world.see(message.to_bytes().into());
}

fn no_problem() -> dfold_problem {
    dfold_problem { status: dfold_status::DFOLD_OK, offset: 0, message: [0; DFOLD_PROBLEM_BYTES] }
}

fn see_error(world: &mut World<'_>, error: Option<dfold_error>) {
    if let Some(error) = error {
        world.see(error.name);
        world.see(error.message);
    }
}

fn see_finding(world: &mut World<'_>, finding: Option<dfold_finding>) {
    if let Some(finding) = finding {
        for view in [finding.rule, finding.layer, finding.path, finding.message, finding.repair] {
            world.see(view);
        }
    }
}

fn see_call(world: &mut World<'_>, call: Option<dfold_call>) {
    if let Some(call) = call {
        for view in [call.r#type, call.call_id, call.name, call.arguments, call.reason, call.detail] {
            world.see(view);
        }
    }
}

fn see_some(world: &mut World<'_>, view: Option<dfold_bytes>) {
    if let Some(view) = view {
        world.see(view);
    }
}

fn see_text(world: &mut World<'_>, text: *const c_char) {
    // SAFETY: the library guarantees NUL-terminated text that lives as long as the program.
    let text = unsafe { CStr::from_ptr(text) };
    world.see(text.to_bytes().into());
}

fn put_reader(world: &mut World<'_>, reader: Option<*mut dfold_reader>) {
    if let Some(reader) = reader {
        let old = std::mem::replace(&mut world.reader, reader);
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_reader_free(old) };
    }
}

fn reader_options(world: &mut World<'_>) -> dfold_reader_options {
    let mut options = MaybeUninit::uninit();
    let size = size_of::<dfold_reader_options>();
    // SAFETY: the memory is writable and of this size.
    let status = unsafe { dfold_reader_options_init(options.as_mut_ptr(), size) };
    assert!(world.good(status));
    // SAFETY: the call above initialized it.
    let mut options: dfold_reader_options = unsafe { options.assume_init() };
    let choice = world.byte();
    options.strict = u32::from(choice & 1);
    options.layers = u32::from(choice >> 1 & 7);
    options.quote = u32::from(choice >> 4 & 1);
    options.images = u32::from(choice >> 5 & 3);
    if choice & 128 != 0 {
        options.profile = world.word(&["any", "open-responses", "vllm"]);
        options.edition = world.word(&["", "split", "2026-01-15"]);
        options.limits.items = world.number();
        options.limits.drop_overflow = 1;
    }
    options
}

fn put_report(world: &mut World<'_>, report: Option<*mut dfold_report>) {
    if let Some(report) = report {
        let old = std::mem::replace(&mut world.report, report);
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_report_free(old) };
    }
}

calls! {
    dfold_view: |world| {
        let piece: Vec<u8> = world.piece().iter().copied().filter(|byte| *byte != 0).chain([0]).collect();
        let text: String = String::from_utf8_lossy(&piece).into_owned();
        // SAFETY: the text ends with NUL and lives until the view is read.
        let view = unsafe { dfold_view(text.as_ptr().cast()) };
        world.see(view);
        // SAFETY: NULL is allowed.
        let none = unsafe { dfold_view(ptr::null()) };
        world.see(none);
    }
    dfold_converter_new: |world| {
        let (options, mut problem) = (world.word(CONVERTER_OPTIONS), no_problem());
        let made = call_out!(world, |out| dfold_converter_new(options, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.converter, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_converter_free(old) };
        }
    }
    dfold_converter_free: |world| {
        let old = std::mem::replace(&mut world.converter, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_converter_free(old) };
    }
    dfold_converter_feed: |world| {
        let chunk = world.view();
        call!(world, dfold_converter_feed(world.converter, chunk.data, chunk.len));
    }
    dfold_converter_finish: |world| { call!(world, dfold_converter_finish(world.converter)); }
    dfold_converter_cancel: |world| { call!(world, dfold_converter_cancel(world.converter)); }
    dfold_converter_take: |world| {
        let taken = call_out!(world, |out| dfold_converter_take(world.converter, out));
        see_some(world, taken);
    }
    dfold_converter_report: |world| {
        let report = call_out!(world, |out| dfold_converter_report(world.converter, out));
        see_some(world, report);
    }
    dfold_converter_error: |world| {
        let error = call_out!(world, |out| dfold_converter_error(world.converter, out));
        see_error(world, error);
    }
    dfold_is_valid_extension_type: |world| {
        let name = world.word(&["acme:note", "note", ""]);
        // SAFETY: the world's views are valid.
        let valid = unsafe { dfold_is_valid_extension_type(name) };
        assert!(valid <= 1);
    }
    dfold_is_terminal_status: |world| {
        let status = world.word(&["completed", "done", ""]);
        // SAFETY: the world's views are valid.
        let terminal = unsafe { dfold_is_terminal_status(status) };
        assert!(terminal <= 1);
    }
    dfold_is_success_status: |world| {
        let status = world.word(&["completed", "done", ""]);
        // SAFETY: the world's views are valid.
        let success = unsafe { dfold_is_success_status(status) };
        assert!(success <= 1);
    }
    dfold_detect: |world| {
        let start = world.view();
        // SAFETY: the bytes live.
        let name = unsafe { dfold_detect(start.data, start.len) };
        world.see(name);
    }
    dfold_writer_apply_json: |world| {
        let intent = world.word(&[
            r#"{"do":"message"}"#, r#"{"do":"text","item":0,"text":"a\u0000b"}"#, r#"{"do":"close","item":0}"#,
            r#"{"do":"function_call","call_id":"c","name":"f"}"#, r#"{"do":"complete"}"#, r#"{"do":"heartbeat"}"#,
        ]);
        call_out!(world, |out| dfold_writer_apply_json(world.writer, intent.data, intent.len, out));
    }
    dfold_writer_queue: |world| { call!(world, dfold_writer_queue(world.writer)); }
    dfold_writer_start: |world| { call!(world, dfold_writer_start(world.writer)); }
    dfold_writer_set_now: |world| {
        let now = world.number() as u64;
        call!(world, dfold_writer_set_now(world.writer, now));
    }
    dfold_writer_message: |world| { call_out!(world, |out| dfold_writer_message(world.writer, out)); }
    dfold_writer_reasoning: |world| { call_out!(world, |out| dfold_writer_reasoning(world.writer, out)); }
    dfold_writer_function_call: |world| {
        let (id, name) = (world.word(&["call_1", "call_2"]), world.word(&["f"]));
        call_out!(world, |out| dfold_writer_function_call(world.writer, id, name, out));
    }
    dfold_writer_custom_tool_call: |world| {
        let (id, name) = (world.word(&["call_1", "call_2"]), world.word(&["f"]));
        call_out!(world, |out| dfold_writer_custom_tool_call(world.writer, id, name, out));
    }
    dfold_writer_open: |world| {
        let kind = world.word(&["message", "acme:x", "web_search_call", "compaction"]);
        let fields = world.word(&["", "{}", r#"{"encrypted_content":"x"}"#]);
        call_out!(world, |out| dfold_writer_open(world.writer, kind, fields, out));
    }
    dfold_writer_text: |world| {
        let (item, text) = (world.number() as u32, world.word(&["Hel", "é😀"]));
        call!(world, dfold_writer_text(world.writer, item, text));
    }
    dfold_writer_refusal: |world| {
        let (item, text) = (world.number() as u32, world.view());
        call!(world, dfold_writer_refusal(world.writer, item, text));
    }
    dfold_writer_reasoning_text: |world| {
        let (item, text) = (world.number() as u32, world.view());
        call!(world, dfold_writer_reasoning_text(world.writer, item, text));
    }
    dfold_writer_reasoning_summary: |world| {
        let (item, text) = (world.number() as u32, world.view());
        call!(world, dfold_writer_reasoning_summary(world.writer, item, text));
    }
    dfold_writer_arguments: |world| {
        let (item, text) = (world.number() as u32, world.word(&["{}", "{\"a\":", "1}"]));
        call!(world, dfold_writer_arguments(world.writer, item, text));
    }
    dfold_writer_input: |world| {
        let (item, text) = (world.number() as u32, world.view());
        call!(world, dfold_writer_input(world.writer, item, text));
    }
    dfold_writer_close: |world| {
        let item = world.number() as u32;
        call!(world, dfold_writer_close(world.writer, item));
    }
    dfold_writer_complete: |world| {
        let usage = dfold_usage {
            input_tokens: world.number() as u64, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0,
            cache_write_tokens: 0, has_cache_write_tokens: 1,
        };
        let usage = if usage.input_tokens % 2 == 0 { ptr::null() } else { &raw const usage };
        call!(world, dfold_writer_complete(world.writer, usage));
    }
    dfold_writer_incomplete: |world| {
        let reason = world.word(&["max_output_tokens", "content_filter"]);
        call!(world, dfold_writer_incomplete(world.writer, reason, ptr::null()));
    }
    dfold_writer_cancel: |world| { call!(world, dfold_writer_cancel(world.writer)); }
    dfold_writer_fail: |world| {
        let (kind, code, message) = (world.word(&["server_error"]), world.word(&["boom", ""]), world.view());
        call!(world, dfold_writer_fail(world.writer, kind, code, message));
    }
    dfold_writer_heartbeat: |world| { call!(world, dfold_writer_heartbeat(world.writer)); }
    dfold_kind_name: |world| {
        let kind = i32::from(world.byte()) - 1;
        world.see(dfold_kind_name(kind));
    }
    dfold_reader_note_request: |world| {
        let request = world.word(&[r#"{"model":"m","tools":[]}"#]);
        call!(world, dfold_reader_note_request(world.reader, request.data, request.len));
    }
    dfold_reader_note_head: |world| {
        let name = world.word(&["content-type", "x-ratelimit-remaining-tokens", "retry-after"]);
        let headers = [dfold_header { name, value: world.word(&["text/event-stream", "17", "6m0s"]) }];
        let count = usize::from(world.byte()) % 2;
        let status = world.number() as u32;
        call!(world, dfold_reader_note_head(world.reader, status, headers.as_ptr(), count));
    }
    dfold_reader_rate_limits_json: |world| {
        let json = call_out!(world, |out| dfold_reader_rate_limits_json(world.reader, out));
        see_some(world, json);
    }
    dfold_reader_options_init: |world| {
        // A caller with an older header has a smaller struct.
        let mut room = [0_usize; 64];
        let size = world.number().saturating_mul(16);
        let fits = size <= size_of_val(&room);
        let place = if fits { room.as_mut_ptr().cast() } else { ptr::null_mut() };
        call!(world, dfold_reader_options_init(place, size));
    }
    dfold_partial_new: |world| {
        let options = world.word(&["", r#"{"strings":"omit"}"#, r#"{"strings":"mark","numbers":"include"}"#]);
        let mut problem = no_problem();
        let made = call_out!(world, |out| dfold_partial_new(options, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.partial, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_partial_free(old) };
        }
    }
    dfold_partial_free: |world| {
        let old = std::mem::replace(&mut world.partial, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_partial_free(old) };
    }
    dfold_partial_push: |world| {
        let piece = world.word(&["{\"a\":[1,\"", "\\ud83d", "x\"", "]}"]);
        call!(world, dfold_partial_push(world.partial, piece.data, piece.len));
    }
    dfold_partial_finish: |world| { call!(world, dfold_partial_finish(world.partial)); }
    dfold_partial_reset: |world| { call!(world, dfold_partial_reset(world.partial)); }
    dfold_partial_value: |world| {
        let json = call_out!(world, |out| dfold_partial_value(world.partial, out));
        see_some(world, json);
    }
    dfold_partial_unfinished: |world| {
        let unfinished: Option<dfold_unfinished> = call_out!(world, |out| dfold_partial_unfinished(world.partial, out));
        see_some(world, unfinished.map(|unfinished| unfinished.pointer));
        see_some(world, unfinished.map(|unfinished| unfinished.r#type));
    }
    dfold_partial_is_complete: |world| { call_out!(world, |out| dfold_partial_is_complete(world.partial, out)); }
    dfold_partial_changes: |world| {
        let json = call_out!(world, |out| dfold_partial_changes(world.partial, out));
        see_some(world, json);
    }
    dfold_partial_clear_changes: |world| { call!(world, dfold_partial_clear_changes(world.partial)); }
    dfold_partial_error: |world| {
        let error = call_out!(world, |out| dfold_partial_error(world.partial, out));
        see_error(world, error);
    }
    dfold_reader_new: |world| {
        let options = reader_options(world);
        let options = if world.byte() % 4 == 0 { ptr::null() } else { &raw const options };
        let made = call_out!(world, |out| dfold_reader_new(options, out));
        put_reader(world, made);
    }
    dfold_reader_new_json: |world| {
        let (options, mut problem) = (world.word(READER_OPTIONS), no_problem());
        let made = call_out!(world, |out| dfold_reader_new_json(options, &mut problem, out));
        see_problem(world, &problem);
        put_reader(world, made);
    }
    dfold_reader_restore_json: |world| {
        let (options, mut problem) = (world.word(READER_OPTIONS), no_problem());
        let saved = std::mem::take(&mut world.saved);
        let made = call_out!(world, |out| dfold_reader_restore_json(saved.as_ptr(), saved.len(), options, &mut problem, out));
        see_problem(world, &problem);
        put_reader(world, made);
    }
    dfold_reader_restore: |world| {
        let saved = std::mem::take(&mut world.saved);
        let made = call_out!(world, |out| dfold_reader_restore(saved.as_ptr(), saved.len(), ptr::null(), out));
        put_reader(world, made);
    }
    dfold_reader_free: |world| {
        let old = std::mem::replace(&mut world.reader, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_reader_free(old) };
    }
    dfold_reader_reset: |world| { call!(world, dfold_reader_reset(world.reader)); }
    dfold_reader_feed: |world| {
        // A copy that is dropped at once: the reader must not keep the caller's pointer.
        let chunk = world.piece().to_vec();
        call!(world, dfold_reader_feed(world.reader, chunk.as_ptr(), chunk.len()));
    }
    dfold_reader_feed_json: |world| {
        let message = world.piece().to_vec();
        call!(world, dfold_reader_feed_json(world.reader, message.as_ptr(), message.len()));
    }
    dfold_reader_end: |world| { call!(world, dfold_reader_end(world.reader)); }
    dfold_reader_poll: |world| {
        let event: Option<dfold_event> = call_out!(world, |out| dfold_reader_poll(world.reader, out));
        if let Some(event) = event {
            let views = [event.r#type, event.item_id, event.delta, event.text, event.raw, event.frame_name];
            views.iter().for_each(|view| world.see(*view));
            // Getters do not invalidate the views of the event.
            let pointer = world.word(POINTERS);
            let value: Option<dfold_value> = call_out!(world, |out| dfold_event_get(world.reader, pointer, out));
            see_some(world, value.map(|value| value.text));
            let json = call_out!(world, |out| dfold_reader_response_json(world.reader, out));
            see_some(world, json);
            views.iter().for_each(|view| world.see(*view));
        }
    }
    dfold_event_get: |world| {
        let pointer = world.word(POINTERS);
        let value: Option<dfold_value> = call_out!(world, |out| dfold_event_get(world.reader, pointer, out));
        see_some(world, value.map(|value| value.text));
    }
    dfold_reader_finish: |world| {
        let outcome: Option<dfold_outcome> = call_out!(world, |out| dfold_reader_finish(world.reader, out));
        if let Some(outcome) = outcome {
            for view in [outcome.name, outcome.reason, outcome.error_type, outcome.error_code, outcome.error_message] {
                world.see(view);
            }
            world.see(outcome.error_param);
        }
    }
    dfold_reader_outcome: |world| {
        let outcome: Option<dfold_outcome> = call_out!(world, |out| dfold_reader_outcome(world.reader, out));
        if let Some(outcome) = outcome {
            for view in [outcome.name, outcome.reason, outcome.error_type, outcome.error_code, outcome.error_message] {
                world.see(view);
            }
            world.see(outcome.error_param);
        }
    }
    dfold_reader_reconnect: |world| { call!(world, dfold_reader_reconnect(world.reader)); }
    dfold_reader_finding: |world| {
        let at = world.number();
        let finding = call_out!(world, |out| dfold_reader_finding(world.reader, at, out));
        see_finding(world, finding);
    }
    dfold_reader_findings_json: |world| {
        let json = call_out!(world, |out| dfold_reader_findings_json(world.reader, out));
        see_some(world, json);
    }
    dfold_reader_state: |world| {
        let state: Option<dfold_state> = call_out!(world, |out| dfold_reader_state(world.reader, out));
        see_some(world, state.map(|state| state.last_event_id));
    }
    dfold_reader_error: |world| {
        let error = call_out!(world, |out| dfold_reader_error(world.reader, out));
        see_error(world, error);
    }
    dfold_reader_save: |world| {
        let saved: Option<dfold_bytes> = call_out!(world, |out| dfold_reader_save(world.reader, out));
        if let Some(saved) = saved {
            world.see(saved);
            // SAFETY: the library returned it, and no call on the reader has been made since.
            world.saved = unsafe { std::slice::from_raw_parts(saved.data, saved.len) }.to_vec();
        }
    }
    dfold_check: |world| {
        let (stream, options, mut problem) = (world.view(), world.word(READER_OPTIONS), no_problem());
        let made = call_out!(world, |out| dfold_check(stream.data, stream.len, options, &mut problem, out));
        see_problem(world, &problem);
        put_report(world, made);
    }
    dfold_validate: |world| {
        let what = world.word(&["event", "response", "request"]);
        let (json, options, mut problem) = (world.view(), world.word(&["", r#"{"edition":"split"}"#]), no_problem());
        let made = call_out!(world, |out| dfold_validate(what, json, options, &mut problem, out));
        see_problem(world, &problem);
        put_report(world, made);
    }
    dfold_report_free: |world| {
        let old = std::mem::replace(&mut world.report, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_report_free(old) };
    }
    dfold_report_summary: |world| {
        let summary: Option<dfold_summary> = call_out!(world, |out| dfold_report_summary(world.report, out));
        see_some(world, summary.map(|summary| summary.outcome));
    }
    dfold_report_finding: |world| {
        let at = world.number();
        let finding = call_out!(world, |out| dfold_report_finding(world.report, at, out));
        see_finding(world, finding);
    }
    dfold_report_findings_json: |world| {
        let json = call_out!(world, |out| dfold_report_findings_json(world.report, out));
        see_some(world, json);
    }
    dfold_report_json: |world| {
        let json = call_out!(world, |out| dfold_report_json(world.report, out));
        see_some(world, json);
    }
    dfold_report_text: |world| {
        let text = call_out!(world, |out| dfold_report_text(world.report, out));
        see_some(world, text);
    }
    dfold_reader_response: |world| {
        let response: Option<dfold_response> = call_out!(world, |out| dfold_reader_response(world.reader, out));
        if let Some(response) = response {
            [response.id, response.status, response.model].into_iter().for_each(|view| world.see(view));
        }
    }
    dfold_reader_response_json: |world| {
        let json = call_out!(world, |out| dfold_reader_response_json(world.reader, out));
        see_some(world, json);
    }
    dfold_reader_response_get: |world| {
        let pointer = world.word(POINTERS);
        let value: Option<dfold_value> = call_out!(world, |out| dfold_reader_response_get(world.reader, pointer, out));
        see_some(world, value.map(|value| value.text));
    }
    dfold_reader_usage: |world| { let _: Option<dfold_usage> = call_out!(world, |out| dfold_reader_usage(world.reader, out)); }
    dfold_reader_output_text: |world| {
        let text = call_out!(world, |out| dfold_reader_output_text(world.reader, out));
        see_some(world, text);
    }
    dfold_reader_item: |world| {
        let at = world.number();
        let item: Option<dfold_item> = call_out!(world, |out| dfold_reader_item(world.reader, at, out));
        if let Some(item) = item {
            for view in [item.r#type, item.id, item.status, item.call_id, item.name, item.arguments] {
                world.see(view);
            }
        }
    }
    dfold_reader_find_item: |world| {
        let at = world.number() as u64;
        call_out!(world, |out| dfold_reader_find_item(world.reader, at, out));
    }
    dfold_reader_item_json: |world| {
        let at = world.number();
        let json = call_out!(world, |out| dfold_reader_item_json(world.reader, at, out));
        see_some(world, json);
    }
    dfold_reader_item_get: |world| {
        let (at, pointer) = (world.number(), world.word(POINTERS));
        let value: Option<dfold_value> = call_out!(world, |out| dfold_reader_item_get(world.reader, at, pointer, out));
        see_some(world, value.map(|value| value.text));
    }
    dfold_reader_part: |world| {
        let (item, part) = (world.number(), world.number());
        let part: Option<dfold_part> = call_out!(world, |out| dfold_reader_part(world.reader, item, part, out));
        see_some(world, part.map(|part| part.r#type));
        see_some(world, part.map(|part| part.text));
    }
    dfold_reader_summary_part: |world| {
        let (item, part) = (world.number(), world.number());
        let part: Option<dfold_part> = call_out!(world, |out| dfold_reader_summary_part(world.reader, item, part, out));
        see_some(world, part.map(|part| part.text));
    }
    dfold_reader_partial_arguments: |world| {
        let at = world.number();
        let json = call_out!(world, |out| dfold_reader_partial_arguments(world.reader, at, out));
        see_some(world, json);
    }
    dfold_reader_partial_json: |world| {
        let (item, part) = (world.number(), world.number());
        let json = call_out!(world, |out| dfold_reader_partial_json(world.reader, item, part, out));
        see_some(world, json);
    }
    dfold_reader_partial_image: |world| {
        let (item, at) = (world.number(), world.number());
        let image: Option<dfold_image> = call_out!(world, |out| dfold_reader_partial_image(world.reader, item, at, out));
        see_some(world, image.map(|image| image.base64));
    }
    dfold_sse_new: |world| {
        let made = call_out!(world, |out| dfold_sse_new(out));
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.decoder, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_sse_free(old) };
        }
    }
    dfold_sse_new_json: |world| {
        let (limits, mut problem) = (world.word(&["", r#"{"line_bytes":20,"overflow":"drop"}"#]), no_problem());
        let made = call_out!(world, |out| dfold_sse_new_json(limits, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.decoder, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_sse_free(old) };
        }
    }
    dfold_sse_error: |world| {
        let error = call_out!(world, |out| dfold_sse_error(world.decoder, out));
        see_error(world, error);
    }
    dfold_sse_next: |world| {
        let (chunk, mut at) = (world.view(), 0);
        loop {
            let signal: Option<dfold_signal> =
                call_out!(world, |out| dfold_sse_next(world.decoder, chunk.data, chunk.len, &mut at, out));
            let Some(signal) = signal else { break };
            [signal.event, signal.data, signal.id].into_iter().for_each(|view| world.see(view));
        }
    }
    dfold_sse_reset: |world| { call!(world, dfold_sse_reset(world.decoder)); }
    dfold_sse_free: |world| {
        let old = std::mem::replace(&mut world.decoder, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_sse_free(old) };
    }
    dfold_status_str: |world| {
        let status = i32::from(world.byte()) - 1;
        see_text(world, dfold_status_str(status));
    }
    dfold_status_name: |world| {
        let status = i32::from(world.byte()) * 37 - 1;
        world.see(dfold_status_name(status));
    }
    dfold_version: |world| { see_text(world, dfold_version()); }
    dfold_abi_version: |world| { world.read = world.read.wrapping_add(u64::from(dfold_abi_version())) & 0xFFFF_FFFF; }
    dfold_writer_options_init: |world| {
        let mut room = [0_usize; 64];
        let size = world.number().saturating_mul(16);
        let fits = size <= size_of_val(&room);
        let place = if fits { room.as_mut_ptr().cast() } else { ptr::null_mut() };
        call!(world, dfold_writer_options_init(place, size));
    }
    dfold_writer_new: |world| {
        let mut options = MaybeUninit::<dfold_writer_options>::uninit();
        // SAFETY: the memory is writable and of this size.
        let status = unsafe { dfold_writer_options_init(options.as_mut_ptr(), size_of::<dfold_writer_options>()) };
        assert!(world.good(status));
        // SAFETY: the call above initialized it.
        let mut options = unsafe { options.assume_init() };
        options.id = "resp_1".as_bytes().into();
        options.edition = world.word(&["", "split"]);
        options.heartbeat = world.word(&["", "keepalive", "off"]);
        let made = call_out!(world, |out| dfold_writer_new(&raw const options, out));
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.writer, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_writer_free(old) };
        }
    }
    dfold_writer_new_json: |world| {
        let options = world.word(&[r#"{"id":"resp_1","model":"m","created_at":5}"#, r#"{"id":"r","reasoning_names":"openai"}"#]);
        let mut problem = no_problem();
        let made = call_out!(world, |out| dfold_writer_new_json(options, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.writer, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_writer_free(old) };
        }
    }
    dfold_writer_free: |world| {
        let old = std::mem::replace(&mut world.writer, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_writer_free(old) };
    }
    dfold_writer_take: |world| {
        let taken = call_out!(world, |out| dfold_writer_take(world.writer, out));
        see_some(world, taken);
    }
    dfold_writer_poll: |world| {
        let json = call_out!(world, |out| dfold_writer_poll(world.writer, out));
        see_some(world, json);
    }
    dfold_writer_progress: |world| {
        let _: Option<dfold_progress> = call_out!(world, |out| dfold_writer_progress(world.writer, out));
    }
    dfold_writer_response_json: |world| {
        let json = call_out!(world, |out| dfold_writer_response_json(world.writer, out));
        see_some(world, json);
    }
    dfold_writer_error: |world| {
        let error = call_out!(world, |out| dfold_writer_error(world.writer, out));
        see_error(world, error);
    }
    dfold_request: |world| {
        let what = world.word(&["history", "enforce", "tool_loop", "tool_results", "advice", "create_message"]);
        let (json, mut problem) = (world.word(&[r#"{"request":{"model":"m"}}"#, r#"{"error":{"code":"c"}}"#]), no_problem());
        let made = call_out!(world, |out| dfold_request(what, json, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.text, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_text_free(old) };
        }
    }
    dfold_text_view: |world| {
        let text = call_out!(world, |out| dfold_text_view(world.text, out));
        see_some(world, text);
    }
    dfold_text_free: |world| {
        let old = std::mem::replace(&mut world.text, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_text_free(old) };
    }
    dfold_tool_loop_new: |world| {
        let options = world.word(&[r#"{"request":{"model":"m","input":"x","tools":[{"type":"function","name":"f"}]}}"#]);
        let mut problem = no_problem();
        let made = call_out!(world, |out| dfold_tool_loop_new(options, &mut problem, out));
        see_problem(world, &problem);
        if let Some(made) = made {
            let old = std::mem::replace(&mut world.tools, made);
            // SAFETY: NULL or created by the library, and not used again.
            unsafe { dfold_tool_loop_free(old) };
        }
    }
    dfold_tool_loop_free: |world| {
        let old = std::mem::replace(&mut world.tools, ptr::null_mut());
        // SAFETY: NULL or created by the library, and not used again.
        unsafe { dfold_tool_loop_free(old) };
    }
    dfold_tool_loop_apply: |world| {
        let response = world.word(&[
            r#"{"id":"r","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#,
            r#"{"id":"r","status":"completed","output":[{"type":"function_call","call_id":"d","name":"g","arguments":"{}"}]}"#,
        ]);
        call!(world, dfold_tool_loop_apply(world.tools, response));
    }
    dfold_tool_loop_result: |world| {
        let (id, result) = (world.word(&["c", "d"]), world.word(&[r#""done""#, r#"{"error":"no"}"#]));
        call!(world, dfold_tool_loop_result(world.tools, id, result));
    }
    dfold_tool_loop_stop: |world| { call!(world, dfold_tool_loop_stop(world.tools)); }
    dfold_tool_loop_state: |world| {
        let state: Option<dfold_loop_state> = call_out!(world, |out| dfold_tool_loop_state(world.tools, out));
        see_some(world, state.map(|state| state.reason));
    }
    dfold_tool_loop_pending: |world| {
        let at = world.number();
        let call = call_out!(world, |out| dfold_tool_loop_pending(world.tools, at, out));
        see_call(world, call);
    }
    dfold_tool_loop_rejected: |world| {
        let at = world.number();
        let call = call_out!(world, |out| dfold_tool_loop_rejected(world.tools, at, out));
        see_call(world, call);
    }
    dfold_tool_loop_request: |world| {
        let json = call_out!(world, |out| dfold_tool_loop_request(world.tools, out));
        see_some(world, json);
    }
    dfold_tool_loop_json: |world| {
        let json = call_out!(world, |out| dfold_tool_loop_json(world.tools, out));
        see_some(world, json);
    }
    dfold_tool_loop_error: |world| {
        let error = call_out!(world, |out| dfold_tool_loop_error(world.tools, out));
        see_error(world, error);
    }
}
