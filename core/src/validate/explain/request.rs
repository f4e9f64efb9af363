//! Texts of the rules on requests, chaining, truncation and tiers.

super::explain! {
    Req01
        statement "`input` is a string, a list of items or null; no request field is required by schema."
        reason "Servers refuse any other type."
        valid "\"input\":\"hi\" or \"input\":[{…}]" invalid "\"input\":{\"text\":\"hi\"}";
    Req02
        statement "Each role accepts certain parts: users text, image and file; system and developer text; the assistant output text and refusals. A string is accepted for every role."
        reason "Servers refuse the message."
        valid "{\"role\":\"system\",\"content\":[{\"type\":\"input_text\",…}]}" invalid "{\"role\":\"system\",\"content\":[{\"type\":\"input_image\",…}]}";
    Req03
        statement "Video parts are allowed only in function call outputs of a request and in messages of a response."
        reason "Servers refuse them elsewhere."
        valid "function_call_output with input_video" invalid "user message with input_video";
    Req04
        statement "An item reference is an `id`, with the type `item_reference`, null or no type."
        reason "Without the id it refers to nothing."
        valid "{\"type\":\"item_reference\",\"id\":\"msg_1\"}" invalid "{\"type\":\"item_reference\"}";
    Prev01
        statement "With `previous_response_id` the server loads the input and the output of that response."
        reason "Otherwise the model does not see the earlier turns."
        valid "" invalid ""
        unchecked "the context that the server loads is not on the wire";
    Prev02
        statement "The order is old input, old output, new input."
        reason "Another order changes the meaning for the model."
        valid "" invalid ""
        unchecked "the context that the model gets is not on the wire";
    Prev03
        statement "`previous_response_id` in the response is the one of the request, or null."
        reason "Clients use it to follow the chain."
        valid "request resp_1, response resp_1" invalid "request resp_1, response null";
    Prev04
        statement "An unknown `previous_response_id` is an error, not a fresh start."
        reason "Otherwise the user talks to a model that lacks the context, without being told."
        valid "404 for resp_unknown" invalid "200 for resp_unknown"
        unchecked "the ids that a server knows are not on the wire";
    Prev05
        statement "OpenAI does not carry `instructions` over; Open Responses states this only for compaction."
        reason "A client that relies on one behaviour fails with the other."
        valid "send instructions with each request" invalid "(nothing)"
        unchecked "describes servers; no stream can break it";
    Trunc01
        statement "With `truncation: \"disabled\"` nothing is removed from the context."
        reason "The client asked for an error instead of lost context."
        valid "" invalid ""
        unchecked "the context that the model gets is not on the wire";
    Trunc02
        statement "With `truncation: \"disabled\"` a context that is too long fails the request."
        reason "The client asked for an error instead of lost context."
        valid "400 for a context that is too long" invalid "200 with a shortened context"
        unchecked "the size of a model's context is not on the wire";
    Trunc03
        statement "With `truncation: \"auto\"` older context may be removed; system messages and recent turns are kept."
        reason "Without its instructions the model behaves differently."
        valid "" invalid ""
        unchecked "the context that the model gets is not on the wire";
    Tier01
        statement "A server may have service tiers of its own and documents them; requests use `auto`, `default`, `flex` or `priority`, and the echo may be any string."
        reason "Clients must not expect to get the tier that they requested."
        valid "requested auto, echoed acme-turbo" invalid "(nothing)"
        unchecked "every echo is allowed; a request value outside the list is reported as SCHEMA-03";
}
