// Values of growing JSON: equal to what is parsed anew at every cut, shared where nothing changed, and never changed afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PartialJson, partialJson, Reader } from "deltafold";

const utf8 = new TextEncoder();
const TEXTS = [
  '{"a":[1,2,{"b":"c\\u00e9\\ud83d\\ude00","d":[[],{}]}],"e":null,"f":true,"g":-12.5e3,"h":"end"}',
  '{"2":"x","1":{"10":[1],"9":"y"},"0":3,"a":{"__proto__":{"x":1},"constructor":2}}',
  '[[[[1],2],"three"],{"k":[{"k":[{"k":"v"}]}]},[],{},""]',
  '"only a string that grows"',
  "[1234567890,12,1]",
  '{"a":1,"a":{"b":2},"b":"x","a":[3]}',
  '{"":{"":{"":""}}}',
];
const OPTIONS = [{}, { numbers: "include", literals: "include" }, { strings: "omit" }, { strings: "mark", numbers: "mark", literals: "mark" }];

test("at every cut the value is that of the text so far, and earlier values stay as they were", () => {
  for (const options of OPTIONS) {
    for (const text of TEXTS) {
      for (const step of [1, 2, 3, 7]) {
        const partial = new PartialJson(options);
        const seen = [];
        for (let at = 0; at < text.length; at += step) {
          partial.push(text.slice(at, at + step));
          // Looking now and then must not matter.
          if (at % 5 === 4) continue;
          const wanted = partialJson(text.slice(0, at + step), options);
          assert.deepEqual(partial.value, wanted, `${text.slice(0, at + step)} ${JSON.stringify(options)}`);
          seen.push([partial.value, JSON.stringify(partial.value)]);
        }
        for (const [value, json] of seen) assert.equal(JSON.stringify(value), json);
        assert.deepEqual(partial.value, JSON.parse(text));
        partial.free();
      }
    }
  }
});

test("what did not change is the same object, and a value that did not change is the same value", () => {
  const partial = new PartialJson();
  const value = (text) => (partial.push(text), partial.value);
  const first = value('{"done":{"x":[1]},"list":[{"a":1},{"b":"c');
  assert.equal(partial.value, first);
  const second = value("d");
  assert.notEqual(second, first);
  assert.equal(second.done, first.done);
  assert.equal(second.list[0], first.list[0]);
  assert.deepEqual([first.list[1].b, second.list[1].b], ["c", "cd"]);
  const third = value('"},3]');
  assert.equal(third.list[1], value("").list[1]);
  assert.equal(third.list[0], first.list[0]);
});

test("the arguments of calls grow for themselves, also more than are remembered", () => {
  const reader = new Reader();
  const calls = 100;
  const pieces = ['{"a":[', "1,2", ',{"b":"x', 'y"}', "]}"];
  let number = 0;
  for (let call = 0; call < calls; call++) {
    const item = { type: "function_call", id: `fc_${call}`, call_id: `call_${call}`, name: "f", arguments: "", status: "in_progress" };
    reader.feed(utf8.encode(`data: ${JSON.stringify({ type: "response.output_item.added", sequence_number: number++, output_index: call, item })}\n\n`));
  }
  let text = "";
  const last = [];
  for (const delta of pieces) {
    text += delta;
    for (let call = 0; call < calls; call++) {
      reader.feed(utf8.encode(`data: ${JSON.stringify({ type: "response.function_call_arguments.delta", sequence_number: number++, item_id: `fc_${call}`, output_index: call, delta })}\n\n`));
      assert.deepEqual(reader.partialArguments(call), partialJson(text));
    }
    for (let call = calls - 20; call < calls; call++) {
      const value = reader.partialArguments(call);
      assert.equal(reader.partialArguments(call), value);
      last[call] = value;
    }
  }
  assert.equal(reader.partialArguments(500), undefined);
  assert.deepEqual(last.at(-1), JSON.parse(text));
});

test("changes are typed lists", () => {
  const partial = new PartialJson({ record_changes: true });
  partial.push('{"a":"b');
  assert.deepEqual(partial.takeChanges(), [["", "started", "object"], ["/a", "started", "string"], ["/a", "appended", "b"]]);
  assert.deepEqual(partial.unfinished, { path: "/a", type: "string" });
});
