//! Texts of the rules on sequence numbers and the response life cycle.

super::explain! {
    Seq01
        statement "Every event has an integer `sequence_number`; only the WebSocket error message has none."
        reason "Without numbers a client can neither resume after a broken connection nor notice a lost event."
        valid "{\"type\":\"response.output_text.delta\",\"sequence_number\":4,…}" invalid "{\"type\":\"response.output_text.delta\",\"sequence_number\":\"4\",…}";
    Seq02
        statement "Each sequence number is greater than the one before."
        reason "A client that resumes after number N drops events whose number is not above N: an event with a repeated number is lost."
        valid "3, 4, 5" invalid "3, 4, 4";
    Seq03
        statement "Each sequence number is one more than the one before."
        reason "Clients take a gap for a lost event and reconnect or give up."
        valid "3, 4, 5" invalid "3, 4, 7";
    Seq04
        statement "Extension events are numbered together with all other events."
        reason "Separate numbers for extensions break gap detection in every client that skips them."
        valid "4 response.output_text.delta, 5 acme:trace, 6 response.output_text.delta" invalid "4 response.output_text.delta, 4 acme:trace, 5 response.output_text.delta";
    Seq05
        statement "OpenAI starts at 0; any start is valid."
        reason "A resumed stream starts where the last one ended."
        valid "0, 1, 2 or 17, 18, 19" invalid "(nothing)"
        unchecked "the specification defines no start, so every start is valid";
    Seq06
        statement "Events are applied in the order of arrival; numbers are for checking and resuming, never for sorting."
        reason "A reader that sorts has to wait, and mixes up the text when a server repeats numbers."
        valid "apply 3, 5, 4 as they come, and report" invalid "wait for 4 before applying 5"
        unchecked "binds readers; this library never sorts";
    Seq07
        statement "A replay after number N has only events with numbers above N."
        reason "The client has read the others already: their text would appear twice."
        valid "starting_after=10: 11, 12, …" invalid "starting_after=10: 10, 11, …";
    Seq08
        statement "A gateway that adds or removes events renumbers them or leaves a visible gap; it never repeats a number."
        reason "Events with repeated numbers are lost in a replay."
        valid "3, 4, (removed), 6" invalid "3, 4, (added) 4, 5"
        unchecked "a repeated number is reported as SEQ-02; the stream does not show whether a gateway caused it";
    Seq09
        statement "Numbers have the same meaning on a WebSocket; the specification does not state whether they restart with each response."
        reason "The check must restart at each `response.created`."
        valid "response 1: 0 … 9, response 2: 0 … 7 or 10 … 17" invalid "(nothing)"
        unchecked "both ways are allowed; the check restarts at `response.created`";
    Life01
        statement "Every event adds, extends or closes an object, or reports a change of state."
        reason "Readers skip unknown events; an event with another purpose would be lost."
        valid "response.output_text.delta, response.in_progress" invalid "response.debug_dump"
        unchecked "the purpose of an unknown event cannot be checked; its name is reported as EXT-02";
    Life02
        statement "A stream starts with one `response.created`."
        reason "Both official SDKs refuse any other first event, except `error`."
        valid "response.created, response.in_progress, …" invalid "response.in_progress, …";
    Life03
        statement "A change of the response's status is reported by its event: `response.queued` when it is queued, `response.in_progress` when work starts."
        reason "User interfaces show the state from these events; without them they stay at \"waiting\" while text arrives."
        valid "response.created (queued), response.in_progress, response.output_item.added" invalid "response.created (queued), response.output_item.added";
    Life04
        statement "The six response events contain the whole response object."
        reason "Clients replace their state with the snapshot: fields that are missing in it are lost."
        valid "{\"type\":\"response.in_progress\",\"response\":{\"id\":…,\"object\":\"response\",…all fields}}" invalid "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\"}}";
    Life05
        statement "The snapshot's `status` matches its event; `response.created` has `in_progress` or `queued`."
        reason "Some clients use the event, some the status: both must see the same result."
        valid "response.completed with status \"completed\"" invalid "response.completed with status \"in_progress\"";
    Life06
        statement "Exactly one of `response.completed`, `response.failed` and `response.incomplete` ends the response."
        reason "Without one a client cannot know whether the text is complete; with two it cannot know which one is valid."
        valid "…, response.completed" invalid "…, response.output_item.done (end)";
    Life07
        statement "Nothing but `[DONE]` follows the terminal event."
        reason "Clients stop reading there: later events are lost, or change an answer that was already shown."
        valid "response.completed, [DONE]" invalid "response.completed, response.output_text.delta";
    Life08
        statement "`response.id` is the same in all response events."
        reason "Both official SDKs raise when it changes; an id that was stored earlier refers to nothing."
        valid "resp_1 in response.created and response.completed" invalid "resp_1 in response.created, resp_2 in response.completed";
    Life09
        statement "The terminal snapshot's `output` has every item, in order, as in its `response.output_item.done`."
        reason "Clients keep the snapshot and drop their streamed copy: an item that is missing or different there is shown once and then lost."
        valid "output_item.done: item_1, item_2; response.completed: output [item_1, item_2]" invalid "output_item.done: item_1, item_2; response.completed: output []";
    Life10
        statement "`usage`, `completed_at`, `error` and `incomplete_details` are null until the end; then those that belong to the final status are set and the others stay null."
        reason "Clients test these fields for null to find the result."
        valid "status \"completed\": completed_at set, error null" invalid "status \"completed\": error {…}";
    Life11
        statement "A stream that ends without a terminal event has failed, even if text arrived."
        reason "A truncated answer that looks complete is worse than an error."
        valid "…, response.completed (end): completed" invalid "…, response.output_text.delta (end): completed"
        unchecked "binds readers; this library reports the outcome as truncated, and the missing terminal event as LIFE-06";
    Life12
        statement "A response's status may be any string; a reader never takes an unknown status for success."
        reason "OpenAI adds `cancelled`, which has no event."
        valid "status \"cancelled\"" invalid "(nothing)"
        unchecked "every string is valid";
    Life13
        statement "At `response.completed` every added item has had its done event or is in `output`."
        reason "Both official SDKs raise: they cannot determine the item's state."
        valid "added item_1, done item_1, completed [item_1]" invalid "added item_1, completed []";
}
