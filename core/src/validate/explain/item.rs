//! Texts of the rules on items and extensions.

super::explain! {
    Item01
        says "Every item has `id` and `type`, and a `status` if its schema has one."
        why "Clients look up, distinguish and render items by these fields."
        right "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",…}" wrong "{\"type\":\"message\",…}";
    Item02
        says "No two items share an id."
        why "References, edits and annotations use ids: they would affect the wrong item."
        right "msg_1, fc_2" wrong "msg_1, msg_1";
    Item03
        says "The first event of an item is `response.output_item.added`."
        why "Clients create their copy of the item at this event; they raise on events of an unknown item, or lose them."
        right "output_item.added 0, content_part.added 0" wrong "content_part.added 0 without output_item.added 0";
    Item04
        says "The item in `response.output_item.added` has a value for every field that must not be null; a message has its role, a function call its name."
        why "Typed clients build the item from it, and user interfaces show the tool's name while its arguments arrive."
        right "{\"type\":\"function_call\",\"name\":\"get_weather\",\"arguments\":\"\",…}" wrong "{\"type\":\"function_call\",\"id\":\"fc_1\"}";
    Item05
        says "An item is added as `in_progress`, or as `completed` if it is sent whole: no event adds to its contents then. Types that have no `in_progress` in the contract (`apply_patch_call_output`, `computer_call_output`) start with their final status."
        why "An item that starts as failed or incomplete has no earlier events that explain it, and a client that acts on a completed item acts before its contents arrive."
        right "output_item.added with status \"in_progress\"" wrong "output_item.added with status \"incomplete\"";
    Item06
        says "Every item is closed by `response.output_item.done` before the terminal event, with a final status. An incomplete patch stays `in_progress`, because its type has no other status for it."
        why "Clients run tools and render results when the item is done; without the event they never do."
        right "added 0, …, done 0, response.completed" wrong "added 0, …, response.completed";
    Item07
        says "An item does not change after its done event."
        why "Clients have already used the item; some ignore late changes and some apply them."
        right "output_item.done 0, output_item.added 1" wrong "output_item.done 0, output_text.delta 0";
    Item08
        says "An item that ends `incomplete` is the last item. There are two exceptions, in which several items are truncated together: a call may end `incomplete` if the last item is truncated too, and any item may if the response is `cancelled`."
        why "An incomplete item in the middle of the output would mean that the model continued after it was stopped."
        right "item 0 completed, item 1 incomplete" wrong "item 0 incomplete, item 1 completed";
    Item09
        says "If an item ends `incomplete`, the response ends `incomplete` too."
        why "A completed response with an incomplete item looks like a whole answer."
        right "item incomplete, response.incomplete" wrong "item incomplete, response.completed";
    Item10
        says "`output_index` is the item's position in the output: it starts at 0, goes up by one with each item, and is never used twice."
        why "Both official SDKs raise on a repeated index; a gap makes an index unusable as an array position."
        right "added 0, added 1" wrong "added 0, added 0";
    Item11
        says "`item_id` is the id of the item at that `output_index`."
        why "openai-node raises on a mismatch; other clients add the text to whichever item they look up first."
        right "item 0 is msg_1; delta with output_index 0, item_id msg_1" wrong "item 0 is msg_1; delta with output_index 0, item_id msg_9";
    Item12
        says "An item's `type`, `id` and `call_id` never change; only a missing id may be added later."
        why "SDKs use these fields to find the item again; with a changed `call_id`, the tool's output matches no call."
        right "added call_1, done call_1" wrong "added call_1, done call_2";
    Item13
        says "A reader finds the item by `output_index` first and by `item_id` second."
        why "Some servers send a new id with every event, but the same index."
        right "output_index 0 with another id: item 0" wrong "a second item for the other id"
        unseen "binds readers; this library routes by index and reports the id as ITEM-11";
    Item14
        says "Several items may be open at once, and their events may be interleaved."
        why "Parallel tool calls do this; a reader with one current item mixes up their arguments."
        right "delta 0, delta 1, delta 0" wrong "(nothing)"
        unseen "a permission: no order of events breaks it";
    Item15
        says "`item` may be null by schema, but no producer needs to send null."
        why "Readers skip it, and the next item leaves a gap in the indexes."
        right "\"item\":{…}" wrong "\"item\":null";
    Item16
        says "A reader tolerates unknown item types: it skips or keeps them."
        why "Servers add types; a reader that stops loses the rest of the answer."
        right "acme:search_result is kept as it is" wrong "the stream ends at acme:search_result"
        unseen "binds readers; this library keeps them";
    Item17
        says "Servers may add statuses and document them; clients do not treat an unknown status as success."
        why "An unknown status can mean anything, including failure."
        right "status \"acme:paused\" is not shown as done" wrong "(nothing)"
        unseen "documentation is not part of the stream";
    Item18
        says "An item type outside the specification carries its owner's slug and a colon."
        why "An item type outside the specification has its owner's slug and a colon as prefix."
        right "\"type\":\"acme:search_result\"" wrong "\"type\":\"search_result\"";
    Item19
        says "An output item can be sent back as input, unknown fields included."
        why "Reasoning and hosted-tool items lose their meaning when fields are dropped."
        right "the item of turn 1, unchanged, in the input of turn 2" wrong "the same item without encrypted_content"
        unseen "needs two turns of one client; this library keeps every field";
    Item20
        says "An input item has a `type`."
        why "The short message form that OpenAI accepts is not Open Responses: other servers refuse it."
        right "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}" wrong "{\"role\":\"user\",\"content\":\"hi\"}";
    Ext01
        says "The name of an extension item is `slug:name`, and neither part is empty."
        why "A name that starts or ends with the colon lacks the owner or the name."
        right "\"type\":\"acme:search_result\"" wrong "\"type\":\":search_result\"";
    Ext02
        says "An event type outside the specification is named `slug:name`."
        why "openai-node's stream helper raises on any unknown name, and a later edition of the specification may use the same name."
        right "\"type\":\"acme:trace\"" wrong "\"type\":\"response.trace\"";
    Ext03
        says "Extension events do not change the meaning of the core stream."
        why "Clients skip them; the remaining events must be a valid stream."
        right "core events that are complete without acme:trace" wrong "a part that is opened only by acme:part"
        unseen "the core stream is checked without the extension events, so a stream that needs them breaks other rules";
    Ext04
        says "A reader skips unknown extension events and still rebuilds the response."
        why "Otherwise no server could add an event without breaking its clients."
        right "acme:trace is kept raw, the text continues" wrong "the stream ends at acme:trace"
        unseen "binds readers; this library keeps them raw";
    Ext05
        says "An extension event has `type` and `sequence_number`."
        why "Clients that skip it still have to count it."
        right "{\"type\":\"acme:trace\",\"sequence_number\":5}" wrong "{\"type\":\"acme:trace\"}";
    Ext06
        says "A client treats a conversation with extension items as tied to that server."
        why "Another server cannot read them."
        right "" wrong ""
        unseen "what a client does with a conversation later is not in the stream";
    Ext07
        says "Extension items, events, fields, statuses and tiers are documented."
        why "An extension without documentation cannot be used by others."
        right "" wrong ""
        unseen "documentation is not part of the stream";
    Ext08
        says "Extra fields are optional and do not change required behaviour."
        why "A client that does not know the field must still work correctly."
        right "\"text\":\"hi\",\"acme_score\":0.9" wrong "\"acme_text\":\"hi\" in place of text"
        unseen "the meaning of a field cannot be checked; a missing core field is reported by the schema layer";
    Ext09
        says "Unknown fields are kept when an object is forwarded or sent back."
        why "They may contain data that the server needs to continue."
        right "in: {\"text\":…,\"x\":1}, out: {\"text\":…,\"x\":1}" wrong "out: {\"text\":…}"
        unseen "needs both sides of a client or gateway; this library keeps every field";
    Ext10
        says "An extension item has `id`, `type` and `status` like any other."
        why "Clients that do not know the type still list it and show its state."
        right "{\"id\":\"x_1\",\"type\":\"acme:search_result\",\"status\":\"completed\"}" wrong "{\"type\":\"acme:search_result\"}";
    Ext11
        says "A reader does not treat a prefixed name as the core name after its colon."
        why "`acme:message` may have nothing in common with `message`."
        right "acme:message is an opaque item" wrong "acme:message is read as a message"
        unseen "binds readers; this library compares whole names";
    Ext12
        says "No extension event has a top-level field `error`."
        why "Both official SDKs turn any payload that has one into a failure."
        right "{\"type\":\"acme:trace\",\"problem\":{…}}" wrong "{\"type\":\"acme:trace\",\"error\":{…}}";
}
