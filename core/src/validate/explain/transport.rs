//! Texts of the rules on WebSocket and compaction.

super::explain! {
    Ws01
        statement "A server may offer WebSocket at the path of `POST /responses`."
        reason "Clients connect to that path."
        valid "wss://host/v1/responses" invalid "(nothing)"
        unchecked "a permission: no stream can break it";
    Ws02
        statement "A turn starts with a message of type `response.create`; its other fields are those of a request."
        reason "The server ignores or refuses any other message."
        valid "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"hi\"}" invalid "{\"model\":\"m\",\"input\":\"hi\"}";
    Ws03
        statement "`stream`, `stream_options` and `background` are not sent, not even as null or false."
        reason "They have no meaning on a socket, and servers refuse them."
        valid "{\"type\":\"response.create\",\"input\":\"hi\"}" invalid "{\"type\":\"response.create\",\"input\":\"hi\",\"stream\":true}";
    Ws04
        statement "A `response.create` message creates a response on that connection."
        reason "A client that gets no answer waits forever."
        valid "" invalid ""
        unchecked "a missing answer is noticed only with a clock";
    Ws05
        statement "A WebSocket message is one JSON object, an event as in the event stream, with the same rules."
        reason "Clients use the same reader for both transports."
        valid "{\"type\":\"response.created\",\"sequence_number\":0,…}" invalid "[{…},{…}] in one message";
    Ws06
        statement "At most one response is in flight on a connection."
        reason "Events carry no response id: two responses could not be told apart."
        valid "created resp_1, completed resp_1, created resp_2" invalid "created resp_1, created resp_2";
    Ws07
        statement "A server may accept further `response.create` messages while one runs, but processes them one after the other."
        reason "Events carry no response id: two responses could not be told apart."
        valid "two messages sent, answers one after the other" invalid "answers interleaved"
        unchecked "interleaved answers are reported as WS-06; the events do not show when the messages were accepted";
    Ws08
        statement "Parallel work uses several connections."
        reason "One connection runs one response at a time."
        valid "" invalid ""
        unchecked "how many connections a client opens is not in the stream";
    Ws09
        statement "A continuation sends only the new input and `previous_response_id`."
        reason "The server has the rest in memory; sending it again costs its tokens twice."
        valid "previous_response_id and one new message" invalid "previous_response_id and the whole history"
        unchecked "only software that saw the earlier turns knows whether an input item was sent before";
    Ws10
        statement "The server keeps the newest response in memory for its connection, so that chains with `store: false` can continue."
        reason "No other copy exists."
        valid "" invalid ""
        unchecked "a server's memory is not on the wire";
    Ws11
        statement "With `store: false`, a turn whose state is gone fails with `previous_response_not_found`."
        reason "At this code clients start again with the full context."
        valid "error code previous_response_not_found" invalid "an answer without the earlier context"
        unchecked "only the server knows whether the state is gone";
    Ws12
        statement "A continuation that fails with 4xx or 5xx drops the response it referred to from the connection's memory."
        reason "Clients must not continue from a state that the server has discarded."
        valid "continue, error, continue: previous_response_not_found" invalid "continue, error, continue: works"
        unchecked "needs several turns and the requests between them";
    Ws13
        statement "A connection ends after 60 minutes with the code `websocket_connection_limit_reached`."
        reason "Clients reconnect at this code, but give up when the connection closes without one."
        valid "error, then close" invalid "close"
        unchecked "the duration of a connection is known only with a clock";
    Ws14
        statement "A failure on a WebSocket is `{\"type\":\"error\",\"status\":n,\"error\":{\"code\",\"message\",…}}`; `status` and `code` are present."
        reason "Clients use them to decide whether to reconnect, start again or give up."
        valid "{\"type\":\"error\",\"status\":404,\"error\":{\"code\":\"previous_response_not_found\",\"message\":\"…\"}}" invalid "{\"type\":\"error\",\"error\":{\"message\":\"…\"}}";
    Ws15
        statement "A client handles `previous_response_not_found` and `websocket_connection_limit_reached`."
        reason "Both are part of normal operation."
        valid "" invalid ""
        unchecked "what a client does with a code is not in the stream";
    Ws16
        statement "After a close, a client continues from a stored response, or starts again with the full or the compacted context."
        reason "Otherwise the conversation is lost with the connection."
        valid "" invalid ""
        unchecked "needs the next connection of the client";
    Ws17
        statement "There is no `[DONE]` on a WebSocket; the terminal event or the error ends the turn."
        reason "Readers must not wait for it."
        valid "response.completed" invalid "(nothing)"
        unchecked "readers accept a sentinel there too, and no rule forbids it";
    Ws18
        statement "OpenAI's WebSocket has more features: lanes by `stream_id`, warm-up, steering. They are not part of Open Responses."
        reason "A client that uses them works with one server only."
        valid "one response at a time" invalid "(nothing)"
        unchecked "describes one server; interleaved responses are reported as WS-06";
    Cmp01
        statement "A compaction request has a `model`."
        reason "Otherwise servers refuse it."
        valid "{\"model\":\"m\",\"input\":[…]}" invalid "{\"input\":[…]}";
    Cmp02
        statement "A compaction body has `object` `response.compaction`, `id`, `created_at`, `output` and a `usage` that is not null."
        reason "Typed clients fail to parse it."
        valid "{\"object\":\"response.compaction\",\"id\":\"…\",\"created_at\":1,\"output\":[…],\"usage\":{…}}" invalid "{\"object\":\"response\",…}";
    Cmp03
        statement "The output of a compaction has a `compaction` item with `encrypted_content`."
        reason "It is the compacted context: without it the conversation is lost."
        valid "\"output\":[{\"type\":\"compaction\",\"id\":\"cmp_1\",\"encrypted_content\":\"…\"}]" invalid "\"output\":[]";
    Cmp04
        statement "The id of a compaction is not a response id."
        reason "The server does not know it as a `previous_response_id`."
        valid "the output goes into the next input" invalid "previous_response_id is the compaction's id"
        unchecked "the request does not show which object an id belongs to";
    Cmp05
        statement "On a WebSocket the turn after a compaction starts a new chain: no `previous_response_id`, the compacted output first."
        reason "Otherwise the server loads the context that was just compacted."
        valid "{\"type\":\"response.create\",\"input\":[{\"type\":\"compaction\",…},…]}" invalid "the same with \"previous_response_id\":\"resp_1\"";
    Cmp06
        statement "Compacted items go back unchanged; `encrypted_content` has at most 10485760 characters."
        reason "The server refuses a changed or shortened one."
        valid "the item as received" invalid "\"encrypted_content\" of 11 million characters";
}
