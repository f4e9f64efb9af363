//! The response object, incomplete results, errors and the contract's own rules in words.

super::explain! {
    Obj01
        says "Every snapshot has all 31 fields of the response object, null where they may be."
        why "Typed clients fail to parse the object when a key is missing."
        right "\"error\":null" wrong "(no error key)";
    Obj02
        says "Fields that may not be null have a value, even when the server does not know it: `temperature`, `top_p`, `tools`, `text` and ten more."
        why "Typed clients declare them without an option and fail."
        right "\"temperature\":1" wrong "\"temperature\":null";
    Obj03
        says "`created_at` and `completed_at` are whole seconds."
        why "Clients parse them as integers."
        right "\"created_at\":1741476542" wrong "\"created_at\":1741476542.81";
    Obj04
        says "A `json_schema` text format is echoed with `schema: null`; name, description and strict are there."
        why "The bundles declare nothing else; readers accept the object all the same."
        right "{\"type\":\"json_schema\",\"name\":\"x\",\"description\":null,\"schema\":null,\"strict\":true}" wrong "{\"type\":\"json_schema\",\"name\":\"x\",\"schema\":{…},…}";
    Obj05
        says "`json_object` is a valid echo, but no valid request format in the bundles."
        why "Servers of that edition refuse the request."
        right "{\"text\":{\"format\":{\"type\":\"json_schema\",…}}}" wrong "{\"text\":{\"format\":{\"type\":\"json_object\"}}}";
    Obj06
        says "`usage` has the three totals and both detail objects."
        why "Billing code reads `cached_tokens` and `reasoning_tokens` without asking whether they are there."
        right "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":0},…}" wrong "\"usage\":{\"input_tokens\":9,\"output_tokens\":3,\"total_tokens\":12}";
    Obj07
        says "`total_tokens` is the sum of input and output, and no detail exceeds its total."
        why "Somebody pays by these numbers."
        right "9 + 3 = 12" wrong "9 + 3 = 15";
    Obj08
        says "Request `metadata` has at most 16 pairs, values of at most 512 and keys of at most 64 characters."
        why "Servers refuse the request."
        right "{\"metadata\":{\"user\":\"7\"}}" wrong "{\"metadata\":{… 17 pairs …}}";
    Obj09
        says "Request numbers and strings keep their bounds: `max_output_tokens` from 16, `max_tool_calls` from 1, `top_logprobs` 0 to 20, identifiers up to 64 characters, and so on."
        why "Servers refuse the request, some only at run time."
        right "\"max_output_tokens\":256" wrong "\"max_output_tokens\":8";
    Obj10
        says "An assistant message's `phase` is `commentary` or `final_answer`, never null."
        why "Clients hide commentary by it; an unknown value hides or shows the wrong text."
        right "\"phase\":\"final_answer\"" wrong "\"phase\":null";
    Obj11
        says "`object` is `response`."
        why "Clients that handle several kinds of body tell them apart by it."
        right "\"object\":\"response\"" wrong "\"object\":\"chat.completion\"";
    Obj12
        says "The split edition also requires `user` and knows further fields."
        why "Typed clients of that edition fail without it."
        right "\"user\":null" wrong "(no user key, under the split edition)";
    Inc01
        says "When the token budget runs out, the last item, whatever its type, and the response end `incomplete` and `incomplete_details` says why."
        why "Without the reason a client cannot tell a short answer from a cut one, or what to raise."
        right "status incomplete, incomplete_details {\"reason\":\"max_output_tokens\"}" wrong "status incomplete, incomplete_details null";
    Inc02
        says "`incomplete_details` has a string `reason`."
        why "Clients switch on it."
        right "{\"reason\":\"content_filter\"}" wrong "{}";
    Inc03
        says "The parts of an incomplete item are still closed, then the item, then the response."
        why "Clients that finish a part at its done event would keep it open for ever."
        right "output_text.done, content_part.done, output_item.done (incomplete)" wrong "output_text.delta, output_item.done (incomplete)";
    Inc04
        says "`incomplete` is an end and no failure: the partial output is valid, its tool calls are not run."
        why "Throwing the text away loses what was paid for; running a cut call does damage."
        right "the text is kept" wrong "an exception without the text"
        unseen "binds readers; this one says `Incomplete` and keeps the output";
    Inc05
        says "openai-python's final response fails on `response.incomplete` as on `response.failed`; openai-node returns them."
        why "Code that moves from one to the other meets it."
        right "" wrong ""
        unseen "describes two clients, asks nothing of a stream";
    Err01
        says "An error body is `{\"error\":{…}}` with `message`, `type`, `param` and `code`; the last two may be null."
        why "Clients read `error.message`; from another shape they can only show the raw body."
        right "{\"error\":{\"message\":\"…\",\"type\":\"not_found\",\"param\":null,\"code\":null}}" wrong "{\"detail\":\"not found\"}";
    Err02
        says "`type` is the class of an error, `code` the exact cause."
        why "Programs decide by the class and log the cause."
        right "type too_many_requests, code rate_limit_exceeded" wrong "type rate_limit_exceeded_for_model_x"
        unseen "whether a cause is exact cannot be seen; unknown classes are reported as ERR-03";
    Err03
        says "Error types are `server_error`, `invalid_request`, `not_found`, `model_error` and `too_many_requests`; the spelling with `_error` is accepted too."
        why "Retry logic knows these and no others."
        right "\"type\":\"invalid_request\"" wrong "\"type\":\"oops\"";
    Err04
        says "The stream's error event has its fields inside `error`: `type`, `code`, `message` and `param`."
        why "openai-python raises only for the nested form: flat fields pass as an ordinary event and the failure is missed."
        right "{\"type\":\"error\",\"sequence_number\":3,\"error\":{…}}" wrong "{\"type\":\"error\",\"sequence_number\":3,\"message\":\"…\",\"code\":null}";
    Err05
        says "A reader takes each error field from the nested object first and from the top level otherwise."
        why "OpenAI documents the flat form and sends the nested one."
        right "both forms give the message" wrong "the flat form gives no error"
        unseen "binds readers; the accumulation vectors prove it";
    Err06
        says "An `error` event is followed by `response.failed`."
        why "Clients that keep only the final snapshot learn of the failure there."
        right "error, response.failed" wrong "error (end)";
    Err07
        says "A failed response has `error` with `code` and `message`."
        why "The reason of the failure stands nowhere else."
        right "status failed, error {\"code\":\"server_error\",\"message\":\"…\"}" wrong "status failed, error null";
    Err08
        says "`response.failed` without an `error` event before it is normal; the failure is in `response.error`."
        why "A reader that waits for `error` misses the failure."
        right "response.failed alone: failed" wrong "response.failed alone: unknown"
        unseen "binds readers; this one reads both";
    Err09
        says "What arrived before a failure may be shown, but is no result."
        why "Half an answer must not be stored as one."
        right "outcome failed, text readable" wrong "outcome completed"
        unseen "binds readers; this one says `Failed` and keeps the text";
    Err10
        says "The official SDKs raise at the `error` event and never deliver the `response.failed` behind it."
        why "Code that needs the final snapshot has to read the raw events."
        right "" wrong ""
        unseen "describes two clients, asks nothing of a stream";
    Err11
        says "Unknown error codes do not break a reader."
        why "Servers add codes at any time."
        right "code \"brand_new\" is kept" wrong "an exception about the code"
        unseen "binds readers; this one keeps every code";
    Schema01
        says "A field that the contract requires is present."
        why "Typed clients fail to parse the object."
        right "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",…}" wrong "{\"type\":\"response.output_text.delta\",…without item_id}";
    Schema02
        says "A value has the type that the contract declares, and is null only where it may be."
        why "Typed clients fail to parse the object."
        right "\"output_index\":0" wrong "\"output_index\":\"0\"";
    Schema03
        says "A value of a closed list is one of the list."
        why "Typed clients have no case for another value."
        right "\"role\":\"assistant\"" wrong "\"role\":\"robot\"";
    Schema04
        says "A value keeps the bounds and the pattern that the contract declares."
        why "Servers and clients check them and refuse the object."
        right "\"top_logprobs\":5" wrong "\"top_logprobs\":99";
    Schema05
        says "A value of a union fits one of its variants."
        why "Typed clients find no type to make of it."
        right "\"part\":{\"type\":\"output_text\",…}" wrong "\"part\":{\"type\":\"hologram\"}";
}
