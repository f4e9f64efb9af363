//! Requests, chaining, truncation and tiers in words.

super::explain! {
    Req01
        says "`input` is a string, a list of items or null; no request field is required by schema."
        why "Servers refuse another type."
        right "\"input\":\"hi\" or \"input\":[{…}]" wrong "\"input\":{\"text\":\"hi\"}";
    Req02
        says "Each role takes its own parts: users text, image and file; system and developer text; the assistant output text and refusals. A string is fine everywhere."
        why "Servers refuse the message."
        right "{\"role\":\"system\",\"content\":[{\"type\":\"input_text\",…}]}" wrong "{\"role\":\"system\",\"content\":[{\"type\":\"input_image\",…}]}";
    Req03
        says "Video parts stand only in function call outputs of a request and in messages of a response."
        why "Servers refuse them elsewhere."
        right "function_call_output with input_video" wrong "user message with input_video";
    Req04
        says "An item reference is an `id` with the type `item_reference`, null or none."
        why "Without the id there is nothing to refer to."
        right "{\"type\":\"item_reference\",\"id\":\"msg_1\"}" wrong "{\"type\":\"item_reference\"}";
    Prev01
        says "With `previous_response_id` the server loads the input and the output of that response."
        why "The model would have forgotten the earlier turns."
        right "" wrong ""
        unseen "what the server loads is not on the wire";
    Prev02
        says "The order is old input, old output, new input."
        why "Another order changes what the model understands."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Prev03
        says "`previous_response_id` in the response is the one of the request, or null."
        why "Clients follow the chain by it."
        right "request resp_1, response resp_1" wrong "request resp_1, response null";
    Prev04
        says "An unknown `previous_response_id` is an error, not a fresh start."
        why "The user would talk to a model that knows nothing, without a word about it."
        right "404 for resp_unknown" wrong "200 for resp_unknown"
        unseen "which ids a server knows is not on the wire";
    Prev05
        says "OpenAI does not carry `instructions` over; Open Responses says so only for compaction."
        why "A client that relies on either is surprised by the other."
        right "send instructions with each request" wrong "(nothing)"
        unseen "describes servers, asks nothing of a stream";
    Trunc01
        says "With `truncation: \"disabled\"` nothing of the context is cut."
        why "The client asked to be told rather than to lose context."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Trunc02
        says "With `truncation: \"disabled\"` a context that is too long fails the request."
        why "As above."
        right "400 for a context that is too long" wrong "200 with a shortened context"
        unseen "the size of a model's context is not on the wire";
    Trunc03
        says "With `truncation: \"auto\"` older context may go; system messages and recent turns are kept."
        why "The instructions are the last thing to lose."
        right "" wrong ""
        unseen "the context that the model gets is not on the wire";
    Tier01
        says "Service tiers may exist and are documented; requests name `auto`, `default`, `flex` or `priority`, the echo is free."
        why "Clients must not expect the tier that they asked for."
        right "asked auto, echoed acme-turbo" wrong "(nothing)"
        unseen "every echo is allowed; a request value outside the list is reported as SCHEMA-03";
}
