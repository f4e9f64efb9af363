//! Texts of the rules on tool-call input, tools and tool choice.

super::explain! {
    Arg01
        says "A function call is added with its `call_id`, its `name` and empty `arguments`; then come deltas, one arguments done event, and the item's done event."
        why "Clients collect arguments between these events and run the function at the end."
        right "output_item.added, …arguments.delta, …arguments.done, output_item.done" wrong "output_item.added, …arguments.delta, output_item.done";
    Arg02
        says "The input in the done event equals the initial value plus all deltas, and the done item has the same input."
        why "Otherwise a function runs with other arguments than those that were shown and approved."
        right "deltas {\"a\": and 1}, done {\"a\":1}" wrong "deltas {\"a\": and 1}, done {\"a\":2}";
    Arg03
        says "`arguments` is JSON in a string and is complete only at the done event; the model may have written invalid JSON."
        why "A client that parses it without error handling crashes on the model's mistake."
        right "\"arguments\":\"{\\\"city\\\":\\\"Paris\\\"}\"" wrong "\"arguments\":\"{\\\"city\\\":\"";
    Arg04
        says "Deltas do not repeat arguments that an item already has when it is added."
        why "A client that appends has the arguments twice at the end; this library replaces them at the done event."
        right "added \"\", delta {\"a\":1}, done {\"a\":1}" wrong "added {\"a\":1}, delta {\"a\":1}, done {\"a\":1}";
    Arg05
        says "`call_id` links a call and its output; `id` identifies the item. They must not be swapped."
        why "The server finds no call with that id and refuses the turn."
        right "call {id fc_1, call_id call_1}, output {call_id call_1}" wrong "call {id fc_1, call_id call_1}, output {call_id fc_1}";
    Arg06
        says "In a request, `call_id` has 1 to 64 characters, and `name` 1 to 64 letters, digits, `_` or `-`."
        why "Servers refuse the request."
        right "\"name\":\"get_weather\"" wrong "\"name\":\"get weather\"";
    Arg07
        says "Other tools stream their input in the same way: custom input, MCP arguments, code, diffs and shell commands, each with its own events."
        why "Clients treat all tool input alike: deltas, then one done event, then the item's done event."
        right "custom_tool_call_input.delta, custom_tool_call_input.done, output_item.done" wrong "custom_tool_call_input.done, custom_tool_call_input.delta";
    Arg08
        says "The arguments done event may carry an extra `name`."
        why "OpenAI sends it; readers must accept it."
        right "{\"arguments\":\"{}\",\"name\":\"f\",…}" wrong "(nothing)"
        unseen "a permission: no stream can break it";
    Arg09
        says "A call that the token limit truncates ends `incomplete` and is not run."
        why "Truncated arguments may be valid JSON with another meaning: the wrong action would run."
        right "item incomplete, response.incomplete" wrong "item completed with arguments {\"path\":\"/ho, response.incomplete";
    Tool01
        says "With `tool_choice: \"required\"` the output has at least one tool call."
        why "Programs that force a call cannot use any other answer."
        right "required: a function_call item" wrong "required: only a message";
    Tool02
        says "With `tool_choice: \"none\"` the output has no tool call."
        why "The client switched tools off and cannot run them."
        right "none: a message" wrong "none: a function_call item";
    Tool03
        says "`tool_choice` is `auto` by default, which leaves the choice to the model."
        why "Readers must handle both answers."
        right "auto: a message or a call" wrong "(nothing)"
        unseen "a permission: no stream can break it";
    Tool04
        says "A `tool_choice` that names a function forces this function."
        why "Structured extraction relies on it."
        right "{\"type\":\"function\",\"name\":\"f\"}: a call of f" wrong "{\"type\":\"function\",\"name\":\"f\"}: a call of g";
    Tool05
        says "A call to a tool outside `allowed_tools` is never delivered."
        why "The list is a safety boundary; clients run what arrives."
        right "allowed f: a call of f" wrong "allowed f: a call of g";
    Tool06
        says "Naming the allowed tools to the model does not replace enforcing the list."
        why "Models do not always follow a hint."
        right "allowed f: calls of g are dropped" wrong "allowed f: a call of g is delivered"
        unseen "how a server enforces the list is not visible; a call outside the list is reported as TOOL-05";
    Tool07
        says "`allowed_tools` does not change the echoed `tools`."
        why "Clients cache and compare the list; a shortened one also loses the prompt cache."
        right "tools [f,g], allowed [f]: echo [f,g]" wrong "tools [f,g], allowed [f]: echo [f]";
    Tool08
        says "`allowed_tools` has 1 to 128 entries; its echo has a `mode`."
        why "Typed clients fail on an echo without `mode`."
        right "{\"type\":\"allowed_tools\",\"mode\":\"auto\",\"tools\":[…]}" wrong "{\"type\":\"allowed_tools\",\"tools\":[…]}   (in a response)";
    Tool09
        says "With `parallel_tool_calls: false` there is at most one call per turn, and never more than `max_tool_calls`."
        why "Clients that cannot run calls in parallel run the second one on outdated state."
        right "parallel_tool_calls false: one function_call" wrong "parallel_tool_calls false: two function_calls";
    Tool10
        says "A hosted tool's call, state and result are in an item of its own."
        why "Otherwise clients can neither show nor replay the call."
        right "web_search_call with its action" wrong "text from a search without an item"
        unseen "only the server knows whether a hosted tool ran without an item";
    Tool11
        says "A tool type outside the specification has its owner's slug and a colon as prefix."
        why "Otherwise names collide, and servers cannot tell whose tool is meant."
        right "\"type\":\"acme:search\"" wrong "\"type\":\"search_everything\"";
    Tool12
        says "An echoed function tool has `name`, `description`, `parameters` and `strict`; all but the name may be null."
        why "Typed clients fail on a missing key."
        right "{\"type\":\"function\",\"name\":\"f\",\"description\":null,\"parameters\":null,\"strict\":null}" wrong "{\"type\":\"function\",\"name\":\"f\"}   (in a response)";
    Tool13
        says "A function's name has 1 to 64 letters, digits, `_` or `-`."
        why "Servers refuse the request."
        right "\"name\":\"get_weather\"" wrong "\"name\":\"get.weather\"";
    Tool14
        says "A `function_call_output` answers a call that exists in the chain or in the same input."
        why "The server refuses the turn, often with a message that does not name the id."
        right "function_call call_1, function_call_output call_1" wrong "function_call call_1, function_call_output call_2";
}
