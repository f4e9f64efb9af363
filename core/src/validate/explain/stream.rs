//! Sequence numbers and the response life cycle in words.

super::explain! {
    Seq01
        says "Every event has a whole `sequence_number`; only the WebSocket error message has none."
        why "Without numbers a client can neither resume after a broken connection nor notice a lost event."
        right "{\"type\":\"response.output_text.delta\",\"sequence_number\":4,…}" wrong "{\"type\":\"response.output_text.delta\",\"sequence_number\":\"4\",…}";
    Seq02
        says "Sequence numbers only go up."
        why "A client that resumes after number N drops what is not above N: an event with a repeated number is lost."
        right "3, 4, 5" wrong "3, 4, 4";
    Seq03
        says "Sequence numbers go up by one."
        why "Clients take a jump for a lost event and reconnect or give up."
        right "3, 4, 5" wrong "3, 4, 7";
    Seq04
        says "Extension events take part in the numbering of the stream."
        why "An extension with a number of its own count breaks gap detection for everybody who skips it."
        right "4 response.output_text.delta, 5 acme:trace, 6 response.output_text.delta" wrong "4 response.output_text.delta, 4 acme:trace, 5 response.output_text.delta";
    Seq05
        says "The first number is 0 at OpenAI; any start is fine."
        why "A resumed stream starts where the last one ended."
        right "0, 1, 2 or 17, 18, 19" wrong "(nothing)"
        unseen "the specification fixes no start, so every start is right";
    Seq06
        says "Events count in the order of arrival; numbers are for checking and resuming, never for sorting."
        why "A reader that sorts has to wait, and with a server that repeats numbers it mixes up the text."
        right "apply 3, 5, 4 as they come, and report" wrong "wait for 4 before applying 5"
        unseen "binds readers; this one never sorts";
    Seq07
        says "A replay after number N holds only events with numbers above N."
        why "The client has seen the others: their text would stand twice."
        right "starting_after=10: 11, 12, …" wrong "starting_after=10: 10, 11, …";
    Seq08
        says "A gateway that adds or removes events renumbers them or leaves a visible gap; it never repeats a number."
        why "Repeated numbers make replays lose events."
        right "3, 4, (removed), 6" wrong "3, 4, (added) 4, 5"
        unseen "a repeated number is reported as SEQ-02; whether a gateway made it cannot be told";
    Seq09
        says "Numbers mean the same on a WebSocket; whether they restart with each response is not said."
        why "Checking has to start anew at each `response.created`."
        right "response 1: 0 … 9, response 2: 0 … 7 or 10 … 17" wrong "(nothing)"
        unseen "both ways are allowed; the check restarts at `response.created`";
    Life01
        says "Every event adds to, extends or closes something, or tells a change of state."
        why "Readers skip what they do not know; an event with another purpose would be lost."
        right "response.output_text.delta, response.in_progress" wrong "response.debug_dump"
        unseen "what an event of an unknown name is for cannot be seen; the name itself is reported as EXT-02";
    Life02
        says "A stream opens with `response.created`, once."
        why "Both official SDKs refuse any other first event, except `error`."
        right "response.created, response.in_progress, …" wrong "response.in_progress, …";
    Life03
        says "A change of the response's status comes with its event: `response.queued` when it waits, `response.in_progress` when work starts."
        why "User interfaces show the state from these events; a silent change leaves them at \"waiting\" while text arrives."
        right "response.created (queued), response.in_progress, response.output_item.added" wrong "response.created (queued), response.output_item.added";
    Life04
        says "The six response events carry the whole response object."
        why "Clients replace their state by the snapshot: what is missing in it is gone."
        right "{\"type\":\"response.in_progress\",\"response\":{\"id\":…,\"object\":\"response\",…all fields}}" wrong "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\"}}";
    Life05
        says "The snapshot's `status` fits its event; `response.created` carries `in_progress` or `queued`."
        why "Some clients look at the event, some at the status: they must come to the same end."
        right "response.completed with status \"completed\"" wrong "response.completed with status \"in_progress\"";
    Life06
        says "Exactly one of `response.completed`, `response.failed` and `response.incomplete` ends the response."
        why "Without one nobody knows whether the text is whole; with two nobody knows which counts."
        right "…, response.completed" wrong "…, response.output_item.done (end)";
    Life07
        says "Nothing but `[DONE]` follows the terminal event."
        why "Clients stop reading there: what follows is lost, or lands in an answer that was already shown."
        right "response.completed, [DONE]" wrong "response.completed, response.output_text.delta";
    Life08
        says "`response.id` is the same in all response events."
        why "Both official SDKs raise when it changes; an id that was stored early points nowhere."
        right "resp_1 in response.created and response.completed" wrong "resp_1 in response.created, resp_2 in response.completed";
    Life09
        says "The terminal snapshot's `output` holds every item, in order, as its `response.output_item.done` had it."
        why "Clients keep the snapshot and drop what they streamed: an item that is missing or different there is shown once and then gone."
        right "output_item.done: item_1, item_2; response.completed: output [item_1, item_2]" wrong "output_item.done: item_1, item_2; response.completed: output []";
    Life10
        says "`usage`, `completed_at`, `error` and `incomplete_details` are null until the end; then those that fit the state are set and the others stay null."
        why "Clients test these fields for null to learn what happened."
        right "status \"completed\": completed_at set, error null" wrong "status \"completed\": error {…}";
    Life11
        says "A stream that ends without a terminal event has failed, whatever text arrived."
        why "A cut-off answer that looks complete is worse than an error."
        right "…, response.completed (end): completed" wrong "…, response.output_text.delta (end): completed"
        unseen "binds readers; this one reports the outcome as truncated, and the missing terminal event as LIFE-06";
    Life12
        says "A response's status is a free string; values that are not known are read with care, never as success."
        why "OpenAI adds `cancelled`, which has no event of its own."
        right "status \"cancelled\"" wrong "(nothing)"
        unseen "every string is allowed";
    Life13
        says "At `response.completed` no item is left that was never done and is not in `output`."
        why "Both official SDKs raise: they cannot tell what became of the item."
        right "added item_1, done item_1, completed [item_1]" wrong "added item_1, completed []";
}
