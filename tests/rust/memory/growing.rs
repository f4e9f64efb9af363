//! Everything that a stream makes a reader or a converter hold is counted: with a limit of 100 kB no shape of stream takes megabytes.
//!
//! A shape is one event with a number in it, repeated with rising numbers. `{n}` is the number, `{long}` a text of 2,000 bytes that
//! differs by number. An allocator that counts measures what is held at most, above the chunk that is being read.

use deltafold::__bindings::recount_bytes;
use deltafold::adapter::Converter;
use deltafold::validate::Layers;
use deltafold::{Code, Limits, Reader, ReaderOptions};
use deltafold_tests::memory::watch;

/// The limit that is set.
const LIMIT: usize = 100_000;

/// The bound on held bytes: above the limit, because strings and lists grow by doubling, and findings and templates have separate bounds.
const MOST: usize = 1_000_000;

/// The number of bytes of a shape that are fed, unless a limit ends reading.
const FED: usize = 3_000_000;

/// Each shape: a name, the events before, and the repeated event.
const SHAPES: &[(&str, &[&str], &str)] = &[
    (
        "deltas",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"0123456789 {n}"}"#,
    ),
    (
        "empty parts by delta",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":{n},"delta":""}"#,
    ),
    (
        "empty parts by event",
        &[],
        r#"{"type":"response.content_part.added","output_index":0,"content_index":{n},"part":{"type":"output_text","text":""}}"#,
    ),
    (
        "parts that only end",
        &[],
        r#"{"type":"response.content_part.done","output_index":0,"content_index":{n},"part":{}}"#,
    ),
    ("empty items", &[], r#"{"type":"response.output_item.added","output_index":{n},"item":{"type":"message"}}"#),
    ("items that only end", &[], r#"{"type":"response.output_item.done","output_index":{n},"item":{}}"#),
    ("items by delta", &[], r#"{"type":"response.output_text.delta","output_index":{n},"content_index":0,"delta":""}"#),
    (
        "items with many members",
        &[],
        r#"{"type":"response.output_item.done","output_index":{n},"item":{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0,"q":0,"r":0,"s":0,"t":0}}"#,
    ),
    (
        "items with nested lists",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"type":"acme:x","status":"in_progress","x":[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]}}"#,
    ),
    ("long ids", &[], r#"{"type":"response.output_item.added","output_index":{n},"item":{"id":"{long}"}}"#),
    ("long item ids of deltas", &[], r#"{"type":"response.output_text.delta","item_id":"{long}","delta":""}"#),
    ("ids that change", &[], r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"{long}"}}"#),
    (
        "an item that is added again",
        &[],
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"{long}","type":"message"}}"#,
    ),
    (
        "names of calls",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"id":"{n}","type":"function_call","name":"{long}","call_id":"{long}"}}"#,
    ),
    (
        "rate limits of errors",
        &[],
        r#"{"type":"error","error":{"type":"t","code":"c","message":"m","headers":{"x-ratelimit-{n}":"{long}"}}}"#,
    ),
    (
        "many rate limits of errors",
        &[],
        r#"{"type":"error","error":{"type":"t","code":"c","message":"m","headers":{"x-ratelimit-{n}":"1"}}}"#,
    ),
    ("rate limit events", &[], r#"{"type":"response.rate_limits.updated","rate_limits":[{"name":"{long}"}]}"#),
    ("errors", &[], r#"{"type":"error","error":{"type":"{long}","code":"{long}","message":"{long}"}}"#),
    (
        "log probabilities",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"","logprobs":[{"token":"","logprob":0}]}"#,
    ),
    (
        "log probabilities of parts",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":{n},"delta":"","logprobs":[{}]}"#,
    ),
    (
        "log probabilities of done texts",
        &[],
        r#"{"type":"response.output_text.done","output_index":0,"content_index":{n},"text":"","logprobs":[{},{},{},{},{},{},{},{},{},{},{},{}]}"#,
    ),
    ("done texts", &[], r#"{"type":"response.output_text.done","output_index":0,"content_index":{n},"text":"{long}"}"#),
    (
        "annotations",
        &[],
        r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation_index":{n},"annotation":{}}"#,
    ),
    (
        "annotations of parts",
        &[],
        r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":{n},"annotation_index":0,"annotation":{"a":[1,[2]]}}"#,
    ),
    (
        "one annotation again",
        &[],
        r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation_index":0,"annotation":{"a":"{long}"}}"#,
    ),
    (
        "summaries",
        &[],
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":{n},"delta":""}"#,
    ),
    (
        "summary parts",
        &[],
        r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":{n},"part":{"type":"summary_text","text":""}}"#,
    ),
    ("refusals", &[], r#"{"type":"response.refusal.delta","output_index":0,"content_index":{n},"delta":""}"#),
    ("reasoning", &[], r#"{"type":"response.reasoning.delta","output_index":0,"content_index":{n},"delta":""}"#),
    (
        "commands",
        &[],
        r#"{"type":"response.shell_call_command.added","output_index":0,"command_index":{n},"command":""}"#,
    ),
    (
        "commands by delta",
        &[],
        r#"{"type":"response.shell_call_command.delta","output_index":0,"command_index":{n},"delta":""}"#,
    ),
    (
        "shell outputs",
        &[],
        r#"{"type":"response.shell_call_output_content.delta","output_index":0,"command_index":{n},"delta":{}}"#,
    ),
    (
        "shell outputs that are done",
        &[],
        r#"{"type":"response.shell_call_output_content.done","output_index":0,"command_index":{n},"output":[{"a":[],"b":[],"c":[],"d":[]}]}"#,
    ),
    (
        "preview images",
        &[],
        r#"{"type":"response.image_generation_call.partial_image","output_index":0,"partial_image_index":{n},"partial_image_b64":""}"#,
    ),
    (
        "preview images of items",
        &[],
        r#"{"type":"response.image_generation_call.partial_image","output_index":{n},"partial_image_index":0,"partial_image_b64":"AAAA"}"#,
    ),
    ("tool states", &[], r#"{"type":"response.web_search_call.searching","output_index":{n}}"#),
    ("arguments", &[], r#"{"type":"response.function_call_arguments.delta","output_index":{n},"delta":""}"#),
    (
        "names of done arguments",
        &[],
        r#"{"type":"response.function_call_arguments.done","output_index":{n},"name":"{long}","arguments":""}"#,
    ),
    ("custom inputs", &[], r#"{"type":"response.custom_tool_call_input.delta","output_index":{n},"delta":""}"#),
    ("code", &[], r#"{"type":"response.code_interpreter_call_code.delta","output_index":{n},"delta":""}"#),
    ("diffs", &[], r#"{"type":"response.apply_patch_call_operation_diff.delta","output_index":{n},"delta":""}"#),
    ("mcp calls", &[], r#"{"type":"response.mcp_call_arguments.delta","output_index":{n},"delta":""}"#),
    (
        "snapshots",
        &[],
        r#"{"type":"response.in_progress","response":{"id":"r","a":[{},{},{},{},{},{},{},{},{},{},{},{},{}],"b":"{long}"}}"#,
    ),
    (
        "snapshots with items",
        &[],
        r#"{"type":"response.created","response":{"id":"r{n}","output":[{"status":"in_progress"},{},{"id":"{long}"}]}}"#,
    ),
    ("unknown events", &[], r#"{"type":"response.unknown{n}","a":"{long}"}"#),
    ("extension events", &[], r#"{"type":"acme:{n}","a":"{long}","b":[{},{},{}]}"#),
    ("long event types", &[], r#"{"type":"{long}"}"#),
    (
        "long keys",
        &[],
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","{long}":{"{long}":1}}}"#,
    ),
    (
        "keys that the contract does not have",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"","{long}":1}"#,
    ),
    ("payloads that are no JSON", &[], r#"{"type":"{long}"#),
    (
        "items after the end",
        &[r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"type":"message","id":"{long}"}}"#,
    ),
    (
        "parts after the end",
        &[r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#],
        r#"{"type":"response.content_part.added","output_index":0,"content_index":{n},"part":{"type":"output_text"}}"#,
    ),
    (
        "parts of a finished item",
        &[r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m"}}"#],
        r#"{"type":"response.content_part.added","item_id":"m","output_index":0,"content_index":{n},"part":{"type":"output_text"}}"#,
    ),
    (
        "annotations of a finished item",
        &[r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m"}}"#],
        r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":{n},"annotation_index":0,"annotation":{}}"#,
    ),
];

fn text(shape: &str, number: usize) -> String {
    let long = format!("{number:->2000}");
    shape.replace("{n}", &number.to_string()).replace("{long}", &long)
}

fn limits() -> Limits {
    Limits::default().response_bytes(LIMIT).items(usize::MAX).parts(usize::MAX)
}

/// Returns what reading a shape holds at most, and how many bytes were read.
fn held(before: &[&str], shape: &str, layers: Layers, json: bool) -> (usize, usize) {
    let options = ReaderOptions::default().layers(layers).limits(limits());
    let mut fed = 0;
    let used = watch(|| {
        let mut reader = Reader::with_options(options);
        for number in 0.. {
            let event = match before.get(number) {
                Some(event) => (*event).to_owned(),
                None => text(shape, number - before.len()),
            };
            fed += event.len();
            let taken =
                if json { reader.feed_json(&event) } else { reader.feed(format!("data: {event}\n\n").as_bytes()) };
            if taken.is_err() || fed > FED {
                break;
            }
            drop(event);
            loop {
                match reader.poll_event() {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) => {
                        assert_eq!(error.code(), Code::ResponseLimit, "{shape}");
                        return;
                    }
                }
            }
        }
        assert_eq!(reader.held_bytes(), recount_bytes(&reader), "after {fed} bytes of {shape}");
    });
    (used.peak, fed)
}

#[test]
fn what_a_stream_makes_a_reader_hold_is_within_the_limit() {
    let mut over = Vec::new();
    for (name, before, shape) in SHAPES {
        for (how, layers) in [("reading", Layers::NONE), ("validating", Layers::ALL)] {
            let (most, fed) = held(before, shape, layers, false);
            if most > MOST {
                over.push(format!("{name}, {how}: {most} bytes are held after {fed}"));
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}

#[test]
fn messages_that_wait_are_within_their_limit() {
    for message in ["", "{}", r#"{"type":"acme:x"}"#] {
        let limits = Limits::default().buffered_bytes(LIMIT);
        let mut reader = Reader::with_options(ReaderOptions::default().limits(limits));
        let mut refused = None;
        let used = watch(|| refused = (0..FED).find_map(|_| reader.feed_json(message).err()));
        assert_eq!(refused.map(|error| error.code()), Some(Code::BufferLimit), "{message:?}");
        assert!(used.peak < 4 * LIMIT, "{message:?}: {used:?}");
    }
    // A polled message no longer counts.
    let limits = Limits::default().buffered_bytes(100);
    let mut reader = Reader::with_options(ReaderOptions::default().limits(limits));
    for _ in 0..100 {
        (0..3).for_each(|_| reader.feed_json(r#"{"type":"acme:x"}"#).expect("within the limit"));
        while reader.poll_event().expect("within the limits").is_some() {}
    }
}

/// Source dialect, name, and the repeated message; the first message opens what the others add to.
const CONVERSIONS: &[(&str, &str, &[&str], &str)] = &[
    (
        "chat-completions",
        "texts",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"{long}"},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "long call names",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":{n},"id":"k{n}","type":"function","function":{"name":"{long}","arguments":""}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "names in pieces",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"{long}"}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "long call ids",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":{n},"id":"{long}","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "calls without a name",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":{n},"function":{"arguments":"x"}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "arguments",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":{n},"id":"k{n}","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "log probabilities",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":""},"logprobs":{"content":[{"token":"","logprob":0,"bytes":[],"top_logprobs":[]}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "empty log probabilities",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"logprobs":{"content":[{}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "annotations",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"x","annotations":[{"type":"url_citation","url_citation":{"url":"{long}","title":"t","start_index":0,"end_index":0}}]},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "alternating reasoning and text",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":"a","content":"b"},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "unknown members",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","{long}":1,"choices":[{"index":0,"delta":{"{long}":{}},"finish_reason":null}]}"#,
    ),
    (
        "chat-completions",
        "choices",
        &[],
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":{n},"delta":{"content":"x"},"finish_reason":null}]}"#,
    ),
    ("chat-completions", "errors", &[], r#"{"error":{"message":"{long}"}}"#),
    (
        "anthropic",
        "blocks",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"text","text":""}}"#,
    ),
    (
        "anthropic",
        "calls",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"tool_use","id":"t{n}","name":"{long}","input":{}}}"#,
    ),
    (
        "anthropic",
        "call ids",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"tool_use","id":"{long}","name":"f","input":{}}}"#,
    ),
    (
        "anthropic",
        "thinking",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"thinking","thinking":"","signature":"{long}"}}"#,
    ),
    (
        "anthropic",
        "redacted thinking",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"redacted_thinking","data":"{long}"}}"#,
    ),
    (
        "anthropic",
        "unknown blocks",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_start","index":{n},"content_block":{"type":"new_{n}","data":"{long}"}}"#,
    ),
    (
        "anthropic",
        "citations",
        &[
            r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ],
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"u","title":"{long}"}}}"#,
    ),
    (
        "anthropic",
        "signatures",
        &[
            r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        ],
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"{long}"}}"#,
    ),
    (
        "anthropic",
        "deltas of unknown blocks",
        &[r#"{"type":"message_start","message":{"id":"m","model":"m","usage":{}}}"#],
        r#"{"type":"content_block_delta","index":{n},"delta":{"type":"input_json_delta","partial_json":"{long}"}}"#,
    ),
    (
        "gemini",
        "calls",
        &[],
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"{long}","args":{}}}],"role":"model"},"index":0}]}"#,
    ),
    (
        "gemini",
        "texts",
        &[],
        r#"{"candidates":[{"content":{"parts":[{"text":"x","thoughtSignature":"{long}"}],"role":"model"},"index":0}]}"#,
    ),
    (
        "gemini",
        "unknown parts",
        &[],
        r#"{"candidates":[{"content":{"parts":[{"new{n}":{"a":"{long}"}}],"role":"model"},"index":0}]}"#,
    ),
    (
        "gemini",
        "grounding",
        &[],
        r#"{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"},"groundingMetadata":{"groundingChunks":[{"web":{"uri":"{long}","title":"t"}}],"groundingSupports":[{"segment":{"startIndex":0,"endIndex":1},"groundingChunkIndices":[0]}]},"index":0}]}"#,
    ),
    (
        "ollama",
        "calls",
        &[],
        r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"{long}","arguments":{}}}]},"done":false}"#,
    ),
    (
        "ollama",
        "images",
        &[],
        r#"{"model":"m","message":{"role":"assistant","content":"","images":["{long}"]},"done":false}"#,
    ),
    (
        "mistral",
        "calls",
        &[],
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"id":"k{n}","index":{n},"function":{"name":"{long}","arguments":""}}]},"finish_reason":null}]}"#,
    ),
    (
        "cohere",
        "calls",
        &[],
        r#"{"type":"tool-call-start","index":{n},"delta":{"message":{"tool_calls":{"id":"k{n}","type":"function","function":{"name":"{long}","arguments":""}}}}}"#,
    ),
    (
        "cohere",
        "citations",
        &[],
        r#"{"type":"citation-start","index":{n},"delta":{"message":{"citations":{"start":0,"end":1,"text":"{long}","sources":[]}}}}"#,
    ),
    ("blocks", "texts", &[], r#"{"type":"text","text":"{long}"}"#),
    ("blocks", "calls", &[], r#"{"type":"tool_use","id":"k{n}","name":"{long}","input":{}}"#),
    ("blocks", "unknown blocks", &[], r#"{"type":"new_{n}","data":"{long}"}"#),
    (
        "thread-events",
        "messages",
        &[],
        r#"{"type":"item.completed","item":{"id":"i{n}","type":"agent_message","text":""}}"#,
    ),
    (
        "thread-events",
        "commands",
        &[],
        r#"{"type":"item.started","item":{"id":"i{n}","type":"command_execution","command":"{long}","aggregated_output":"","status":"in_progress"}}"#,
    ),
    (
        "thread-events",
        "long ids",
        &[],
        r#"{"type":"item.started","item":{"id":"{long}","type":"agent_message","text":""}}"#,
    ),
    (
        "thread-events",
        "unknown items",
        &[],
        r#"{"type":"item.updated","item":{"id":"i{n}","type":"new","data":"{long}"}}"#,
    ),
    (
        "open-responses",
        "empty parts",
        &[],
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":{n},"delta":"x"}"#,
    ),
    (
        "open-responses",
        "empty items",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"type":"message"}}"#,
    ),
    (
        "open-responses",
        "long ids",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"id":"{long}","type":"message"}}"#,
    ),
    (
        "open-responses",
        "call names",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"id":"c{n}","call_id":"k{n}","type":"function_call","name":"{long}"}}"#,
    ),
    (
        "open-responses",
        "calls without a name",
        &[],
        r#"{"type":"response.output_item.added","output_index":{n},"item":{"id":"c{n}","call_id":"{long}","type":"function_call"}}"#,
    ),
    (
        "open-responses",
        "finished calls",
        &[],
        r#"{"type":"response.output_item.done","output_index":{n},"item":{"id":"c{n}","call_id":"{long}","type":"function_call","name":"f","arguments":"{}"}}"#,
    ),
    (
        "open-responses",
        "finished messages",
        &[],
        r#"{"type":"response.output_item.done","output_index":{n},"item":{"id":"m{n}","type":"message","content":[{"type":"output_text","text":"{long}"}]}}"#,
    ),
    (
        "open-responses",
        "foreign parts",
        &[],
        r#"{"type":"response.content_part.done","output_index":0,"content_index":{n},"part":{"type":"new","a":"{long}"}}"#,
    ),
    (
        "open-responses",
        "annotations",
        &[],
        r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":{n},"annotation_index":0,"annotation":{"url":"{long}"}}"#,
    ),
    (
        "open-responses",
        "extension items",
        &[],
        r#"{"type":"response.output_item.done","output_index":{n},"item":{"id":"c{n}","type":"acme:x","a":"{long}"}}"#,
    ),
    (
        "open-responses",
        "preview images",
        &[],
        r#"{"type":"response.image_generation_call.partial_image","output_index":{n},"partial_image_index":{n},"partial_image_b64":"{long}"}"#,
    ),
    (
        "open-responses",
        "snapshots",
        &[],
        r#"{"type":"response.in_progress","response":{"id":"{long}","model":"{long}"}}"#,
    ),
    ("open-responses", "errors", &[], r#"{"type":"error","error":{"message":"{long}"}}"#),
    ("open-responses", "extension events", &[], r#"{"type":"acme:{n}","a":"{long}"}"#),
];

#[test]
fn what_a_stream_makes_a_converter_hold_is_within_the_limit() {
    let mut over = Vec::new();
    for (from, name, before, shape) in CONVERSIONS {
        for to in ["open-responses", "ag-ui", "anthropic", "chat-completions", "ui-message-stream"] {
            if *from == "open-responses" && to == "open-responses" {
                continue;
            }
            let options = format!(
                r#"{{"from":"{from}","to":"{to}","options":{{"thread_id":"t","response_id":"r"}},"limits":{{"response_bytes":{LIMIT},"items":4000000,"parts":4000000}}}}"#
            );
            let mut fed = 0;
            let used = watch(|| {
                let mut converter = Converter::from_json(&options).expect("a conversion");
                let mut out = Vec::with_capacity(1 << 16);
                for number in 0.. {
                    let message = match before.get(number) {
                        Some(message) => (*message).to_owned(),
                        None => text(shape, number - before.len()),
                    };
                    fed += message.len();
                    if fed > FED || converter.feed(format!("data: {message}\n\n").as_bytes()).is_err() {
                        break;
                    }
                    converter.write_into(&mut out);
                    out.clear();
                }
            });
            if used.peak > MOST + (1 << 16) {
                over.push(format!("{from} to {to}, {name}: {} bytes are held after {fed}", used.peak));
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
