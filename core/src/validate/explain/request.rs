//! Texts of the rules on requests, chaining, truncation and tiers.

super::explain! {
    Req01
        says "`input` is a string, a list of items or null; no request field is required by schema."
        why "Servers refuse any other type."
        right "\"input\":\"hi\" or \"input\":[{…}]" wrong "\"input\":{\"text\":\"hi\"}";
    Req02
        says "Each role accepts certain parts: users text, image and file; system and developer text; the assistant output text and refusals. A string is accepted for every role."
        why "Servers refuse the message."
        right "{\"role\":\"system\",\"content\":[{\"type\":\"input_text\",…}]}" wrong "{\"role\":\"system\",\"content\":[{\"type\":\"input_image\",…}]}";
    Req03
        says "Video parts are allowed only in function call outputs of a request and in messages of a response."
        why "Servers refuse them elsewhere."
        right "function_call_output with input_video" wrong "user message with input_video";
    Req04
        says "An item reference is an `id`, with the type `item_reference`, null or no type."
        why "Without the id it refers to nothing."
        right "{\"type\":\"item_reference\",\"id\":\"msg_1\"}" wrong "{\"type\":\"item_reference\"}";
    Prev01
        says "With `previous_response_id` the server loads the input and the output of that response."
        why "Otherwise the model does not see the earlier turns."
        right "" wrong ""
        unseen "the context that the server loads is not on the wire";
    Prev02
        says "The order is old input, old output, new input."
        why "Another order changes the meaning for the model."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Prev03
        says "`previous_response_id` in the response is the one of the request, or null."
        why "Clients use it to follow the chain."
        right "request resp_1, response resp_1" wrong "request resp_1, response null";
    Prev04
        says "An unknown `previous_response_id` is an error, not a fresh start."
        why "Otherwise the user talks to a model that lacks the context, without being told."
        right "404 for resp_unknown" wrong "200 for resp_unknown"
        unseen "the ids that a server knows are not on the wire";
    Prev05
        says "OpenAI does not carry `instructions` over; Open Responses states this only for compaction."
        why "A client that relies on one behaviour fails with the other."
        right "send instructions with each request" wrong "(nothing)"
        unseen "describes servers; no stream can break it";
    Trunc01
        says "With `truncation: \"disabled\"` nothing is removed from the context."
        why "The client asked for an error instead of lost context."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Trunc02
        says "With `truncation: \"disabled\"` a context that is too long fails the request."
        why "The client asked for an error instead of lost context."
        right "400 for a context that is too long" wrong "200 with a shortened context"
        unseen "the size of a model's context is not on the wire";
    Trunc03
        says "With `truncation: \"auto\"` older context may be removed; system messages and recent turns are kept."
        why "Without its instructions the model behaves differently."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Tier01
        says "A server may have service tiers of its own and documents them; requests use `auto`, `default`, `flex` or `priority`, and the echo may be any string."
        why "Clients must not expect to get the tier that they requested."
        right "requested auto, echoed acme-turbo" wrong "(nothing)"
        unseen "every echo is allowed; a request value outside the list is reported as SCHEMA-03";
}
