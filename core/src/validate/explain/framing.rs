//! HTTP and event-stream framing, and what a reader ran into on the way, in words.

super::explain! {
    Http01
        says "Client and server talk over HTTP; WebSocket is an addition, not a replacement."
        why "A client that knows only HTTP must be able to use every server."
        right "" wrong ""
        unseen "the bytes of a stream do not tell what carried them";
    Http02
        says "A request has an `Authorization` header."
        why "Servers refuse requests without one; a client that forgets it fails only in production."
        right "Authorization: Bearer …" wrong "(no Authorization header)";
    Http03
        says "A request has a `Content-Type` header."
        why "Without it a server has to guess how to read the body."
        right "Content-Type: application/json" wrong "(no Content-Type header)";
    Http04
        says "A request body is sent as `application/json`; form encoding is not allowed, whatever the OpenAPI files list."
        why "Nested input items cannot be written as a form, and servers differ in what they make of one."
        right "Content-Type: application/json" wrong "Content-Type: application/x-www-form-urlencoded";
    Http05
        says "A response has a `Content-Type` header."
        why "Clients decide by it whether to read a JSON body or an event stream."
        right "Content-Type: text/event-stream" wrong "(no Content-Type header)";
    Http06
        says "A response that is not streamed is `application/json`, and its body is JSON."
        why "Anything else, such as a proxy's HTML page, is taken for an answer and breaks the JSON parser of the client."
        right "Content-Type: application/json" wrong "Content-Type: text/html";
    Http07
        says "A streamed response is `text/event-stream`; parameters such as a charset are tolerated."
        why "Browsers and proxies buffer or refuse a stream under another type."
        right "Content-Type: text/event-stream; charset=utf-8" wrong "Content-Type: application/json   (for a stream)";
    Http08
        says "A request that is refused before the stream starts gets an HTTP error status and a JSON error body."
        why "A stream with status 200 that holds nothing but an error passes every check on the status code."
        right "HTTP/1.1 400\n{\"error\":{\"type\":\"invalid_request\",…}}" wrong "HTTP/1.1 200\ndata: {\"type\":\"error\",…}\n(end)";
    Http09
        says "The HTTP status fits the type of the error (see ERR-03)."
        why "Retry logic looks at the status: a 400 for an overloaded model is never tried again, a 500 for a bad request is."
        right "HTTP/1.1 429 with error.type \"too_many_requests\"" wrong "HTTP/1.1 400 with error.type \"too_many_requests\"";
    Sse01
        says "The data of every frame is one JSON object, except the sentinel `[DONE]`."
        why "Clients parse each frame by itself; one frame that is not JSON ends the stream for both official SDKs."
        right "data: {\"type\":\"response.created\",…}" wrong "data: {\"type\":\"response.crea";
    Sse02
        says "The last frame of a stream is `[DONE]`."
        why "Gateways that wait for the sentinel hang or report a truncated stream. OpenAI itself never sends it, so readers accept both."
        right "data: {\"type\":\"response.completed\",…}\n\ndata: [DONE]" wrong "data: {\"type\":\"response.completed\",…}\n(end)";
    Sse03
        says "The sentinel is exactly `[DONE]`, sent once, behind the terminal event, and nothing follows it."
        why "One SDK compares for equality and one looks at the prefix: with extra characters the same stream fails in one and passes in the other."
        right "data: [DONE]" wrong "data: \"[DONE]\"\nor data: [DONE] before response.completed\nor data: [DONE] twice";
    Sse04
        says "The `event` line is there and equals the `type` in the payload."
        why "Browser `EventSource` users listen by event name: without the line, or with another name, their handler is never called."
        right "event: response.created\ndata: {\"type\":\"response.created\",…}" wrong "event: message\ndata: {\"type\":\"response.created\",…}";
    Sse05
        says "The `id` field of event streams is not used."
        why "In openai-python an id makes every later comment-only block dispatch an empty event, which then fails to parse."
        right "event: response.created\ndata: {…}" wrong "id: 7\nevent: response.created\ndata: {…}";
    Sse06
        says "A reader follows the event-stream grammar: CR, LF and CRLF end lines, also across chunks; data lines join with LF; one space after the colon goes; comments and unknown fields are skipped; a leading byte order mark is dropped; characters may be cut."
        why "Networks cut anywhere: a reader that gets one of these wrong loses an event now and then, and only in production."
        right "\"data: a\\r\" + \"\\ndata: b\\n\\n\" gives one frame \"a\\nb\"" wrong "the same bytes give other frames when cut elsewhere"
        unseen "binds readers; this one is tested on every vector whole, byte by byte and at random cuts";
    Sse07
        says "A reader accepts the fields of a block in any order."
        why "A server may write `data` before `event`; the name still belongs to that event."
        right "data: {…}\nevent: response.created   gives response.created" wrong "the name is given to the next event"
        unseen "binds readers; tested by the framing vectors";
    Sse08
        says "A reader dispatches no event for a block without data."
        why "Otherwise idle signals turn into empty events that fail to parse."
        right "retry: 1000\\n\\n gives nothing" wrong "retry: 1000\\n\\n gives an empty event"
        unseen "binds readers; tested by the framing vectors";
    Sse09
        says "No block has empty data, only an `event` line or only a `retry` line."
        why "Both official SDKs fail on such blocks. A comment line is the one idle signal that every known reader survives."
        right ": keep-alive" wrong "event: ping\n(blank line)";
    Sse10
        says "The last block is closed by a blank line."
        why "The grammar says to discard an open block at the end: the terminal event is lost for every reader that follows it."
        right "data: {\"type\":\"response.completed\",…}\\n\\n(end)" wrong "data: {\"type\":\"response.completed\",…}\\n(end)";
    Sse11
        says "The safest bytes are LF line ends, one `data` line per event, and `event` before `data`."
        why "The upstream test suite and many hand-written readers understand nothing else."
        right "event: …\\ndata: {…}\\n\\n" wrong "event: …\\r\\ndata: {…\\r\\ndata: …}\\r\\n\\r\\n";
    Read01
        says "All text is UTF-8."
        why "Bytes that are not become U+FFFD: text is lost and cannot be brought back."
        right "data: {\"delta\":\"\u{e9}\"} in UTF-8 (C3 A9)" wrong "the same in Latin-1 (E9)";
    Read02
        says "A line or a payload stays within the reader's limits."
        why "The payload was dropped to keep memory bounded: the event is known, its content is not."
        right "an event of 1 MB" wrong "an event of 65 MB under the default limits";
    Read03
        says "JSON is nested no deeper than the reader's limit."
        why "Deep nesting is the classic attack on JSON readers: the event is kept as text and not looked into."
        right "{\"a\":{\"b\":1}}" wrong "[[[[… 129 levels …]]]]";
    Read04
        says "The input is a stream of Responses events."
        why "A JSON error body, an HTML page or the stream of another API holds no event, and an empty result would hide that."
        right "event: response.created\ndata: {…}" wrong "<html><body>502 Bad Gateway</body></html>";
    Read05
        says "Surrogate escapes in JSON strings come in pairs, within one delta or across two."
        why "A half that never meets its other half is no character; it becomes U+FFFD in the text."
        right "\"delta\":\"\\ud83d\\ude00\"" wrong "\"delta\":\"\\ud83d\"";
    Read06
        says "A key stands once in an object."
        why "Readers disagree about which of two values counts; this one takes the last."
        right "{\"type\":\"response.created\"}" wrong "{\"type\":\"response.created\",\"type\":\"error\"}";
    Read07
        says "Routing fields have usable values: indexes are whole numbers from 0, ids are strings."
        why "An event that cannot be routed changes nothing, and what it carried is missing in the result."
        right "\"output_index\":0" wrong "\"output_index\":-1";
    Read08
        says "An event is sent once."
        why "After a reconnect a server may repeat events; applied twice, their text would stand twice."
        right "0, 1, 2, (reconnect after 2) 3, 4" wrong "0, 1, 2, (reconnect after 2) 2, 3, 4";
    Read09
        says "A resumed stream goes on right behind the last event that was read."
        why "A gap at a reconnect means that events are lost for good; text may be missing in the middle."
        right "0, 1, 2, (reconnect after 2) 3, 4" wrong "0, 1, 2, (reconnect after 2) 5, 6";
    Read10
        says "A response is readable from its first event."
        why "A stream joined in the middle lacks what came before: items and parts had to be opened without their first values."
        right "response.created, response.output_item.added, …" wrong "response.output_text.delta as the first event";
}
