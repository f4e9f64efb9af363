//! WebSocket and compaction in words.

super::explain! {
    Ws01
        says "A server may offer WebSocket at the path of `POST /responses`."
        why "Clients look for it there."
        right "wss://host/v1/responses" wrong "(nothing)"
        unseen "permits, forbids nothing";
    Ws02
        says "A turn starts with a message of type `response.create`; its other fields are those of a request."
        why "The server ignores or refuses anything else."
        right "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"hi\"}" wrong "{\"model\":\"m\",\"input\":\"hi\"}";
    Ws03
        says "`stream`, `stream_options` and `background` are not sent, not even as null or false."
        why "They have no meaning on a socket, and servers refuse them."
        right "{\"type\":\"response.create\",\"input\":\"hi\"}" wrong "{\"type\":\"response.create\",\"input\":\"hi\",\"stream\":true}";
    Ws04
        says "A `response.create` message creates a response on that connection."
        why "A client that gets no answer waits for ever."
        right "" wrong ""
        unseen "that nothing came is seen only with a clock";
    Ws05
        says "A WebSocket message is one JSON object, an event as in the event stream, with the same rules."
        why "Clients share their reader between both transports."
        right "{\"type\":\"response.created\",\"sequence_number\":0,…}" wrong "[{…},{…}] in one message";
    Ws06
        says "At most one response is in flight on a connection."
        why "Events carry no response id: two responses could not be told apart."
        right "created resp_1, completed resp_1, created resp_2" wrong "created resp_1, created resp_2";
    Ws07
        says "Further `response.create` messages may be taken while one runs, but are worked off one after the other."
        why "As above."
        right "two messages sent, answers one behind the other" wrong "answers mixed"
        unseen "mixed answers are reported as WS-06; when the messages were taken is not in the events";
    Ws08
        says "Parallel work uses several connections."
        why "One connection runs one response at a time."
        right "" wrong ""
        unseen "how many connections a client opens is not in the stream";
    Ws09
        says "A continuation sends only the new input and `previous_response_id`."
        why "The server has the rest in memory; sending it again costs tokens twice."
        right "previous_response_id and one new message" wrong "previous_response_id and the whole history"
        unseen "whether an input item was sent before is known only to who saw the earlier turns";
    Ws10
        says "The newest response is kept in memory for its connection, so that `store: false` chains go on."
        why "There is no other copy."
        right "" wrong ""
        unseen "a server's memory is not on the wire";
    Ws11
        says "With `store: false` and the state gone, the turn fails with `previous_response_not_found`."
        why "Clients start anew with the full context at this code."
        right "error code previous_response_not_found" wrong "an answer without the earlier context"
        unseen "whether the state is gone is known only to the server";
    Ws12
        says "A continuation that fails with 4xx or 5xx drops the response it referred to from the connection's memory."
        why "Clients must not continue from a state that the server gave up."
        right "continue, error, continue: previous_response_not_found" wrong "continue, error, continue: works"
        unseen "needs several turns and the requests between them";
    Ws13
        says "A connection ends after 60 minutes with the code `websocket_connection_limit_reached`."
        why "Clients reconnect at this code and give up at a silent close."
        right "error, then close" wrong "close"
        unseen "how long a connection lasted is seen only with a clock";
    Ws14
        says "A failure on a WebSocket is `{\"type\":\"error\",\"status\":n,\"error\":{\"code\",\"message\",…}}`; status and code are there."
        why "Clients decide by them whether to reconnect, to start anew or to give up."
        right "{\"type\":\"error\",\"status\":404,\"error\":{\"code\":\"previous_response_not_found\",\"message\":\"…\"}}" wrong "{\"type\":\"error\",\"error\":{\"message\":\"…\"}}";
    Ws15
        says "A client handles `previous_response_not_found` and `websocket_connection_limit_reached`."
        why "Both are part of normal operation."
        right "" wrong ""
        unseen "what a client does with a code is not in the stream";
    Ws16
        says "After a close, a client continues from a stored response, or starts anew with the full or the compacted context."
        why "Otherwise the conversation is lost with the connection."
        right "" wrong ""
        unseen "needs the next connection of the client";
    Ws17
        says "There is no `[DONE]` on a WebSocket; the terminal event or the error ends the turn."
        why "Readers must not wait for it."
        right "response.completed" wrong "(nothing)"
        unseen "a reader accepts a sentinel there too, and nothing forbids it";
    Ws18
        says "OpenAI goes further on WebSocket: lanes by `stream_id`, warm-up, steering. None of it is Open Responses."
        why "A client that uses it works with one server."
        right "one response at a time" wrong "(nothing)"
        unseen "describes one server; mixed responses are reported as WS-06";
    Cmp01
        says "A compaction request has a `model`."
        why "Servers refuse it otherwise."
        right "{\"model\":\"m\",\"input\":[…]}" wrong "{\"input\":[…]}";
    Cmp02
        says "A compaction body has `object` `response.compaction`, `id`, `created_at`, `output` and a `usage` that is not null."
        why "Typed clients fail to parse it."
        right "{\"object\":\"response.compaction\",\"id\":\"…\",\"created_at\":1,\"output\":[…],\"usage\":{…}}" wrong "{\"object\":\"response\",…}";
    Cmp03
        says "The output of a compaction holds a `compaction` item with `encrypted_content`."
        why "It is the compacted context: without it the conversation is lost."
        right "\"output\":[{\"type\":\"compaction\",\"id\":\"cmp_1\",\"encrypted_content\":\"…\"}]" wrong "\"output\":[]";
    Cmp04
        says "A compaction's id is no response id."
        why "Used as `previous_response_id` it is unknown to the server."
        right "the output goes into the next input" wrong "previous_response_id is the compaction's id"
        unseen "whose id it is cannot be seen in a request";
    Cmp05
        says "On a WebSocket the turn after a compaction starts a new chain: no `previous_response_id`, the compacted output first."
        why "Otherwise the context that was just compacted is loaded again."
        right "{\"type\":\"response.create\",\"input\":[{\"type\":\"compaction\",…},…]}" wrong "the same with \"previous_response_id\":\"resp_1\"";
    Cmp06
        says "Compacted items go back unchanged; `encrypted_content` has at most 10485760 characters."
        why "The server refuses a changed or shortened one."
        right "the item as received" wrong "\"encrypted_content\" of 11 million characters";
}
