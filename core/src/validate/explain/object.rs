//! Texts of the rules on the response object, incomplete results and errors, and of the contract's own rules.

super::explain! {
    Obj01
        says "Every snapshot has all 31 fields of the response object, null where the schema allows it."
        why "Typed clients fail to parse the object when a key is missing."
        right "\"error\":null" wrong "(no error key)";
    Obj02
        says "Fields that must not be null have a value, even when the server does not know it: `temperature`, `top_p`, `tools`, `text` and ten more."
        why "Typed clients declare these fields as not optional and fail."
        right "\"temperature\":1" wrong "\"temperature\":null";
    Obj03
        says "`created_at` and `completed_at` are whole seconds."
        why "Clients parse them as integers."
        right "\"created_at\":1741476542" wrong "\"created_at\":1741476542.81";
    Obj04
        says "A `json_schema` text format is echoed with `schema: null`; `name`, `description` and `strict` are present."
        why "The bundles allow only null here; readers accept the object anyway."
        right "{\"type\":\"json_schema\",\"name\":\"x\",\"description\":null,\"schema\":null,\"strict\":true}" wrong "{\"type\":\"json_schema\",\"name\":\"x\",\"schema\":{…},…}";
    Obj05
        says "`json_object` is valid as an echo, but not as a request format in the bundles."
        why "Servers of that edition refuse the request."
        right "{\"text\":{\"format\":{\"type\":\"json_schema\",…}}}" wrong "{\"text\":{\"format\":{\"type\":\"json_object\"}}}";
    Obj06
        says "`usage` has the three totals and both detail objects."
        why "Billing code reads `cached_tokens` and `reasoning_tokens` without checking that they exist."
        right "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":0},…}" wrong "\"usage\":{\"input_tokens\":9,\"output_tokens\":3,\"total_tokens\":12}";
    Obj07
        says "`total_tokens` is the sum of input and output, and no detail exceeds its total."
        why "These numbers are used for billing."
        right "9 + 3 = 12" wrong "9 + 3 = 15";
    Obj08
        says "Request `metadata` has at most 16 pairs, values of at most 512 and keys of at most 64 characters."
        why "Servers refuse the request."
        right "{\"metadata\":{\"user\":\"7\"}}" wrong "{\"metadata\":{… 17 pairs …}}";
    Obj09
        says "Numbers and strings in a request stay within their bounds: `max_output_tokens` from 16, `max_tool_calls` from 1, `top_logprobs` 0 to 20, identifiers up to 64 characters, and so on."
        why "Servers refuse the request, some of them only when it runs."
        right "\"max_output_tokens\":256" wrong "\"max_output_tokens\":8";
    Obj10
        says "An assistant message's `phase` is `commentary` or `final_answer`, never null."
        why "Clients use it to hide commentary; an unknown value hides or shows the wrong text."
        right "\"phase\":\"final_answer\"" wrong "\"phase\":null";
    Obj11
        says "`object` is `response`."
        why "Clients that handle several kinds of body distinguish them by it."
        right "\"object\":\"response\"" wrong "\"object\":\"chat.completion\"";
    Obj12
        says "The split edition also requires `user` and has further fields."
        why "Typed clients of that edition fail without it."
        right "\"user\":null" wrong "(no user key, under the split edition)";
    Inc01
        says "When the token budget runs out, the last item (of any type) and the response end `incomplete`, and `incomplete_details` gives the reason."
        why "Without the reason a client cannot distinguish a short answer from a truncated one, or know which limit to raise."
        right "status incomplete, incomplete_details {\"reason\":\"max_output_tokens\"}" wrong "status incomplete, incomplete_details null";
    Inc02
        says "`incomplete_details` has a string `reason`."
        why "Clients branch on it."
        right "{\"reason\":\"content_filter\"}" wrong "{}";
    Inc03
        says "The parts of an incomplete item are still closed, then the item, then the response."
        why "Clients that finish a part at its done event would keep it open forever."
        right "output_text.done, content_part.done, output_item.done (incomplete)" wrong "output_text.delta, output_item.done (incomplete)";
    Inc04
        says "`incomplete` is a normal end and not a failure: the partial output is valid, and its tool calls are not run."
        why "Discarding the text loses output that was paid for; running an incomplete call can do damage."
        right "the text is kept" wrong "an exception without the text"
        unseen "binds readers; this library reports `Incomplete` and keeps the output";
    Inc05
        says "openai-python's final response raises on `response.incomplete` and `response.failed`; openai-node's returns both."
        why "Code that is ported from one SDK to the other behaves differently."
        right "" wrong ""
        unseen "describes two clients; no stream can break it";
    Err01
        says "An error body is `{\"error\":{…}}` with `message`, `type`, `param` and `code`; the last two may be null."
        why "Clients read `error.message`; with another shape they can only show the raw body."
        right "{\"error\":{\"message\":\"…\",\"type\":\"not_found\",\"param\":null,\"code\":null}}" wrong "{\"detail\":\"not found\"}";
    Err02
        says "`type` is the class of an error, `code` its exact cause."
        why "Programs branch on the class and log the cause."
        right "type too_many_requests, code rate_limit_exceeded" wrong "type rate_limit_exceeded_for_model_x"
        unseen "whether a cause is exact cannot be checked; unknown classes are reported as ERR-03";
    Err03
        says "Error types are `server_error`, `invalid_request`, `not_found`, `model_error` and `too_many_requests`; the spelling with `_error` is accepted too."
        why "Retry logic knows no other types."
        right "\"type\":\"invalid_request\"" wrong "\"type\":\"oops\"";
    Err04
        says "The stream's error event has its fields inside `error`: `type`, `code`, `message` and `param`."
        why "openai-python raises only for the nested form: it treats flat fields as an ordinary event, and the failure is missed."
        right "{\"type\":\"error\",\"sequence_number\":3,\"error\":{…}}" wrong "{\"type\":\"error\",\"sequence_number\":3,\"message\":\"…\",\"code\":null}";
    Err05
        says "A reader takes each error field from the nested object if it is there, otherwise from the top level."
        why "OpenAI documents the flat form and sends the nested one."
        right "both forms give the message" wrong "the flat form gives no error"
        unseen "binds readers; the accumulation vectors prove it";
    Err06
        says "An `error` event is followed by `response.failed`."
        why "Clients that keep only the final snapshot find the failure there."
        right "error, response.failed" wrong "error (end)";
    Err07
        says "A failed response has `error` with `code` and `message`."
        why "No other field gives the reason of the failure."
        right "status failed, error {\"code\":\"server_error\",\"message\":\"…\"}" wrong "status failed, error null";
    Err08
        says "`response.failed` without an `error` event before it is normal; the failure is in `response.error`."
        why "A reader that waits for `error` misses the failure."
        right "response.failed alone: failed" wrong "response.failed alone: unknown"
        unseen "binds readers; this library reads both";
    Err09
        says "Output that arrived before a failure may be shown, but is not a result."
        why "A partial answer must not be stored as a complete one."
        right "outcome failed, text readable" wrong "outcome completed"
        unseen "binds readers; this library reports `Failed` and keeps the text";
    Err10
        says "The official SDKs raise at the `error` event and never deliver the `response.failed` that follows."
        why "Code that needs the final snapshot has to read the raw events."
        right "" wrong ""
        unseen "describes two clients; no stream can break it";
    Err11
        says "Unknown error codes do not break a reader."
        why "Servers add codes at any time."
        right "code \"brand_new\" is kept" wrong "an exception about the code"
        unseen "binds readers; this library keeps every code";
    Schema01
        says "A field that the contract requires is present."
        why "Typed clients fail to parse the object."
        right "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",…}" wrong "{\"type\":\"response.output_text.delta\",…without item_id}";
    Schema02
        says "A value has the type that the contract declares, and is null only where the contract allows it."
        why "Typed clients fail to parse the object."
        right "\"output_index\":0" wrong "\"output_index\":\"0\"";
    Schema03
        says "A value of a closed list is one of the list."
        why "Typed clients have no case for another value."
        right "\"role\":\"assistant\"" wrong "\"role\":\"robot\"";
    Schema04
        says "A value stays within the bounds and matches the pattern that the contract declares."
        why "Servers and clients check them and refuse the object."
        right "\"top_logprobs\":5" wrong "\"top_logprobs\":99";
    Schema05
        says "A value of a union fits one of its variants."
        why "Typed clients have no type for another value."
        right "\"part\":{\"type\":\"output_text\",…}" wrong "\"part\":{\"type\":\"hologram\"}";
}
