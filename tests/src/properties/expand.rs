//! A compact notation for long streams: a fuzzer that changes a few bytes then changes frames, not characters.

/// Builds a stream from the bytes of an input. Bytes that never occur in UTF-8 text are commands:
///
/// | byte | effect |
/// | --- | --- |
/// | `F8 i` | appends a frame of [`FRAMES`] |
/// | `F9 i` | appends a piece of [`PIECES`] |
/// | `FA n b` | changes the byte `n` before the end to `b` |
/// | `FB n` | removes the last `n` bytes |
/// | `FC n` | repeats the last `4 n` bytes |
/// | `FD b` | appends the byte `b`, whatever its value |
///
/// All other bytes are appended unchanged, so a capture represents itself.
pub fn expand(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len() * 2);
    let mut input = input.iter().copied();
    while let Some(byte) = input.next() {
        let mut next = || usize::from(input.next().unwrap_or(0));
        match byte {
            0xF8 => out.extend_from_slice(FRAMES[next() % FRAMES.len()].as_bytes()),
            0xF9 => out.extend_from_slice(PIECES[next() % PIECES.len()].as_bytes()),
            0xFA => {
                let (back, byte) = (next(), next());
                if let Some(at) = out.len().checked_sub(back + 1) {
                    out[at] = byte as u8;
                }
            }
            0xFB => out.truncate(out.len().saturating_sub(next())),
            0xFC => {
                let from = out.len().saturating_sub(next() * 4);
                // Bounded, because each command may double the size.
                if out.len() < 16_384 {
                    out.extend_from_within(from..);
                }
            }
            0xFD => out.push(next() as u8),
            _ => out.push(byte),
        }
    }
    out
}

/// Frames of valid streams, and slightly wrong variants.
pub const FRAMES: &[&str] = &[
    "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\n\n",
    "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":2,\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n",
    "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":3,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[],\"logprobs\":[]}}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hel\",\"logprobs\":[]}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":5,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"lo\",\"logprobs\":[]}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":6,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\" w\\u00f6rld\\ud83d\\ude00\",\"logprobs\":[]}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":10,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"\\\"x\\\"\",\"obfuscation\":\"a1\"}\n\n",
    "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"sequence_number\":7,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"text\":\"Hello\",\"logprobs\":[]}\n\n",
    "event: response.content_part.done\ndata: {\"type\":\"response.content_part.done\",\"sequence_number\":8,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"Hello\",\"annotations\":[],\"logprobs\":[]}}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":9,\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\",\"annotations\":[],\"logprobs\":[]}]}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":10,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":2,\"total_tokens\":3}}}\n\n",
    "data: [DONE]\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":5,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"b\"}\n\n",
    "data:{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"c\"}\n\n",
    "event: response.output_text.delta\r\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":5,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"d\"}\r\n\r\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":2,\"delta\":\"\\ud83d\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":2,\"delta\":\"\\ude00\"}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":11,\"output_index\":1,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"in_progress\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"\"}}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":12,\"item_id\":\"fc_1\",\"output_index\":1,\"delta\":\"{\\\"a\\\":\"}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":13,\"item_id\":\"fc_1\",\"output_index\":1,\"delta\":\"[1]}\"}\n\n",
    "event: response.function_call_arguments.done\ndata: {\"type\":\"response.function_call_arguments.done\",\"sequence_number\":14,\"item_id\":\"fc_1\",\"output_index\":1,\"arguments\":\"{\\\"a\\\":[1]}\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":15,\"output_index\":1,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[1]}\"}}\n\n",
    "data: {\"type\":\"response.output_item.added\",\"sequence_number\":16,\"output_index\":2,\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}}\n\n",
    "data: {\"type\":\"response.reasoning_summary_part.added\",\"sequence_number\":17,\"item_id\":\"rs_1\",\"output_index\":2,\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"response.reasoning_summary_text.delta\",\"sequence_number\":18,\"item_id\":\"rs_1\",\"output_index\":2,\"summary_index\":0,\"delta\":\"So\"}\n\n",
    "data: {\"type\":\"response.reasoning.delta\",\"sequence_number\":19,\"item_id\":\"rs_1\",\"output_index\":2,\"content_index\":0,\"delta\":\"hm\"}\n\n",
    "data: {\"type\":\"response.reasoning_text.delta\",\"sequence_number\":19,\"item_id\":\"rs_1\",\"output_index\":2,\"content_index\":0,\"delta\":\"hm\"}\n\n",
    "data: {\"type\":\"response.refusal.delta\",\"sequence_number\":20,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":1,\"delta\":\"no\"}\n\n",
    "data: {\"type\":\"response.output_text.annotation.added\",\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"annotation_index\":0,\"annotation\":{\"type\":\"url_citation\",\"url\":\"u\",\"title\":\"t\",\"start_index\":0,\"end_index\":1}}\n\n",
    "data: {\"type\":\"response.image_generation_call.partial_image\",\"item_id\":\"ig_1\",\"output_index\":3,\"partial_image_index\":0,\"partial_image_b64\":\"aGk=\"}\n\n",
    "data: {\"type\":\"response.shell_call_command.delta\",\"item_id\":\"sh_1\",\"output_index\":4,\"command_index\":0,\"delta\":\"ls\"}\n\n",
    "data: {\"type\":\"response.custom_tool_call_input.delta\",\"item_id\":\"ct_1\",\"output_index\":5,\"delta\":\"x\"}\n\n",
    "data: {\"type\":\"error\",\"sequence_number\":3,\"error\":{\"type\":\"server_error\",\"code\":\"c\",\"message\":\"m\",\"param\":null}}\n\n",
    "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"resp_1\",\"status\":\"failed\",\"error\":{\"code\":\"c\",\"message\":\"m\"},\"output\":[]}}\n\n",
    "data: {\"type\":\"response.incomplete\",\"response\":{\"id\":\"resp_1\",\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[{\"type\":\"message\"}]}}\n\n",
    "event: acme:tick\ndata: {\"type\":\"acme:tick\",\"n\":1}\n\n",
    ": ping\n\n",
    "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
];

/// Data that a careless or hostile sender inserts in wrong places.
pub const PIECES: &[&str] = &[
    "\r",
    "\n",
    "\n\n",
    "\r\n",
    "data: ",
    "data:",
    "event: ",
    "id: 1\n",
    "retry: 9\n",
    ": c\n",
    "[DONE]",
    "data: [DONE]\n\n",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1.5",
    "1e400",
    "4294967295",
    "18446744073709551616",
    "\u{feff}",
    "\u{2028}",
    "😀",
    "\0",
    "\"type\":\"response.completed\"",
    "\"output_index\":7",
    "\"content_index\":-1",
    "\"item_id\":null",
    "\"delta\":\"x\"",
    "\"sequence_number\":0",
    "\"response\":{}",
    "\"item\":null",
    "\"status\":\"incomplete\"",
    "acme:x",
];
