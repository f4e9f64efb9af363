//! Content parts, text, annotations, refusals and reasoning in words.

super::explain! {
    Part01
        says "Streamed content lives in a content part of an item that has parts."
        why "Text that belongs to no part has no place in the response."
        right "message item, part 0, output_text.delta 0/0" wrong "function_call item, output_text.delta 0/0";
    Part02
        says "A part opens with `response.content_part.added` before its first delta."
        why "Both official SDKs raise on a delta for a part they have not seen."
        right "content_part.added 0/0, output_text.delta 0/0" wrong "output_item.added 0, output_text.delta 0/0";
    Part03
        says "Any number of deltas follow, none included."
        why "Readers must not wait for one."
        right "content_part.added, output_text.done" wrong "(nothing)"
        unseen "every number of deltas is right";
    Part04
        says "A part's text is closed by one done event of its kind."
        why "Clients render, parse or store the text at that event."
        right "output_text.delta, output_text.done, content_part.done" wrong "output_text.delta, content_part.done";
    Part05
        says "`response.content_part.done` closes the part, behind the done event of its kind."
        why "Clients that keep parts open until then show a cursor for ever."
        right "output_text.done, content_part.done, output_item.done" wrong "output_text.done, output_item.done";
    Part06
        says "An item may have several parts, each with its own sequence of events."
        why "Readers must not stop at the first."
        right "parts 0 and 1" wrong "(nothing)"
        unseen "permits, forbids nothing";
    Part07
        says "The events fit the part's type: `output_text`, `refusal` and `reasoning_text` each have their own."
        why "Refusals and reasoning would show up as answers, or answers would be hidden."
        right "part refusal, refusal.delta" wrong "part refusal, output_text.delta";
    Part08
        says "`content_index` starts at 0 in each item and goes up by one."
        why "openai-node raises otherwise; openai-python appends and then reads another part."
        right "item 1: parts 0, 1" wrong "item 1: parts 3, 4";
    Part09
        says "Text that a part already has when it is added is not repeated by its deltas."
        why "Readers append: the text would stand twice."
        right "added \"\", delta \"Hi\", done \"Hi\"" wrong "added \"Hi\", delta \"Hi\", done \"Hi\"";
    Part10
        says "The part in `response.content_part.done` equals what was accumulated and the part in `response.output_item.done`."
        why "Which of two texts a user sees would depend on the event that the client reads."
        right "deltas \"Hi\", part done \"Hi\", item done \"Hi\"" wrong "deltas \"Hi\", part done \"Hello\"";
    Part11
        says "No delta follows the done event of its part, and no part opens after its item is done."
        why "The text was already used; the rest is lost or appended to a finished text."
        right "output_text.delta, output_text.done" wrong "output_text.done, output_text.delta";
    Part12
        says "A model's parts are `output_text`, `refusal`, `reasoning_text` or `summary_text`, though the schema admits input parts."
        why "Clients have no use for an input part in an output, and some refuse it."
        right "\"part\":{\"type\":\"output_text\",…}" wrong "\"part\":{\"type\":\"input_text\",…}";
    Part13
        says "Tool input is streamed without content parts."
        why "A tool call has no `content`: clients raise or drop the part."
        right "function_call, function_call_arguments.delta" wrong "function_call, content_part.added";
    Text01
        says "`text` in `response.output_text.done` equals the part's first text and all deltas, byte for byte."
        why "Users saw the deltas and will find another text in the history."
        right "deltas \"Hel\" \"lo\", done \"Hello\"" wrong "deltas \"Hel\" \"lo\", done \"Hello!\"";
    Text02
        says "On a difference the later and wider source counts: done over deltas, part over text, item over part, terminal snapshot over item."
        why "All readers have to come to the same text."
        right "deltas \"Hel\", done \"Hello\": Hello" wrong "deltas \"Hel\", done \"Hello\": Hel"
        unseen "binds readers; the accumulation vectors prove it";
    Text03
        says "`logprobs` is an array on text deltas, text done events and text parts, empty when not asked for."
        why "Typed clients of that edition fail to parse the event without it."
        right "\"logprobs\":[]" wrong "(no logprobs)";
    Text04
        says "`logprobs` may be left out, but is never null."
        why "Typed clients accept an absent list and fail on null."
        right "\"logprobs\":[] or left out" wrong "\"logprobs\":null";
    Text05
        says "Log probabilities of deltas are appended; those of a done event replace them."
        why "Otherwise the list and the text are of different length."
        right "delta [a], delta [b], done [a,b]: [a,b]" wrong "[a,b,a,b]"
        unseen "binds readers; the accumulation vectors prove it";
    Text06
        says "`obfuscation` is padding and never part of the text."
        why "It is random; shown or stored it is noise."
        right "delta \"Hi\" obfuscation \"x7f\": Hi" wrong "Hix7f"
        unseen "binds readers; the accumulation vectors prove it";
    Text07
        says "`stream_options.include_obfuscation: false` switches padding off."
        why "Who switches it off pays for the bytes and gets them all the same."
        right "include_obfuscation false: deltas without obfuscation" wrong "include_obfuscation false: \"obfuscation\":\"x7f\"";
    Text08
        says "Deltas may be cut anywhere: in a word, a grapheme or a surrogate pair. A reader joins before it interprets."
        why "Emoji turn into two replacement characters otherwise."
        right "\"\\ud83d\" + \"\\ude00\" is one character" wrong "two U+FFFD"
        unseen "binds readers; the accumulation vectors prove it";
    Text09
        says "A text part has `annotations`, empty when there are none."
        why "Clients loop over the list without asking whether it is there."
        right "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}" wrong "{\"type\":\"output_text\",\"text\":\"\"}";
    Ann01
        says "An annotation is added to an open `output_text` part."
        why "There is no list to put it into anywhere else."
        right "content_part.added 0/0 output_text, annotation.added 0/0" wrong "content_part.done 0/0, annotation.added 0/0";
    Ann02
        says "`annotation_index` is the next free place, or a known one with the same content."
        why "openai-node raises on a gap."
        right "0, 1, 2" wrong "0, 3";
    Ann03
        says "The finished part holds every annotation that was sent, in order."
        why "A citation that was shown disappears from the stored answer."
        right "annotation.added 0, content_part.done with one annotation" wrong "annotation.added 0, content_part.done with annotations []";
    Ann04
        says "Annotations have a declared type: `url_citation` in the bundles, two more in the split edition."
        why "Clients show what they know; another type is dropped or breaks a typed client."
        right "\"type\":\"url_citation\"" wrong "\"type\":\"footnote\"";
    Ann05
        says "`start_index` and `end_index` lie inside the final text, the start not behind the end."
        why "Clients cut the text at these places; outside of it they raise or mark the wrong words."
        right "text of 10 characters: 2 to 5" wrong "text of 10 characters: 8 to 40";
    Ann06
        says "A reader ignores a null annotation, which the schema admits."
        why "There is nothing to add."
        right "\"annotation\":null changes nothing" wrong "a null in annotations"
        unseen "binds readers; the accumulation vectors prove it";
    Ann07
        says "A reader takes annotations until `response.content_part.done`, also behind the text's done event."
        why "Servers look up citations when the text is finished."
        right "output_text.done, annotation.added, content_part.done" wrong "the annotation is dropped"
        unseen "binds readers; the accumulation vectors prove it";
    Ref01
        says "A refusal is a part of type `refusal` with its text in the field `refusal`."
        why "Clients look for `refusal` and find nothing, or show the text as an answer."
        right "{\"type\":\"refusal\",\"refusal\":\"I can't\"}" wrong "{\"type\":\"refusal\",\"text\":\"I can't\"}";
    Ref02
        says "`refusal` in `response.refusal.done` equals its deltas joined."
        why "As for text: the stream and the history would differ."
        right "deltas \"I \" \"can't\", done \"I can't\"" wrong "deltas \"I \" \"can't\", done \"No\"";
    Ref03
        says "A refusal is a completed message, no error and not part of the output text."
        why "A program that takes it for an answer acts on it; one that takes it for an error tries again."
        right "output text is empty, the refusal is readable" wrong "output text is \"I can't\""
        unseen "binds readers; the accumulation vectors prove it";
    Ref04
        says "As input, a refusal stands only in assistant messages."
        why "Servers refuse the request."
        right "{\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",…}]}" wrong "{\"role\":\"user\",\"content\":[{\"type\":\"refusal\",…}]}";
    Rsn01
        says "A reasoning item may show raw content, an encrypted form, a summary, any mix or none."
        why "Readers must not expect one of them."
        right "summary [] and nothing else" wrong "(nothing)"
        unseen "permits, forbids nothing";
    Rsn02
        says "A reasoning item has `summary` as an array; `content` and `encrypted_content` are left out when absent, not null."
        why "Typed clients made from the schema fail on null and on a missing summary."
        right "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}" wrong "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"content\":null}";
    Rsn03
        says "`encrypted_content` is opaque: never parsed or changed, sent back as received, from the done event."
        why "The server checks it and refuses a changed one."
        right "the value of output_item.done goes back unchanged" wrong "the value of output_item.added goes back"
        unseen "binds readers; needs the next turn of the client to be seen";
    Rsn04
        says "Raw reasoning streams as `response.reasoning.delta` and `.done`; OpenAI's name is `response.reasoning_text.*`."
        why "The upstream test suite fails the OpenAI name and openai-node's helper fails the Open Responses name: a server has to know whom it serves."
        right "response.reasoning.delta" wrong "response.reasoning_text.delta   (under Open Responses)";
    Rsn05
        says "Parts of raw reasoning are `reasoning_text`; `output_text` is tolerated."
        why "Other parts in a reasoning item have no meaning for anybody."
        right "reasoning item, part reasoning_text" wrong "reasoning item, part refusal";
    Rsn06
        says "A summary streams as part added, text deltas, text done, part done, addressed by `summary_index`."
        why "Clients keep summaries apart from content; with `content_index` they go to the wrong list."
        right "reasoning_summary_part.added 0, …_text.delta, …_text.done, …_part.done" wrong "reasoning_summary_text.delta without reasoning_summary_part.added";
    Rsn07
        says "The summary's text in both done events equals its deltas joined, and its parts are `summary_text`."
        why "As for text: the stream and the history would differ."
        right "deltas \"Think\" \"ing\", done \"Thinking\"" wrong "deltas \"Think\" \"ing\", done \"Thought\"";
    Rsn08
        says "As input, a reasoning item has a `summary` and no raw content."
        why "Raw reasoning cannot be sent back in Open Responses: servers refuse the request."
        right "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"…\"}" wrong "{\"type\":\"reasoning\",\"summary\":[],\"content\":[{…}]}";
    Rsn09
        says "`include: [\"reasoning.encrypted_content\"]` asks for the encrypted form, and it is then there."
        why "Without it a stateless client cannot continue the chain of reasoning."
        right "include asked, item has encrypted_content" wrong "include asked, item has none";
    Rsn10
        says "Reasoning effort is `none`, `low`, `medium`, `high` or `xhigh`; `minimal` exists only in the split edition."
        why "Typed clients of the bundles fail on the echo of another value."
        right "\"effort\":\"low\"" wrong "\"effort\":\"minimal\"   (in a bundle)";
    Rsn11
        says "The response field `reasoning` is null, or an object with both `effort` and `summary`."
        why "Typed clients fail on an empty object."
        right "\"reasoning\":{\"effort\":null,\"summary\":null}" wrong "\"reasoning\":{}";
}
