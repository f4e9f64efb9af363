//! Texts of the rules on tool-call input, tools and tool choice.

super::explain! {
    Arg01
        statement "A function call is added with its `call_id`, its `name` and empty `arguments`; then come deltas, one arguments done event, and the item's done event."
        reason "Clients collect arguments between these events and run the function at the end."
        valid "output_item.added, …arguments.delta, …arguments.done, output_item.done" invalid "output_item.added, …arguments.delta, output_item.done";
    Arg02
        statement "The input in the done event equals the initial value plus all deltas, and the done item has the same input."
        reason "Otherwise a function runs with other arguments than those that were shown and approved."
        valid "deltas {\"a\": and 1}, done {\"a\":1}" invalid "deltas {\"a\": and 1}, done {\"a\":2}";
    Arg03
        statement "`arguments` is JSON in a string and is complete only at the done event; the model may have written invalid JSON."
        reason "A client that parses it without error handling crashes on the model's mistake."
        valid "\"arguments\":\"{\\\"city\\\":\\\"Paris\\\"}\"" invalid "\"arguments\":\"{\\\"city\\\":\"";
    Arg04
        statement "Deltas do not repeat arguments that an item already has when it is added."
        reason "A client that appends has the arguments twice at the end; this library replaces them at the done event."
        valid "added \"\", delta {\"a\":1}, done {\"a\":1}" invalid "added {\"a\":1}, delta {\"a\":1}, done {\"a\":1}";
    Arg05
        statement "`call_id` links a call and its output; `id` identifies the item. They must not be swapped."
        reason "The server finds no call with that id and refuses the turn."
        valid "call {id fc_1, call_id call_1}, output {call_id call_1}" invalid "call {id fc_1, call_id call_1}, output {call_id fc_1}";
    Arg06
        statement "In a request, `call_id` has 1 to 64 characters, and `name` 1 to 64 letters, digits, `_` or `-`."
        reason "Servers refuse the request."
        valid "\"name\":\"get_weather\"" invalid "\"name\":\"get weather\"";
    Arg07
        statement "Other tools stream their input in the same way: custom input, MCP arguments, code, diffs and shell commands, each with its own events."
        reason "Clients treat all tool input alike: deltas, then one done event, then the item's done event."
        valid "custom_tool_call_input.delta, custom_tool_call_input.done, output_item.done" invalid "custom_tool_call_input.done, custom_tool_call_input.delta";
    Arg08
        statement "The arguments done event may carry an extra `name`."
        reason "OpenAI sends it; readers must accept it."
        valid "{\"arguments\":\"{}\",\"name\":\"f\",…}" invalid "(nothing)"
        unchecked "a permission: no stream can break it";
    Arg09
        statement "A call that the token limit truncates ends `incomplete` and is not run."
        reason "Truncated arguments may be valid JSON with another meaning: the wrong action would run."
        valid "item incomplete, response.incomplete" invalid "item completed with arguments {\"path\":\"/ho, response.incomplete";
    Tool01
        statement "With `tool_choice: \"required\"` the output has at least one tool call."
        reason "Programs that force a call cannot use any other answer."
        valid "required: a function_call item" invalid "required: only a message";
    Tool02
        statement "With `tool_choice: \"none\"` the output has no tool call."
        reason "The client switched tools off and cannot run them."
        valid "none: a message" invalid "none: a function_call item";
    Tool03
        statement "`tool_choice` is `auto` by default, which leaves the choice to the model."
        reason "Readers must handle both answers."
        valid "auto: a message or a call" invalid "(nothing)"
        unchecked "a permission: no stream can break it";
    Tool04
        statement "A `tool_choice` that names a function forces this function."
        reason "Structured extraction relies on it."
        valid "{\"type\":\"function\",\"name\":\"f\"}: a call of f" invalid "{\"type\":\"function\",\"name\":\"f\"}: a call of g";
    Tool05
        statement "A call to a tool outside `allowed_tools` is never delivered."
        reason "The list is a safety boundary; clients run what arrives."
        valid "allowed f: a call of f" invalid "allowed f: a call of g";
    Tool06
        statement "Naming the allowed tools to the model does not replace enforcing the list."
        reason "Models do not always follow a hint."
        valid "allowed f: calls of g are dropped" invalid "allowed f: a call of g is delivered"
        unchecked "how a server enforces the list is not visible; a call outside the list is reported as TOOL-05";
    Tool07
        statement "`allowed_tools` does not change the echoed `tools`."
        reason "Clients cache and compare the list; a shortened one also loses the prompt cache."
        valid "tools [f,g], allowed [f]: echo [f,g]" invalid "tools [f,g], allowed [f]: echo [f]";
    Tool08
        statement "`allowed_tools` has 1 to 128 entries; its echo has a `mode`."
        reason "Typed clients fail on an echo without `mode`."
        valid "{\"type\":\"allowed_tools\",\"mode\":\"auto\",\"tools\":[…]}" invalid "{\"type\":\"allowed_tools\",\"tools\":[…]}   (in a response)";
    Tool09
        statement "With `parallel_tool_calls: false` there is at most one call per turn, and never more than `max_tool_calls`."
        reason "Clients that cannot run calls in parallel run the second one on outdated state."
        valid "parallel_tool_calls false: one function_call" invalid "parallel_tool_calls false: two function_calls";
    Tool10
        statement "A hosted tool's call, state and result are in an item of its own."
        reason "Otherwise clients can neither show nor replay the call."
        valid "web_search_call with its action" invalid "text from a search without an item"
        unchecked "only the server knows whether a hosted tool ran without an item";
    Tool11
        statement "A tool type outside the specification has its owner's slug and a colon as prefix."
        reason "Otherwise names collide, and servers cannot tell whose tool is meant."
        valid "\"type\":\"acme:search\"" invalid "\"type\":\"search_everything\"";
    Tool12
        statement "An echoed function tool has `name`, `description`, `parameters` and `strict`; all but the name may be null."
        reason "Typed clients fail on a missing key."
        valid "{\"type\":\"function\",\"name\":\"f\",\"description\":null,\"parameters\":null,\"strict\":null}" invalid "{\"type\":\"function\",\"name\":\"f\"}   (in a response)";
    Tool13
        statement "A function's name has 1 to 64 letters, digits, `_` or `-`."
        reason "Servers refuse the request."
        valid "\"name\":\"get_weather\"" invalid "\"name\":\"get.weather\"";
    Tool14
        statement "The output of a call, such as a `function_call_output`, answers a call that exists in the chain or in the same input."
        reason "The server refuses the turn, often with a message that does not name the id."
        valid "function_call call_1, function_call_output call_1" invalid "function_call call_1, function_call_output call_2";
}
