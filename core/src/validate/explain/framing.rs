//! Texts of the rules on HTTP, on event-stream framing and on problems met while reading.

super::explain! {
    Http01
        statement "Client and server talk over HTTP; WebSocket is an addition, not a replacement."
        reason "A client that knows only HTTP must be able to use every server."
        valid "" invalid ""
        unchecked "the bytes of a stream do not show the transport";
    Http02
        statement "A request has an `Authorization` header."
        reason "Servers refuse requests without one; a client that forgets it fails only in production."
        valid "Authorization: Bearer …" invalid "(no Authorization header)";
    Http03
        statement "A request has a `Content-Type` header."
        reason "Without it a server has to guess how to read the body."
        valid "Content-Type: application/json" invalid "(no Content-Type header)";
    Http04
        statement "A request body is sent as `application/json`; form encoding is not allowed, although the OpenAPI files list it."
        reason "Nested input items cannot be expressed as form fields, and servers parse such forms differently."
        valid "Content-Type: application/json" invalid "Content-Type: application/x-www-form-urlencoded";
    Http05
        statement "A response has a `Content-Type` header."
        reason "Clients use it to choose between a JSON parser and an event-stream parser."
        valid "Content-Type: text/event-stream" invalid "(no Content-Type header)";
    Http06
        statement "A response that is not streamed is `application/json`, and its body is JSON."
        reason "Clients would parse any other body, such as a proxy's HTML page, as JSON and fail."
        valid "Content-Type: application/json" invalid "Content-Type: text/html";
    Http07
        statement "A streamed response is `text/event-stream`; parameters such as a charset are tolerated."
        reason "Browsers and proxies buffer or refuse a stream under another type."
        valid "Content-Type: text/event-stream; charset=utf-8" invalid "Content-Type: application/json   (for a stream)";
    Http08
        statement "A request that is rejected before the stream starts gets an HTTP error status and a JSON error body."
        reason "A stream with status 200 that contains only an error passes every check of the status code."
        valid "HTTP/1.1 400\n{\"error\":{\"type\":\"invalid_request\",…}}" invalid "HTTP/1.1 200\ndata: {\"type\":\"error\",…}\n(end)";
    Http09
        statement "The HTTP status matches the type of the error (see ERR-03)."
        reason "Retry logic uses the status: a 400 for an overloaded model is never retried, a 500 for an invalid request is."
        valid "HTTP/1.1 429 with error.type \"too_many_requests\"" invalid "HTTP/1.1 400 with error.type \"too_many_requests\"";
    Sse01
        statement "The data of every frame is one JSON object, except the sentinel `[DONE]`."
        reason "Clients parse each frame separately; one frame that is not JSON ends the stream in both official SDKs."
        valid "data: {\"type\":\"response.created\",…}" invalid "data: {\"type\":\"response.crea";
    Sse02
        statement "The last frame of a stream is `[DONE]`."
        reason "Gateways that wait for the sentinel hang or report a truncated stream. OpenAI itself never sends it, so readers accept both."
        valid "data: {\"type\":\"response.completed\",…}\n\ndata: [DONE]" invalid "data: {\"type\":\"response.completed\",…}\n(end)";
    Sse03
        statement "The sentinel is exactly `[DONE]`, sent once, after the terminal event, and nothing follows it."
        reason "One SDK compares the whole text and one only its prefix: with extra characters the same stream fails in one and works in the other."
        valid "data: [DONE]" invalid "data: \"[DONE]\"\nor data: [DONE] before response.completed\nor data: [DONE] twice";
    Sse04
        statement "Every frame has an `event` line, and it equals the `type` in the payload."
        reason "Browser `EventSource` handlers are registered by event name: without the line, or with another name, they are never called."
        valid "event: response.created\ndata: {\"type\":\"response.created\",…}" invalid "event: message\ndata: {\"type\":\"response.created\",…}";
    Sse05
        statement "The `id` field of event streams is not used."
        reason "In openai-python, an id makes every later block that has only comments dispatch an empty event, which then fails to parse."
        valid "event: response.created\ndata: {…}" invalid "id: 7\nevent: response.created\ndata: {…}";
    Sse06
        statement "A reader follows the event-stream grammar: CR, LF and CRLF end lines, also when split between chunks; data lines are joined with LF; one space after the colon is removed; comments and unknown fields are skipped; a leading byte order mark is removed; characters may be split between chunks."
        reason "Chunk boundaries can be anywhere: a reader that gets one of these wrong loses an occasional event, usually only in production."
        valid "\"data: a\\r\" + \"\\ndata: b\\n\\n\" gives one frame \"a\\nb\"" invalid "the same bytes give other frames when split elsewhere"
        unchecked "binds readers; this library tests it on every vector whole, byte by byte and at random splits";
    Sse07
        statement "A reader accepts the fields of a block in any order."
        reason "A server may write `data` before `event`; the name still belongs to that event."
        valid "data: {…}\nevent: response.created   gives response.created" invalid "the name is given to the next event"
        unchecked "binds readers; tested by the framing vectors";
    Sse08
        statement "A reader dispatches no event for a block without data."
        reason "Otherwise keep-alives become empty events that fail to parse."
        valid "retry: 1000\\n\\n gives nothing" invalid "retry: 1000\\n\\n gives an empty event"
        unchecked "binds readers; tested by the framing vectors";
    Sse09
        statement "No block has empty data or consists only of an `event` line or a `retry` line."
        reason "Both official SDKs fail on such blocks. A comment line is the only keep-alive that every known reader accepts."
        valid ": keep-alive" invalid "event: ping\n(blank line)";
    Sse10
        statement "The last block ends with a blank line."
        reason "The event-stream grammar discards an open block at the end: readers that follow it lose the terminal event."
        valid "data: {\"type\":\"response.completed\",…}\\n\\n(end)" invalid "data: {\"type\":\"response.completed\",…}\\n(end)";
    Sse11
        statement "The most compatible form is LF line ends, one `data` line per event, and `event` before `data`."
        reason "The upstream test suite and many hand-written readers accept no other form."
        valid "event: …\\ndata: {…}\\n\\n" invalid "event: …\\r\\ndata: {…\\r\\ndata: …}\\r\\n\\r\\n";
    Read01
        statement "All text is UTF-8."
        reason "Invalid bytes become U+FFFD: the original text is lost."
        valid "data: {\"delta\":\"\u{e9}\"} in UTF-8 (C3 A9)" invalid "the same in Latin-1 (E9)";
    Read02
        statement "Each line and each payload stays within the reader's limits."
        reason "The payload was dropped to bound memory: the event is known, its content is not."
        valid "an event of 1 MB" invalid "an event of 65 MB under the default limits";
    Read03
        statement "JSON nesting is not deeper than the reader's limit."
        reason "Deep nesting is a well-known attack on JSON parsers: the event is kept as text and not parsed."
        valid "{\"a\":{\"b\":1}}" invalid "[[[[… 129 levels …]]]]";
    Read04
        statement "The input is a stream of Responses events."
        reason "A JSON error body, an HTML page or a stream of another API contains no Responses event, and an empty result would hide that."
        valid "event: response.created\ndata: {…}" invalid "<html><body>502 Bad Gateway</body></html>";
    Read05
        statement "Surrogate escapes in JSON strings come in pairs, within one delta or across two."
        reason "A lone surrogate is not a character; it becomes U+FFFD in the text."
        valid "\"delta\":\"\\ud83d\\ude00\"" invalid "\"delta\":\"\\ud83d\"";
    Read06
        statement "An object has each key only once."
        reason "Parsers disagree about which of two values is used; this library uses the last."
        valid "{\"type\":\"response.created\"}" invalid "{\"type\":\"response.created\",\"type\":\"error\"}";
    Read07
        statement "Routing fields have usable values: indexes are integers from 0, ids are strings."
        reason "An event that cannot be assigned to an item changes nothing, and its content is missing from the result."
        valid "\"output_index\":0" invalid "\"output_index\":-1";
    Read08
        statement "Each event is sent once."
        reason "After a reconnect a server may repeat events; if they were applied twice, their text would appear twice."
        valid "0, 1, 2, (reconnect after 2) 3, 4" invalid "0, 1, 2, (reconnect after 2) 2, 3, 4";
    Read09
        statement "A resumed stream continues directly after the last event that was read."
        reason "A gap after a reconnect means that events are lost; text may be missing in the middle."
        valid "0, 1, 2, (reconnect after 2) 3, 4" invalid "0, 1, 2, (reconnect after 2) 5, 6";
    Read10
        statement "The stream is read from its first event."
        reason "A stream that is joined in the middle lacks the earlier events: items and parts had to be opened without their initial values."
        valid "response.created, response.output_item.added, …" invalid "response.output_text.delta as the first event";
}
