//! Texts of the rules on HTTP, on event-stream framing and on problems met while reading.

super::explain! {
    Http01
        says "Client and server talk over HTTP; WebSocket is an addition, not a replacement."
        why "A client that knows only HTTP must be able to use every server."
        right "" wrong ""
        unseen "the bytes of a stream do not show the transport";
    Http02
        says "A request has an `Authorization` header."
        why "Servers refuse requests without one; a client that forgets it fails only in production."
        right "Authorization: Bearer …" wrong "(no Authorization header)";
    Http03
        says "A request has a `Content-Type` header."
        why "Without it a server has to guess how to read the body."
        right "Content-Type: application/json" wrong "(no Content-Type header)";
    Http04
        says "A request body is sent as `application/json`; form encoding is not allowed, although the OpenAPI files list it."
        why "Nested input items cannot be expressed as form fields, and servers parse such forms differently."
        right "Content-Type: application/json" wrong "Content-Type: application/x-www-form-urlencoded";
    Http05
        says "A response has a `Content-Type` header."
        why "Clients use it to choose between a JSON parser and an event-stream parser."
        right "Content-Type: text/event-stream" wrong "(no Content-Type header)";
    Http06
        says "A response that is not streamed is `application/json`, and its body is JSON."
        why "Clients would parse any other body, such as a proxy's HTML page, as JSON and fail."
        right "Content-Type: application/json" wrong "Content-Type: text/html";
    Http07
        says "A streamed response is `text/event-stream`; parameters such as a charset are tolerated."
        why "Browsers and proxies buffer or refuse a stream under another type."
        right "Content-Type: text/event-stream; charset=utf-8" wrong "Content-Type: application/json   (for a stream)";
    Http08
        says "A request that is rejected before the stream starts gets an HTTP error status and a JSON error body."
        why "A stream with status 200 that contains only an error passes every check of the status code."
        right "HTTP/1.1 400\n{\"error\":{\"type\":\"invalid_request\",…}}" wrong "HTTP/1.1 200\ndata: {\"type\":\"error\",…}\n(end)";
    Http09
        says "The HTTP status matches the type of the error (see ERR-03)."
        why "Retry logic uses the status: a 400 for an overloaded model is never retried, a 500 for an invalid request is."
        right "HTTP/1.1 429 with error.type \"too_many_requests\"" wrong "HTTP/1.1 400 with error.type \"too_many_requests\"";
    Sse01
        says "The data of every frame is one JSON object, except the sentinel `[DONE]`."
        why "Clients parse each frame separately; one frame that is not JSON ends the stream in both official SDKs."
        right "data: {\"type\":\"response.created\",…}" wrong "data: {\"type\":\"response.crea";
    Sse02
        says "The last frame of a stream is `[DONE]`."
        why "Gateways that wait for the sentinel hang or report a truncated stream. OpenAI itself never sends it, so readers accept both."
        right "data: {\"type\":\"response.completed\",…}\n\ndata: [DONE]" wrong "data: {\"type\":\"response.completed\",…}\n(end)";
    Sse03
        says "The sentinel is exactly `[DONE]`, sent once, after the terminal event, and nothing follows it."
        why "One SDK compares the whole text and one only its prefix: with extra characters the same stream fails in one and works in the other."
        right "data: [DONE]" wrong "data: \"[DONE]\"\nor data: [DONE] before response.completed\nor data: [DONE] twice";
    Sse04
        says "Every frame has an `event` line, and it equals the `type` in the payload."
        why "Browser `EventSource` handlers are registered by event name: without the line, or with another name, they are never called."
        right "event: response.created\ndata: {\"type\":\"response.created\",…}" wrong "event: message\ndata: {\"type\":\"response.created\",…}";
    Sse05
        says "The `id` field of event streams is not used."
        why "In openai-python, an id makes every later block that has only comments dispatch an empty event, which then fails to parse."
        right "event: response.created\ndata: {…}" wrong "id: 7\nevent: response.created\ndata: {…}";
    Sse06
        says "A reader follows the event-stream grammar: CR, LF and CRLF end lines, also when split between chunks; data lines are joined with LF; one space after the colon is removed; comments and unknown fields are skipped; a leading byte order mark is removed; characters may be split between chunks."
        why "Chunk boundaries can be anywhere: a reader that gets one of these wrong loses an occasional event, usually only in production."
        right "\"data: a\\r\" + \"\\ndata: b\\n\\n\" gives one frame \"a\\nb\"" wrong "the same bytes give other frames when split elsewhere"
        unseen "binds readers; this library tests it on every vector whole, byte by byte and at random splits";
    Sse07
        says "A reader accepts the fields of a block in any order."
        why "A server may write `data` before `event`; the name still belongs to that event."
        right "data: {…}\nevent: response.created   gives response.created" wrong "the name is given to the next event"
        unseen "binds readers; tested by the framing vectors";
    Sse08
        says "A reader dispatches no event for a block without data."
        why "Otherwise keep-alives become empty events that fail to parse."
        right "retry: 1000\\n\\n gives nothing" wrong "retry: 1000\\n\\n gives an empty event"
        unseen "binds readers; tested by the framing vectors";
    Sse09
        says "No block has empty data or consists only of an `event` line or a `retry` line."
        why "Both official SDKs fail on such blocks. A comment line is the only keep-alive that every known reader accepts."
        right ": keep-alive" wrong "event: ping\n(blank line)";
    Sse10
        says "The last block ends with a blank line."
        why "The event-stream grammar discards an open block at the end: readers that follow it lose the terminal event."
        right "data: {\"type\":\"response.completed\",…}\\n\\n(end)" wrong "data: {\"type\":\"response.completed\",…}\\n(end)";
    Sse11
        says "The most compatible form is LF line ends, one `data` line per event, and `event` before `data`."
        why "The upstream test suite and many hand-written readers accept no other form."
        right "event: …\\ndata: {…}\\n\\n" wrong "event: …\\r\\ndata: {…\\r\\ndata: …}\\r\\n\\r\\n";
    Read01
        says "All text is UTF-8."
        why "Invalid bytes become U+FFFD: the original text is lost."
        right "data: {\"delta\":\"\u{e9}\"} in UTF-8 (C3 A9)" wrong "the same in Latin-1 (E9)";
    Read02
        says "Each line and each payload stays within the reader's limits."
        why "The payload was dropped to bound memory: the event is known, its content is not."
        right "an event of 1 MB" wrong "an event of 65 MB under the default limits";
    Read03
        says "JSON nesting is not deeper than the reader's limit."
        why "Deep nesting is a well-known attack on JSON parsers: the event is kept as text and not parsed."
        right "{\"a\":{\"b\":1}}" wrong "[[[[… 129 levels …]]]]";
    Read04
        says "The input is a stream of Responses events."
        why "A JSON error body, an HTML page or a stream of another API contains no Responses event, and an empty result would hide that."
        right "event: response.created\ndata: {…}" wrong "<html><body>502 Bad Gateway</body></html>";
    Read05
        says "Surrogate escapes in JSON strings come in pairs, within one delta or across two."
        why "A lone surrogate is not a character; it becomes U+FFFD in the text."
        right "\"delta\":\"\\ud83d\\ude00\"" wrong "\"delta\":\"\\ud83d\"";
    Read06
        says "An object has each key only once."
        why "Parsers disagree about which of two values is used; this library uses the last."
        right "{\"type\":\"response.created\"}" wrong "{\"type\":\"response.created\",\"type\":\"error\"}";
    Read07
        says "Routing fields have usable values: indexes are integers from 0, ids are strings."
        why "An event that cannot be assigned to an item changes nothing, and its content is missing from the result."
        right "\"output_index\":0" wrong "\"output_index\":-1";
    Read08
        says "Each event is sent once."
        why "After a reconnect a server may repeat events; if they were applied twice, their text would appear twice."
        right "0, 1, 2, (reconnect after 2) 3, 4" wrong "0, 1, 2, (reconnect after 2) 2, 3, 4";
    Read09
        says "A resumed stream continues directly after the last event that was read."
        why "A gap after a reconnect means that events are lost; text may be missing in the middle."
        right "0, 1, 2, (reconnect after 2) 3, 4" wrong "0, 1, 2, (reconnect after 2) 5, 6";
    Read10
        says "The stream is read from its first event."
        why "A stream that is joined in the middle lacks the earlier events: items and parts had to be opened without their initial values."
        right "response.created, response.output_item.added, …" wrong "response.output_text.delta as the first event";
}
