//! Texts of the rules on sequence numbers and the response life cycle.

super::explain! {
    Seq01
        says "Every event has an integer `sequence_number`; only the WebSocket error message has none."
        why "Without numbers a client can neither resume after a broken connection nor notice a lost event."
        right "{\"type\":\"response.output_text.delta\",\"sequence_number\":4,…}" wrong "{\"type\":\"response.output_text.delta\",\"sequence_number\":\"4\",…}";
    Seq02
        says "Each sequence number is greater than the one before."
        why "A client that resumes after number N drops events whose number is not above N: an event with a repeated number is lost."
        right "3, 4, 5" wrong "3, 4, 4";
    Seq03
        says "Each sequence number is one more than the one before."
        why "Clients take a gap for a lost event and reconnect or give up."
        right "3, 4, 5" wrong "3, 4, 7";
    Seq04
        says "Extension events are numbered together with all other events."
        why "Separate numbers for extensions break gap detection in every client that skips them."
        right "4 response.output_text.delta, 5 acme:trace, 6 response.output_text.delta" wrong "4 response.output_text.delta, 4 acme:trace, 5 response.output_text.delta";
    Seq05
        says "OpenAI starts at 0; any start is valid."
        why "A resumed stream starts where the last one ended."
        right "0, 1, 2 or 17, 18, 19" wrong "(nothing)"
        unseen "the specification defines no start, so every start is valid";
    Seq06
        says "Events are applied in the order of arrival; numbers are for checking and resuming, never for sorting."
        why "A reader that sorts has to wait, and mixes up the text when a server repeats numbers."
        right "apply 3, 5, 4 as they come, and report" wrong "wait for 4 before applying 5"
        unseen "binds readers; this library never sorts";
    Seq07
        says "A replay after number N has only events with numbers above N."
        why "The client has read the others already: their text would appear twice."
        right "starting_after=10: 11, 12, …" wrong "starting_after=10: 10, 11, …";
    Seq08
        says "A gateway that adds or removes events renumbers them or leaves a visible gap; it never repeats a number."
        why "Events with repeated numbers are lost in a replay."
        right "3, 4, (removed), 6" wrong "3, 4, (added) 4, 5"
        unseen "a repeated number is reported as SEQ-02; the stream does not show whether a gateway caused it";
    Seq09
        says "Numbers have the same meaning on a WebSocket; the specification does not state whether they restart with each response."
        why "The check must restart at each `response.created`."
        right "response 1: 0 … 9, response 2: 0 … 7 or 10 … 17" wrong "(nothing)"
        unseen "both ways are allowed; the check restarts at `response.created`";
    Life01
        says "Every event adds, extends or closes an object, or reports a change of state."
        why "Readers skip unknown events; an event with another purpose would be lost."
        right "response.output_text.delta, response.in_progress" wrong "response.debug_dump"
        unseen "the purpose of an unknown event cannot be checked; its name is reported as EXT-02";
    Life02
        says "A stream starts with one `response.created`."
        why "Both official SDKs refuse any other first event, except `error`."
        right "response.created, response.in_progress, …" wrong "response.in_progress, …";
    Life03
        says "A change of the response's status is reported by its event: `response.queued` when it is queued, `response.in_progress` when work starts."
        why "User interfaces show the state from these events; without them they stay at \"waiting\" while text arrives."
        right "response.created (queued), response.in_progress, response.output_item.added" wrong "response.created (queued), response.output_item.added";
    Life04
        says "The six response events contain the whole response object."
        why "Clients replace their state with the snapshot: fields that are missing in it are lost."
        right "{\"type\":\"response.in_progress\",\"response\":{\"id\":…,\"object\":\"response\",…all fields}}" wrong "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\"}}";
    Life05
        says "The snapshot's `status` matches its event; `response.created` has `in_progress` or `queued`."
        why "Some clients use the event, some the status: both must see the same result."
        right "response.completed with status \"completed\"" wrong "response.completed with status \"in_progress\"";
    Life06
        says "Exactly one of `response.completed`, `response.failed` and `response.incomplete` ends the response."
        why "Without one a client cannot know whether the text is complete; with two it cannot know which one is valid."
        right "…, response.completed" wrong "…, response.output_item.done (end)";
    Life07
        says "Nothing but `[DONE]` follows the terminal event."
        why "Clients stop reading there: later events are lost, or change an answer that was already shown."
        right "response.completed, [DONE]" wrong "response.completed, response.output_text.delta";
    Life08
        says "`response.id` is the same in all response events."
        why "Both official SDKs raise when it changes; an id that was stored earlier refers to nothing."
        right "resp_1 in response.created and response.completed" wrong "resp_1 in response.created, resp_2 in response.completed";
    Life09
        says "The terminal snapshot's `output` has every item, in order, as in its `response.output_item.done`."
        why "Clients keep the snapshot and drop their streamed copy: an item that is missing or different there is shown once and then lost."
        right "output_item.done: item_1, item_2; response.completed: output [item_1, item_2]" wrong "output_item.done: item_1, item_2; response.completed: output []";
    Life10
        says "`usage`, `completed_at`, `error` and `incomplete_details` are null until the end; then those that belong to the final status are set and the others stay null."
        why "Clients test these fields for null to find the result."
        right "status \"completed\": completed_at set, error null" wrong "status \"completed\": error {…}";
    Life11
        says "A stream that ends without a terminal event has failed, even if text arrived."
        why "A truncated answer that looks complete is worse than an error."
        right "…, response.completed (end): completed" wrong "…, response.output_text.delta (end): completed"
        unseen "binds readers; this library reports the outcome as truncated, and the missing terminal event as LIFE-06";
    Life12
        says "A response's status may be any string; a reader never takes an unknown status for success."
        why "OpenAI adds `cancelled`, which has no event."
        right "status \"cancelled\"" wrong "(nothing)"
        unseen "every string is valid";
    Life13
        says "At `response.completed` every added item has had its done event or is in `output`."
        why "Both official SDKs raise: they cannot determine the item's state."
        right "added item_1, done item_1, completed [item_1]" wrong "added item_1, completed []";
}
