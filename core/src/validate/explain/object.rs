//! Texts of the rules on the response object, incomplete results and errors, and of the contract's own rules.

super::explain! {
    Obj01
        statement "Every snapshot has all 31 fields of the response object, null where the schema allows it."
        reason "Typed clients fail to parse the object when a key is missing."
        valid "\"error\":null" invalid "(no error key)";
    Obj02
        statement "Fields that must not be null have a value, even when the server does not know it: `temperature`, `top_p`, `tools`, `text` and ten more."
        reason "Typed clients declare these fields as not optional and fail."
        valid "\"temperature\":1" invalid "\"temperature\":null";
    Obj03
        statement "`created_at` and `completed_at` are whole seconds."
        reason "Clients parse them as integers."
        valid "\"created_at\":1741476542" invalid "\"created_at\":1741476542.81";
    Obj04
        statement "A `json_schema` text format is echoed with `schema: null`; `name`, `description` and `strict` are present."
        reason "The bundles allow only null here; readers accept the object anyway."
        valid "{\"type\":\"json_schema\",\"name\":\"x\",\"description\":null,\"schema\":null,\"strict\":true}" invalid "{\"type\":\"json_schema\",\"name\":\"x\",\"schema\":{…},…}";
    Obj05
        statement "`json_object` is valid as an echo, but not as a request format in the bundles."
        reason "Servers of that edition refuse the request."
        valid "{\"text\":{\"format\":{\"type\":\"json_schema\",…}}}" invalid "{\"text\":{\"format\":{\"type\":\"json_object\"}}}";
    Obj06
        statement "`usage` has the three totals and both detail objects."
        reason "Billing code reads `cached_tokens` and `reasoning_tokens` without checking that they exist."
        valid "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":0},…}" invalid "\"usage\":{\"input_tokens\":9,\"output_tokens\":3,\"total_tokens\":12}";
    Obj07
        statement "`total_tokens` is the sum of input and output, and no detail exceeds its total."
        reason "These numbers are used for billing."
        valid "9 + 3 = 12" invalid "9 + 3 = 15";
    Obj08
        statement "Request `metadata` has at most 16 pairs, values of at most 512 and keys of at most 64 characters."
        reason "Servers refuse the request."
        valid "{\"metadata\":{\"user\":\"7\"}}" invalid "{\"metadata\":{… 17 pairs …}}";
    Obj09
        statement "Numbers and strings in a request stay within their bounds: `max_output_tokens` from 16, `max_tool_calls` from 1, `top_logprobs` 0 to 20, identifiers up to 64 characters, and so on."
        reason "Servers refuse the request, some of them only when it runs."
        valid "\"max_output_tokens\":256" invalid "\"max_output_tokens\":8";
    Obj10
        statement "An assistant message's `phase` is `commentary` or `final_answer`, never null."
        reason "Clients use it to hide commentary; an unknown value hides or shows the wrong text."
        valid "\"phase\":\"final_answer\"" invalid "\"phase\":null";
    Obj11
        statement "`object` is `response`."
        reason "Clients that handle several kinds of body distinguish them by it."
        valid "\"object\":\"response\"" invalid "\"object\":\"chat.completion\"";
    Obj12
        statement "The split edition also requires `user` and has further fields."
        reason "Typed clients of that edition fail without it."
        valid "\"user\":null" invalid "(no user key, under the split edition)";
    Inc01
        statement "When the token budget runs out, the last item (of any type) and the response end `incomplete`, and `incomplete_details` gives the reason."
        reason "Without the reason a client cannot distinguish a short answer from a truncated one, or know which limit to raise."
        valid "status incomplete, incomplete_details {\"reason\":\"max_output_tokens\"}" invalid "status incomplete, incomplete_details null";
    Inc02
        statement "`incomplete_details` has a string `reason`."
        reason "Clients branch on it."
        valid "{\"reason\":\"content_filter\"}" invalid "{}";
    Inc03
        statement "The parts of an incomplete item are still closed, then the item, then the response."
        reason "Clients that finish a part at its done event would keep it open forever."
        valid "output_text.done, content_part.done, output_item.done (incomplete)" invalid "output_text.delta, output_item.done (incomplete)";
    Inc04
        statement "`incomplete` is a normal end and not a failure: the partial output is valid, and its tool calls are not run."
        reason "Discarding the text loses output that was paid for; running an incomplete call can do damage."
        valid "the text is kept" invalid "an exception without the text"
        unchecked "binds readers; this library reports `Incomplete` and keeps the output";
    Inc05
        statement "openai-python's final response raises on `response.incomplete` and `response.failed`; openai-node's returns both."
        reason "Code that is ported from one SDK to the other behaves differently."
        valid "" invalid ""
        unchecked "describes two clients; no stream can break it";
    Err01
        statement "An error body is `{\"error\":{…}}` with `message`, `type`, `param` and `code`; the last two may be null."
        reason "Clients read `error.message`; with another shape they can only show the raw body."
        valid "{\"error\":{\"message\":\"…\",\"type\":\"not_found\",\"param\":null,\"code\":null}}" invalid "{\"detail\":\"not found\"}";
    Err02
        statement "`type` is the class of an error, `code` its exact cause."
        reason "Programs branch on the class and log the cause."
        valid "type too_many_requests, code rate_limit_exceeded" invalid "type rate_limit_exceeded_for_model_x"
        unchecked "whether a cause is exact cannot be checked; unknown classes are reported as ERR-03";
    Err03
        statement "Error types are `server_error`, `invalid_request`, `not_found`, `model_error` and `too_many_requests`; the spelling with `_error` is accepted too."
        reason "Retry logic knows no other types."
        valid "\"type\":\"invalid_request\"" invalid "\"type\":\"oops\"";
    Err04
        statement "The stream's error event has its fields inside `error`: `type`, `code`, `message` and `param`."
        reason "openai-python raises only for the nested form: it treats flat fields as an ordinary event, and the failure is missed."
        valid "{\"type\":\"error\",\"sequence_number\":3,\"error\":{…}}" invalid "{\"type\":\"error\",\"sequence_number\":3,\"message\":\"…\",\"code\":null}";
    Err05
        statement "A reader takes each error field from the nested object if it is there, otherwise from the top level."
        reason "OpenAI documents the flat form and sends the nested one."
        valid "both forms give the message" invalid "the flat form gives no error"
        unchecked "binds readers; the accumulation vectors prove it";
    Err06
        statement "An `error` event is followed by `response.failed`."
        reason "Clients that keep only the final snapshot find the failure there."
        valid "error, response.failed" invalid "error (end)";
    Err07
        statement "A failed response has `error` with `code` and `message`."
        reason "No other field gives the reason of the failure."
        valid "status failed, error {\"code\":\"server_error\",\"message\":\"…\"}" invalid "status failed, error null";
    Err08
        statement "`response.failed` without an `error` event before it is normal; the failure is in `response.error`."
        reason "A reader that waits for `error` misses the failure."
        valid "response.failed alone: failed" invalid "response.failed alone: unknown"
        unchecked "binds readers; this library reads both";
    Err09
        statement "Output that arrived before a failure may be shown, but is not a result."
        reason "A partial answer must not be stored as a complete one."
        valid "outcome failed, text readable" invalid "outcome completed"
        unchecked "binds readers; this library reports `Failed` and keeps the text";
    Err10
        statement "The official SDKs raise at the `error` event and never deliver the `response.failed` that follows."
        reason "Code that needs the final snapshot has to read the raw events."
        valid "" invalid ""
        unchecked "describes two clients; no stream can break it";
    Err11
        statement "Unknown error codes do not break a reader."
        reason "Servers add codes at any time."
        valid "code \"brand_new\" is kept" invalid "an exception about the code"
        unchecked "binds readers; this library keeps every code";
    Schema01
        statement "A field that the contract requires is present."
        reason "Typed clients fail to parse the object."
        valid "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",…}" invalid "{\"type\":\"response.output_text.delta\",…without item_id}";
    Schema02
        statement "A value has the type that the contract declares, and is null only where the contract allows it."
        reason "Typed clients fail to parse the object."
        valid "\"output_index\":0" invalid "\"output_index\":\"0\"";
    Schema03
        statement "A value of a closed list is one of the list."
        reason "Typed clients have no case for another value."
        valid "\"role\":\"assistant\"" invalid "\"role\":\"robot\"";
    Schema04
        statement "A value stays within the bounds and matches the pattern that the contract declares."
        reason "Servers and clients check them and refuse the object."
        valid "\"top_logprobs\":5" invalid "\"top_logprobs\":99";
    Schema05
        statement "A value of a union fits one of its variants."
        reason "Typed clients have no type for another value."
        valid "\"part\":{\"type\":\"output_text\",…}" invalid "\"part\":{\"type\":\"hologram\"}";
}
