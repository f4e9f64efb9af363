//! Texts of the rules on content parts, text, annotations, refusals and reasoning.

super::explain! {
    Part01
        statement "Streamed content belongs to a content part of an item that has parts."
        reason "Text that belongs to no part has no place in the response."
        valid "message item, part 0, output_text.delta 0/0" invalid "function_call item, output_text.delta 0/0";
    Part02
        statement "A part opens with `response.content_part.added` before its first delta."
        reason "Both official SDKs raise on a delta for a part they have not seen."
        valid "content_part.added 0/0, output_text.delta 0/0" invalid "output_item.added 0, output_text.delta 0/0";
    Part03
        statement "Any number of deltas follow, including none."
        reason "Readers must not wait for a delta."
        valid "content_part.added, output_text.done" invalid "(nothing)"
        unchecked "any number of deltas is valid";
    Part04
        statement "A part's text is closed by one done event of its kind."
        reason "Clients render, parse or store the text at that event."
        valid "output_text.delta, output_text.done, content_part.done" invalid "output_text.delta, content_part.done";
    Part05
        statement "`response.content_part.done` closes the part, after the done event of its kind."
        reason "Clients that keep parts open until then show a cursor forever."
        valid "output_text.done, content_part.done, output_item.done" invalid "output_text.done, output_item.done";
    Part06
        statement "An item may have several parts, each with its own sequence of events."
        reason "Readers must not stop after the first part."
        valid "parts 0 and 1" invalid "(nothing)"
        unchecked "a permission: no stream can break it";
    Part07
        statement "The events match the part's type: `output_text`, `refusal` and `reasoning_text` have events of their own."
        reason "Otherwise refusals and reasoning are shown as answers, or answers are hidden."
        valid "part refusal, refusal.delta" invalid "part refusal, output_text.delta";
    Part08
        statement "`content_index` starts at 0 in each item and goes up by one."
        reason "openai-node raises otherwise; openai-python appends the part and then reads another one."
        valid "item 1: parts 0, 1" invalid "item 1: parts 3, 4";
    Part09
        statement "Deltas do not repeat text that a part already has when it is added."
        reason "Readers append deltas: the text would appear twice."
        valid "added \"\", delta \"Hi\", done \"Hi\"" invalid "added \"Hi\", delta \"Hi\", done \"Hi\"";
    Part10
        statement "The part in `response.content_part.done` equals the accumulated part and the part in `response.output_item.done`."
        reason "Otherwise the text that a user sees depends on the event that the client reads."
        valid "deltas \"Hi\", part done \"Hi\", item done \"Hi\"" invalid "deltas \"Hi\", part done \"Hello\"";
    Part11
        statement "No delta follows the done event of its part, and no part opens after its item is done."
        reason "Clients have already used the text; the rest is lost or appended to a finished text."
        valid "output_text.delta, output_text.done" invalid "output_text.done, output_text.delta";
    Part12
        statement "The parts in an output are `output_text`, `refusal`, `reasoning_text` or `summary_text`, although the schema allows input parts."
        reason "Clients do not expect an input part in an output, and some reject it."
        valid "\"part\":{\"type\":\"output_text\",…}" invalid "\"part\":{\"type\":\"input_text\",…}";
    Part13
        statement "Tool input is streamed without content parts."
        reason "A tool call has no `content`: clients raise or drop the part."
        valid "function_call, function_call_arguments.delta" invalid "function_call, content_part.added";
    Text01
        statement "`text` in `response.output_text.done` equals the part's initial text plus all deltas, byte for byte."
        reason "Users saw the deltas and would find a different text in the history."
        valid "deltas \"Hel\" \"lo\", done \"Hello\"" invalid "deltas \"Hel\" \"lo\", done \"Hello!\"";
    Text02
        statement "When texts differ, the later and larger object wins: done over deltas, part over text, item over part, terminal snapshot over item."
        reason "All readers must arrive at the same text."
        valid "deltas \"Hel\", done \"Hello\": Hello" invalid "deltas \"Hel\", done \"Hello\": Hel"
        unchecked "binds readers; the accumulation vectors prove it";
    Text03
        statement "`logprobs` is an array on text deltas, text done events and text parts, empty when not requested."
        reason "Typed clients of that edition fail to parse the event without it."
        valid "\"logprobs\":[]" invalid "(no logprobs)";
    Text04
        statement "`logprobs` may be left out, but is never null."
        reason "Typed clients accept an absent list and fail on null."
        valid "\"logprobs\":[] or left out" invalid "\"logprobs\":null";
    Text05
        statement "Log probabilities of deltas are appended; those of a done event replace them."
        reason "Otherwise the list and the text differ in length."
        valid "delta [a], delta [b], done [a,b]: [a,b]" invalid "[a,b,a,b]"
        unchecked "binds readers; the accumulation vectors prove it";
    Text06
        statement "`obfuscation` is padding and never part of the text."
        reason "It is random and must be neither shown nor stored."
        valid "delta \"Hi\" obfuscation \"x7f\": Hi" invalid "Hix7f"
        unchecked "binds readers; the accumulation vectors prove it";
    Text07
        statement "`stream_options.include_obfuscation: false` switches padding off."
        reason "A client that switched it off to save bytes would still receive them."
        valid "include_obfuscation false: deltas without obfuscation" invalid "include_obfuscation false: \"obfuscation\":\"x7f\"";
    Text08
        statement "Deltas may be split anywhere: inside a word, a grapheme or a surrogate pair. A reader joins them before it interprets the text."
        reason "Otherwise an emoji becomes two replacement characters."
        valid "\"\\ud83d\" + \"\\ude00\" is one character" invalid "two U+FFFD"
        unchecked "binds readers; the accumulation vectors prove it";
    Text09
        statement "A text part has `annotations`, empty when there are none."
        reason "Clients loop over the list without checking that it exists."
        valid "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}" invalid "{\"type\":\"output_text\",\"text\":\"\"}";
    Ann01
        statement "An annotation is added to an open `output_text` part."
        reason "No other part has a list of annotations."
        valid "content_part.added 0/0 output_text, annotation.added 0/0" invalid "content_part.done 0/0, annotation.added 0/0";
    Ann02
        statement "`annotation_index` is the next free position, or an existing one with the same content."
        reason "openai-node raises on a gap."
        valid "0, 1, 2" invalid "0, 3";
    Ann03
        statement "The finished part has every annotation that was sent, in order."
        reason "Otherwise a citation that was shown is missing from the stored answer."
        valid "annotation.added 0, content_part.done with one annotation" invalid "annotation.added 0, content_part.done with annotations []";
    Ann04
        statement "Annotations have a declared type: `url_citation` in the bundles, two more in the split edition."
        reason "Clients show the types that they know; another type is dropped or breaks a typed client."
        valid "\"type\":\"url_citation\"" invalid "\"type\":\"footnote\"";
    Ann05
        statement "`start_index` and `end_index` are inside the final text, and the start is not after the end."
        reason "Clients slice the text at these positions; outside of it they raise or mark the wrong words."
        valid "text of 10 characters: 2 to 5" invalid "text of 10 characters: 8 to 40";
    Ann06
        statement "A reader ignores a null annotation, which the schema allows."
        reason "There is nothing to add."
        valid "\"annotation\":null changes nothing" invalid "a null in annotations"
        unchecked "binds readers; the accumulation vectors prove it";
    Ann07
        statement "A reader accepts annotations until `response.content_part.done`, also after the text's done event."
        reason "Servers look up citations after the text is finished."
        valid "output_text.done, annotation.added, content_part.done" invalid "the annotation is dropped"
        unchecked "binds readers; the accumulation vectors prove it";
    Ref01
        statement "A refusal is a part of type `refusal` with its text in the field `refusal`."
        reason "Otherwise clients that look for `refusal` find nothing, or show the text as an answer."
        valid "{\"type\":\"refusal\",\"refusal\":\"I can't\"}" invalid "{\"type\":\"refusal\",\"text\":\"I can't\"}";
    Ref02
        statement "`refusal` in `response.refusal.done` equals its joined deltas."
        reason "The stream and the history would differ."
        valid "deltas \"I \" \"can't\", done \"I can't\"" invalid "deltas \"I \" \"can't\", done \"No\"";
    Ref03
        statement "A refusal is a completed message; it is not an error and not part of the output text."
        reason "A program that takes it for an answer acts on it; one that takes it for an error retries."
        valid "output text is empty, the refusal is readable" invalid "output text is \"I can't\""
        unchecked "binds readers; the accumulation vectors prove it";
    Ref04
        statement "In the input, only assistant messages contain refusals."
        reason "Servers refuse the request."
        valid "{\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",…}]}" invalid "{\"role\":\"user\",\"content\":[{\"type\":\"refusal\",…}]}";
    Rsn01
        statement "A reasoning item may have raw content, an encrypted form, a summary, any combination of them, or none."
        reason "Readers must not require any of them."
        valid "summary [] and nothing else" invalid "(nothing)"
        unchecked "a permission: no stream can break it";
    Rsn02
        statement "A reasoning item has `summary` as an array; `content` and `encrypted_content` are left out when absent, not null."
        reason "Typed clients generated from the schema fail on null and on a missing summary."
        valid "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}" invalid "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"content\":null}";
    Rsn03
        statement "`encrypted_content` is opaque: it is never parsed or changed, and the value of the done event is sent back as received."
        reason "The server verifies it and refuses a changed one."
        valid "the value of output_item.done goes back unchanged" invalid "the value of output_item.added goes back"
        unchecked "binds readers; only the client's next turn would show it";
    Rsn04
        statement "Raw reasoning is streamed as `response.reasoning.delta` and `.done`; OpenAI's name is `response.reasoning_text.*`."
        reason "The upstream test suite fails on OpenAI's name and openai-node's helper fails on the name of Open Responses: a server has to know its client."
        valid "response.reasoning.delta" invalid "response.reasoning_text.delta   (under Open Responses)";
    Rsn05
        statement "Parts of raw reasoning are `reasoning_text`; `output_text` is tolerated."
        reason "Clients do not know other parts in a reasoning item."
        valid "reasoning item, part reasoning_text" invalid "reasoning item, part refusal";
    Rsn06
        statement "A summary is streamed as part added, text deltas, text done, part done; its events use `summary_index`."
        reason "Clients keep summaries separate from content; with `content_index` they would go to the wrong list."
        valid "reasoning_summary_part.added 0, …_text.delta, …_text.done, …_part.done" invalid "reasoning_summary_text.delta without reasoning_summary_part.added";
    Rsn07
        statement "The summary text in both done events equals its joined deltas, and its parts are `summary_text`."
        reason "The stream and the history would differ."
        valid "deltas \"Think\" \"ing\", done \"Thinking\"" invalid "deltas \"Think\" \"ing\", done \"Thought\"";
    Rsn08
        statement "In the input, a reasoning item has a `summary` and no raw content."
        reason "Raw reasoning cannot be sent back in Open Responses: servers refuse the request."
        valid "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"…\"}" invalid "{\"type\":\"reasoning\",\"summary\":[],\"content\":[{…}]}";
    Rsn09
        statement "`include: [\"reasoning.encrypted_content\"]` requests the encrypted form, and the item then has it."
        reason "Without it a stateless client cannot continue the chain of reasoning."
        valid "include sent, item has encrypted_content" invalid "include sent, item has none";
    Rsn10
        statement "Reasoning effort is `none`, `low`, `medium`, `high` or `xhigh`; `minimal` exists only in the split edition."
        reason "Typed clients of the bundles fail when another value is echoed."
        valid "\"effort\":\"low\"" invalid "\"effort\":\"minimal\"   (in a bundle)";
    Rsn11
        statement "The response field `reasoning` is null, or an object with both `effort` and `summary`."
        reason "Typed clients fail on an empty object."
        valid "\"reasoning\":{\"effort\":null,\"summary\":null}" invalid "\"reasoning\":{}";
}
