//! Texts of the rules on WebSocket and compaction.

super::explain! {
    Ws01
        says "A server may offer WebSocket at the path of `POST /responses`."
        why "Clients connect to that path."
        right "wss://host/v1/responses" wrong "(nothing)"
        unseen "a permission: no stream can break it";
    Ws02
        says "A turn starts with a message of type `response.create`; its other fields are those of a request."
        why "The server ignores or refuses any other message."
        right "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"hi\"}" wrong "{\"model\":\"m\",\"input\":\"hi\"}";
    Ws03
        says "`stream`, `stream_options` and `background` are not sent, not even as null or false."
        why "They have no meaning on a socket, and servers refuse them."
        right "{\"type\":\"response.create\",\"input\":\"hi\"}" wrong "{\"type\":\"response.create\",\"input\":\"hi\",\"stream\":true}";
    Ws04
        says "A `response.create` message creates a response on that connection."
        why "A client that gets no answer waits forever."
        right "" wrong ""
        unseen "a missing answer is noticed only with a clock";
    Ws05
        says "A WebSocket message is one JSON object, an event as in the event stream, with the same rules."
        why "Clients use the same reader for both transports."
        right "{\"type\":\"response.created\",\"sequence_number\":0,…}" wrong "[{…},{…}] in one message";
    Ws06
        says "At most one response is in flight on a connection."
        why "Events carry no response id: two responses could not be told apart."
        right "created resp_1, completed resp_1, created resp_2" wrong "created resp_1, created resp_2";
    Ws07
        says "A server may accept further `response.create` messages while one runs, but processes them one after the other."
        why "Events carry no response id: two responses could not be told apart."
        right "two messages sent, answers one after the other" wrong "answers interleaved"
        unseen "interleaved answers are reported as WS-06; the events do not show when the messages were accepted";
    Ws08
        says "Parallel work uses several connections."
        why "One connection runs one response at a time."
        right "" wrong ""
        unseen "how many connections a client opens is not in the stream";
    Ws09
        says "A continuation sends only the new input and `previous_response_id`."
        why "The server has the rest in memory; sending it again costs its tokens twice."
        right "previous_response_id and one new message" wrong "previous_response_id and the whole history"
        unseen "only software that saw the earlier turns knows whether an input item was sent before";
    Ws10
        says "The server keeps the newest response in memory for its connection, so that chains with `store: false` can continue."
        why "No other copy exists."
        right "" wrong ""
        unseen "a server's memory is not on the wire";
    Ws11
        says "With `store: false`, a turn whose state is gone fails with `previous_response_not_found`."
        why "At this code clients start again with the full context."
        right "error code previous_response_not_found" wrong "an answer without the earlier context"
        unseen "only the server knows whether the state is gone";
    Ws12
        says "A continuation that fails with 4xx or 5xx drops the response it referred to from the connection's memory."
        why "Clients must not continue from a state that the server has discarded."
        right "continue, error, continue: previous_response_not_found" wrong "continue, error, continue: works"
        unseen "needs several turns and the requests between them";
    Ws13
        says "A connection ends after 60 minutes with the code `websocket_connection_limit_reached`."
        why "Clients reconnect at this code, but give up when the connection closes without one."
        right "error, then close" wrong "close"
        unseen "the duration of a connection is known only with a clock";
    Ws14
        says "A failure on a WebSocket is `{\"type\":\"error\",\"status\":n,\"error\":{\"code\",\"message\",…}}`; `status` and `code` are present."
        why "Clients use them to decide whether to reconnect, start again or give up."
        right "{\"type\":\"error\",\"status\":404,\"error\":{\"code\":\"previous_response_not_found\",\"message\":\"…\"}}" wrong "{\"type\":\"error\",\"error\":{\"message\":\"…\"}}";
    Ws15
        says "A client handles `previous_response_not_found` and `websocket_connection_limit_reached`."
        why "Both are part of normal operation."
        right "" wrong ""
        unseen "what a client does with a code is not in the stream";
    Ws16
        says "After a close, a client continues from a stored response, or starts again with the full or the compacted context."
        why "Otherwise the conversation is lost with the connection."
        right "" wrong ""
        unseen "needs the next connection of the client";
    Ws17
        says "There is no `[DONE]` on a WebSocket; the terminal event or the error ends the turn."
        why "Readers must not wait for it."
        right "response.completed" wrong "(nothing)"
        unseen "readers accept a sentinel there too, and no rule forbids it";
    Ws18
        says "OpenAI's WebSocket has more features: lanes by `stream_id`, warm-up, steering. They are not part of Open Responses."
        why "A client that uses them works with one server only."
        right "one response at a time" wrong "(nothing)"
        unseen "describes one server; interleaved responses are reported as WS-06";
    Cmp01
        says "A compaction request has a `model`."
        why "Otherwise servers refuse it."
        right "{\"model\":\"m\",\"input\":[…]}" wrong "{\"input\":[…]}";
    Cmp02
        says "A compaction body has `object` `response.compaction`, `id`, `created_at`, `output` and a `usage` that is not null."
        why "Typed clients fail to parse it."
        right "{\"object\":\"response.compaction\",\"id\":\"…\",\"created_at\":1,\"output\":[…],\"usage\":{…}}" wrong "{\"object\":\"response\",…}";
    Cmp03
        says "The output of a compaction has a `compaction` item with `encrypted_content`."
        why "It is the compacted context: without it the conversation is lost."
        right "\"output\":[{\"type\":\"compaction\",\"id\":\"cmp_1\",\"encrypted_content\":\"…\"}]" wrong "\"output\":[]";
    Cmp04
        says "The id of a compaction is not a response id."
        why "The server does not know it as a `previous_response_id`."
        right "the output goes into the next input" wrong "previous_response_id is the compaction's id"
        unseen "the request does not show which object an id belongs to";
    Cmp05
        says "On a WebSocket the turn after a compaction starts a new chain: no `previous_response_id`, the compacted output first."
        why "Otherwise the server loads the context that was just compacted."
        right "{\"type\":\"response.create\",\"input\":[{\"type\":\"compaction\",…},…]}" wrong "the same with \"previous_response_id\":\"resp_1\"";
    Cmp06
        says "Compacted items go back unchanged; `encrypted_content` has at most 10485760 characters."
        why "The server refuses a changed or shortened one."
        right "the item as received" wrong "\"encrypted_content\" of 11 million characters";
}
