//! Texts of the rules on content parts, text, annotations, refusals and reasoning.

super::explain! {
    Part01
        says "Streamed content belongs to a content part of an item that has parts."
        why "Text that belongs to no part has no place in the response."
        right "message item, part 0, output_text.delta 0/0" wrong "function_call item, output_text.delta 0/0";
    Part02
        says "A part opens with `response.content_part.added` before its first delta."
        why "Both official SDKs raise on a delta for a part they have not seen."
        right "content_part.added 0/0, output_text.delta 0/0" wrong "output_item.added 0, output_text.delta 0/0";
    Part03
        says "Any number of deltas follow, including none."
        why "Readers must not wait for a delta."
        right "content_part.added, output_text.done" wrong "(nothing)"
        unseen "any number of deltas is valid";
    Part04
        says "A part's text is closed by one done event of its kind."
        why "Clients render, parse or store the text at that event."
        right "output_text.delta, output_text.done, content_part.done" wrong "output_text.delta, content_part.done";
    Part05
        says "`response.content_part.done` closes the part, after the done event of its kind."
        why "Clients that keep parts open until then show a cursor forever."
        right "output_text.done, content_part.done, output_item.done" wrong "output_text.done, output_item.done";
    Part06
        says "An item may have several parts, each with its own sequence of events."
        why "Readers must not stop after the first part."
        right "parts 0 and 1" wrong "(nothing)"
        unseen "a permission: no stream can break it";
    Part07
        says "The events match the part's type: `output_text`, `refusal` and `reasoning_text` have events of their own."
        why "Otherwise refusals and reasoning are shown as answers, or answers are hidden."
        right "part refusal, refusal.delta" wrong "part refusal, output_text.delta";
    Part08
        says "`content_index` starts at 0 in each item and goes up by one."
        why "openai-node raises otherwise; openai-python appends the part and then reads another one."
        right "item 1: parts 0, 1" wrong "item 1: parts 3, 4";
    Part09
        says "Deltas do not repeat text that a part already has when it is added."
        why "Readers append deltas: the text would appear twice."
        right "added \"\", delta \"Hi\", done \"Hi\"" wrong "added \"Hi\", delta \"Hi\", done \"Hi\"";
    Part10
        says "The part in `response.content_part.done` equals the accumulated part and the part in `response.output_item.done`."
        why "Otherwise the text that a user sees depends on the event that the client reads."
        right "deltas \"Hi\", part done \"Hi\", item done \"Hi\"" wrong "deltas \"Hi\", part done \"Hello\"";
    Part11
        says "No delta follows the done event of its part, and no part opens after its item is done."
        why "Clients have already used the text; the rest is lost or appended to a finished text."
        right "output_text.delta, output_text.done" wrong "output_text.done, output_text.delta";
    Part12
        says "The parts in an output are `output_text`, `refusal`, `reasoning_text` or `summary_text`, although the schema allows input parts."
        why "Clients do not expect an input part in an output, and some reject it."
        right "\"part\":{\"type\":\"output_text\",…}" wrong "\"part\":{\"type\":\"input_text\",…}";
    Part13
        says "Tool input is streamed without content parts."
        why "A tool call has no `content`: clients raise or drop the part."
        right "function_call, function_call_arguments.delta" wrong "function_call, content_part.added";
    Text01
        says "`text` in `response.output_text.done` equals the part's initial text plus all deltas, byte for byte."
        why "Users saw the deltas and would find a different text in the history."
        right "deltas \"Hel\" \"lo\", done \"Hello\"" wrong "deltas \"Hel\" \"lo\", done \"Hello!\"";
    Text02
        says "When texts differ, the later and larger object wins: done over deltas, part over text, item over part, terminal snapshot over item."
        why "All readers must arrive at the same text."
        right "deltas \"Hel\", done \"Hello\": Hello" wrong "deltas \"Hel\", done \"Hello\": Hel"
        unseen "binds readers; the accumulation vectors prove it";
    Text03
        says "`logprobs` is an array on text deltas, text done events and text parts, empty when not requested."
        why "Typed clients of that edition fail to parse the event without it."
        right "\"logprobs\":[]" wrong "(no logprobs)";
    Text04
        says "`logprobs` may be left out, but is never null."
        why "Typed clients accept an absent list and fail on null."
        right "\"logprobs\":[] or left out" wrong "\"logprobs\":null";
    Text05
        says "Log probabilities of deltas are appended; those of a done event replace them."
        why "Otherwise the list and the text differ in length."
        right "delta [a], delta [b], done [a,b]: [a,b]" wrong "[a,b,a,b]"
        unseen "binds readers; the accumulation vectors prove it";
    Text06
        says "`obfuscation` is padding and never part of the text."
        why "It is random and must be neither shown nor stored."
        right "delta \"Hi\" obfuscation \"x7f\": Hi" wrong "Hix7f"
        unseen "binds readers; the accumulation vectors prove it";
    Text07
        says "`stream_options.include_obfuscation: false` switches padding off."
        why "A client that switched it off to save bytes would still receive them."
        right "include_obfuscation false: deltas without obfuscation" wrong "include_obfuscation false: \"obfuscation\":\"x7f\"";
    Text08
        says "Deltas may be split anywhere: inside a word, a grapheme or a surrogate pair. A reader joins them before it interprets the text."
        why "Otherwise an emoji becomes two replacement characters."
        right "\"\\ud83d\" + \"\\ude00\" is one character" wrong "two U+FFFD"
        unseen "binds readers; the accumulation vectors prove it";
    Text09
        says "A text part has `annotations`, empty when there are none."
        why "Clients loop over the list without checking that it exists."
        right "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}" wrong "{\"type\":\"output_text\",\"text\":\"\"}";
    Ann01
        says "An annotation is added to an open `output_text` part."
        why "No other part has a list of annotations."
        right "content_part.added 0/0 output_text, annotation.added 0/0" wrong "content_part.done 0/0, annotation.added 0/0";
    Ann02
        says "`annotation_index` is the next free position, or an existing one with the same content."
        why "openai-node raises on a gap."
        right "0, 1, 2" wrong "0, 3";
    Ann03
        says "The finished part has every annotation that was sent, in order."
        why "Otherwise a citation that was shown is missing from the stored answer."
        right "annotation.added 0, content_part.done with one annotation" wrong "annotation.added 0, content_part.done with annotations []";
    Ann04
        says "Annotations have a declared type: `url_citation` in the bundles, two more in the split edition."
        why "Clients show the types that they know; another type is dropped or breaks a typed client."
        right "\"type\":\"url_citation\"" wrong "\"type\":\"footnote\"";
    Ann05
        says "`start_index` and `end_index` are inside the final text, and the start is not after the end."
        why "Clients slice the text at these positions; outside of it they raise or mark the wrong words."
        right "text of 10 characters: 2 to 5" wrong "text of 10 characters: 8 to 40";
    Ann06
        says "A reader ignores a null annotation, which the schema allows."
        why "There is nothing to add."
        right "\"annotation\":null changes nothing" wrong "a null in annotations"
        unseen "binds readers; the accumulation vectors prove it";
    Ann07
        says "A reader accepts annotations until `response.content_part.done`, also after the text's done event."
        why "Servers look up citations after the text is finished."
        right "output_text.done, annotation.added, content_part.done" wrong "the annotation is dropped"
        unseen "binds readers; the accumulation vectors prove it";
    Ref01
        says "A refusal is a part of type `refusal` with its text in the field `refusal`."
        why "Otherwise clients that look for `refusal` find nothing, or show the text as an answer."
        right "{\"type\":\"refusal\",\"refusal\":\"I can't\"}" wrong "{\"type\":\"refusal\",\"text\":\"I can't\"}";
    Ref02
        says "`refusal` in `response.refusal.done` equals its joined deltas."
        why "The stream and the history would differ."
        right "deltas \"I \" \"can't\", done \"I can't\"" wrong "deltas \"I \" \"can't\", done \"No\"";
    Ref03
        says "A refusal is a completed message; it is not an error and not part of the output text."
        why "A program that takes it for an answer acts on it; one that takes it for an error retries."
        right "output text is empty, the refusal is readable" wrong "output text is \"I can't\""
        unseen "binds readers; the accumulation vectors prove it";
    Ref04
        says "In the input, only assistant messages contain refusals."
        why "Servers refuse the request."
        right "{\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",…}]}" wrong "{\"role\":\"user\",\"content\":[{\"type\":\"refusal\",…}]}";
    Rsn01
        says "A reasoning item may have raw content, an encrypted form, a summary, any combination of them, or none."
        why "Readers must not require any of them."
        right "summary [] and nothing else" wrong "(nothing)"
        unseen "a permission: no stream can break it";
    Rsn02
        says "A reasoning item has `summary` as an array; `content` and `encrypted_content` are left out when absent, not null."
        why "Typed clients generated from the schema fail on null and on a missing summary."
        right "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}" wrong "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"content\":null}";
    Rsn03
        says "`encrypted_content` is opaque: it is never parsed or changed, and the value of the done event is sent back as received."
        why "The server verifies it and refuses a changed one."
        right "the value of output_item.done goes back unchanged" wrong "the value of output_item.added goes back"
        unseen "binds readers; only the client's next turn would show it";
    Rsn04
        says "Raw reasoning is streamed as `response.reasoning.delta` and `.done`; OpenAI's name is `response.reasoning_text.*`."
        why "The upstream test suite fails on OpenAI's name and openai-node's helper fails on the name of Open Responses: a server has to know its client."
        right "response.reasoning.delta" wrong "response.reasoning_text.delta   (under Open Responses)";
    Rsn05
        says "Parts of raw reasoning are `reasoning_text`; `output_text` is tolerated."
        why "Clients do not know other parts in a reasoning item."
        right "reasoning item, part reasoning_text" wrong "reasoning item, part refusal";
    Rsn06
        says "A summary is streamed as part added, text deltas, text done, part done; its events use `summary_index`."
        why "Clients keep summaries separate from content; with `content_index` they would go to the wrong list."
        right "reasoning_summary_part.added 0, …_text.delta, …_text.done, …_part.done" wrong "reasoning_summary_text.delta without reasoning_summary_part.added";
    Rsn07
        says "The summary text in both done events equals its joined deltas, and its parts are `summary_text`."
        why "The stream and the history would differ."
        right "deltas \"Think\" \"ing\", done \"Thinking\"" wrong "deltas \"Think\" \"ing\", done \"Thought\"";
    Rsn08
        says "In the input, a reasoning item has a `summary` and no raw content."
        why "Raw reasoning cannot be sent back in Open Responses: servers refuse the request."
        right "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"…\"}" wrong "{\"type\":\"reasoning\",\"summary\":[],\"content\":[{…}]}";
    Rsn09
        says "`include: [\"reasoning.encrypted_content\"]` requests the encrypted form, and the item then has it."
        why "Without it a stateless client cannot continue the chain of reasoning."
        right "include sent, item has encrypted_content" wrong "include sent, item has none";
    Rsn10
        says "Reasoning effort is `none`, `low`, `medium`, `high` or `xhigh`; `minimal` exists only in the split edition."
        why "Typed clients of the bundles fail when another value is echoed."
        right "\"effort\":\"low\"" wrong "\"effort\":\"minimal\"   (in a bundle)";
    Rsn11
        says "The response field `reasoning` is null, or an object with both `effort` and `summary`."
        why "Typed clients fail on an empty object."
        right "\"reasoning\":{\"effort\":null,\"summary\":null}" wrong "\"reasoning\":{}";
}
