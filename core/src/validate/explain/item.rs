//! Texts of the rules on items and extensions.

super::explain! {
    Item01
        statement "Every item has `id` and `type`, and a `status` if its schema has one."
        reason "Clients look up, distinguish and render items by these fields."
        valid "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",…}" invalid "{\"type\":\"message\",…}";
    Item02
        statement "No two items share an id."
        reason "References, edits and annotations use ids: they would affect the wrong item."
        valid "msg_1, fc_2" invalid "msg_1, msg_1";
    Item03
        statement "The first event of an item is `response.output_item.added`."
        reason "Clients create their copy of the item at this event; they raise on events of an unknown item, or lose them."
        valid "output_item.added 0, content_part.added 0" invalid "content_part.added 0 without output_item.added 0";
    Item04
        statement "The item in `response.output_item.added` has a value for every field that must not be null; a message has its role, a function call its name."
        reason "Typed clients build the item from it, and user interfaces show the tool's name while its arguments arrive."
        valid "{\"type\":\"function_call\",\"name\":\"get_weather\",\"arguments\":\"\",…}" invalid "{\"type\":\"function_call\",\"id\":\"fc_1\"}";
    Item05
        statement "An item is added as `in_progress`, or as `completed` if it is sent whole: no event adds to its contents then. Types that have no `in_progress` in the contract (`apply_patch_call_output`, `computer_call_output`) start with their final status."
        reason "An item that starts as failed or incomplete has no earlier events that explain it, and a client that acts on a completed item acts before its contents arrive."
        valid "output_item.added with status \"in_progress\"" invalid "output_item.added with status \"incomplete\"";
    Item06
        statement "Every item is closed by `response.output_item.done` before the terminal event, with a final status. An incomplete patch stays `in_progress`, because its type has no other status for it."
        reason "Clients run tools and render results when the item is done; without the event they never do."
        valid "added 0, …, done 0, response.completed" invalid "added 0, …, response.completed";
    Item07
        statement "An item does not change after its done event."
        reason "Clients have already used the item; some ignore late changes and some apply them."
        valid "output_item.done 0, output_item.added 1" invalid "output_item.done 0, output_text.delta 0";
    Item08
        statement "An item that ends `incomplete` is the last item. There are two exceptions, in which several items are truncated together: a call may end `incomplete` if the last item is truncated too, and any item may if the response is `cancelled`."
        reason "An incomplete item in the middle of the output would mean that the model continued after it was stopped."
        valid "item 0 completed, item 1 incomplete" invalid "item 0 incomplete, item 1 completed";
    Item09
        statement "If an item ends `incomplete`, the response ends `incomplete` too."
        reason "A completed response with an incomplete item looks like a whole answer."
        valid "item incomplete, response.incomplete" invalid "item incomplete, response.completed";
    Item10
        statement "`output_index` is the item's position in the output: it starts at 0, goes up by one with each item, and is never used twice."
        reason "Both official SDKs raise on a repeated index; a gap makes an index unusable as an array position."
        valid "added 0, added 1" invalid "added 0, added 0";
    Item11
        statement "`item_id` is the id of the item at that `output_index`."
        reason "openai-node raises on a mismatch; other clients add the text to whichever item they look up first."
        valid "item 0 is msg_1; delta with output_index 0, item_id msg_1" invalid "item 0 is msg_1; delta with output_index 0, item_id msg_9";
    Item12
        statement "An item's `type`, `id` and `call_id` never change; only a missing id may be added later."
        reason "SDKs use these fields to find the item again; with a changed `call_id`, the tool's output matches no call."
        valid "added call_1, done call_1" invalid "added call_1, done call_2";
    Item13
        statement "A reader finds the item by `output_index` first and by `item_id` second."
        reason "Some servers send a new id with every event, but the same index."
        valid "output_index 0 with another id: item 0" invalid "a second item for the other id"
        unchecked "binds readers; this library routes by index and reports the id as ITEM-11";
    Item14
        statement "Several items may be open at once, and their events may be interleaved."
        reason "Parallel tool calls do this; a reader with one current item mixes up their arguments."
        valid "delta 0, delta 1, delta 0" invalid "(nothing)"
        unchecked "a permission: no order of events breaks it";
    Item15
        statement "`item` may be null by schema, but no producer needs to send null."
        reason "Readers skip it, and the next item leaves a gap in the indexes."
        valid "\"item\":{…}" invalid "\"item\":null";
    Item16
        statement "A reader tolerates unknown item types: it skips or keeps them."
        reason "Servers add types; a reader that stops loses the rest of the answer."
        valid "acme:search_result is kept as it is" invalid "the stream ends at acme:search_result"
        unchecked "binds readers; this library keeps them";
    Item17
        statement "Servers may add statuses and document them; clients do not treat an unknown status as success."
        reason "An unknown status can mean anything, including failure."
        valid "status \"acme:paused\" is not shown as done" invalid "(nothing)"
        unchecked "documentation is not part of the stream";
    Item18
        statement "An item type outside the specification carries its owner's slug and a colon."
        reason "An item type outside the specification has its owner's slug and a colon as prefix."
        valid "\"type\":\"acme:search_result\"" invalid "\"type\":\"search_result\"";
    Item19
        statement "An output item can be sent back as input, unknown fields included."
        reason "Reasoning and hosted-tool items lose their meaning when fields are dropped."
        valid "the item of turn 1, unchanged, in the input of turn 2" invalid "the same item without encrypted_content"
        unchecked "needs two turns of one client; this library keeps every field";
    Item20
        statement "An input item has a `type`."
        reason "The short message form that OpenAI accepts is not Open Responses: other servers refuse it."
        valid "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}" invalid "{\"role\":\"user\",\"content\":\"hi\"}";
    Ext01
        statement "The name of an extension item is `slug:name`, and neither part is empty."
        reason "A name that starts or ends with the colon lacks the owner or the name."
        valid "\"type\":\"acme:search_result\"" invalid "\"type\":\":search_result\"";
    Ext02
        statement "An event type outside the specification is named `slug:name`."
        reason "openai-node's stream helper raises on any unknown name, and a later edition of the specification may use the same name."
        valid "\"type\":\"acme:trace\"" invalid "\"type\":\"response.trace\"";
    Ext03
        statement "Extension events do not change the meaning of the core stream."
        reason "Clients skip them; the remaining events must be a valid stream."
        valid "core events that are complete without acme:trace" invalid "a part that is opened only by acme:part"
        unchecked "the core stream is checked without the extension events, so a stream that needs them breaks other rules";
    Ext04
        statement "A reader skips unknown extension events and still rebuilds the response."
        reason "Otherwise no server could add an event without breaking its clients."
        valid "acme:trace is kept raw, the text continues" invalid "the stream ends at acme:trace"
        unchecked "binds readers; this library keeps them raw";
    Ext05
        statement "An extension event has `type` and `sequence_number`."
        reason "Clients that skip it still have to count it."
        valid "{\"type\":\"acme:trace\",\"sequence_number\":5}" invalid "{\"type\":\"acme:trace\"}";
    Ext06
        statement "A client treats a conversation with extension items as tied to that server."
        reason "Another server cannot read them."
        valid "" invalid ""
        unchecked "what a client does with a conversation later is not in the stream";
    Ext07
        statement "Extension items, events, fields, statuses and tiers are documented."
        reason "An extension without documentation cannot be used by others."
        valid "" invalid ""
        unchecked "documentation is not part of the stream";
    Ext08
        statement "Extra fields are optional and do not change required behaviour."
        reason "A client that does not know the field must still work correctly."
        valid "\"text\":\"hi\",\"acme_score\":0.9" invalid "\"acme_text\":\"hi\" in place of text"
        unchecked "the meaning of a field cannot be checked; a missing core field is reported by the schema layer";
    Ext09
        statement "Unknown fields are kept when an object is forwarded or sent back."
        reason "They may contain data that the server needs to continue."
        valid "in: {\"text\":…,\"x\":1}, out: {\"text\":…,\"x\":1}" invalid "out: {\"text\":…}"
        unchecked "needs both sides of a client or gateway; this library keeps every field";
    Ext10
        statement "An extension item has `id`, `type` and `status` like any other."
        reason "Clients that do not know the type still list it and show its state."
        valid "{\"id\":\"x_1\",\"type\":\"acme:search_result\",\"status\":\"completed\"}" invalid "{\"type\":\"acme:search_result\"}";
    Ext11
        statement "A reader does not treat a prefixed name as the core name after its colon."
        reason "`acme:message` may have nothing in common with `message`."
        valid "acme:message is an opaque item" invalid "acme:message is read as a message"
        unchecked "binds readers; this library compares whole names";
    Ext12
        statement "No extension event has a top-level field `error`."
        reason "Both official SDKs turn any payload that has one into a failure."
        valid "{\"type\":\"acme:trace\",\"problem\":{…}}" invalid "{\"type\":\"acme:trace\",\"error\":{…}}";
}
