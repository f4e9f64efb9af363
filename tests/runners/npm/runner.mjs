// The runner, for Node.js and for a page: takes and returns lines. The protocol is in tests/runners/README.md.

const WHOLE = ["text", "refusal", "arguments", "input", "code", "diff", "command"];
// The field of each kind; an event of another kind has its text in the last of these fields.
const WHOLE_OF = {
  "response.output_text.done": "text",
  "response.reasoning.done": "text",
  "response.reasoning_text.done": "text",
  "response.reasoning_summary_text.done": "text",
  "response.refusal.done": "refusal",
  "response.function_call_arguments.done": "arguments",
  "response.mcp_call_arguments.done": "arguments",
  "response.custom_tool_call_input.done": "input",
  "response.code_interpreter_call_code.done": "code",
  "response.apply_patch_call_operation_diff.done": "diff",
  "response.shell_call_command.added": "command",
  "response.shell_call_command.done": "command",
};

// These commands have a plain word before their options.
const NAMED = ["validate", "ask"];

const bytesOf = (hex = "") => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const textOf = (hex) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(hex));

/** Creates a runner of the package: a function from a line to the lines of its answer; null for an unknown line. */
export function makeRunner(deltafold) {
  const { DeltafoldError, eventInfo } = deltafold;
  let out = [];
  let thing = null;
  let over = false;
  const show = (value) => out.push(JSON.stringify(value));
  // The response is passed as text, because numbers keep their written form.
  const withResponse = (report, response) => out.push(`${JSON.stringify(report).slice(0, -1)}${Object.keys(report).length ? "," : ""}"response":${response}}`);
  const printError = (error) => {
    if (!(error instanceof DeltafoldError)) throw error;
    show({ error: error.code, offset: error.offset });
  };

  function summary(event) {
    const { kind, raw, index, offset } = eventInfo(event);
    // A number with other characters than digits is not an index, and JavaScript does not keep its notation.
    const number = (name) => {
      const last = [...raw.matchAll(new RegExp(`"${name}"\\s*:\\s*([^,}\\s]+)`, "g"))].at(-1)?.[1] ?? "";
      return typeof event[name] === "number" && /^(0|[1-9]\d{0,17})$/.test(last) ? event[name] : null;
    };
    // A lone surrogate has no UTF-8 form.
    const text = (name) => (typeof event[name] === "string" ? event[name].toWellFormed() : null);
    const last = Object.keys(event).findLast((name) => WHOLE.includes(name));
    const whole = last === undefined ? undefined : (WHOLE_OF[kind] ?? last);
    return {
      index,
      kind,
      type: text("type") ?? "",
      sequence_number: number("sequence_number"),
      item_id: text("item_id"),
      output_index: number("output_index"),
      content_index: number("content_index"),
      summary_index: number("summary_index"),
      offset,
      delta: text("delta") ?? "",
      text: whole === undefined ? null : text(whole),
      raw,
    };
  }

  const things = {
    sse: (options) => {
      const decoder = new deltafold.SseDecoder(options);
      return {
        feed: (hex) => {
          decoder.feed(bytesOf(hex)).forEach(show);
          // Frames before an error come first; the next call throws the error.
          decoder.feed(new Uint8Array());
        },
        end: () => {},
        free: () => decoder.free(),
      };
    },
    reader: (options) => {
      let reader = new deltafold.Reader(options);
      const print = (events) => {
        for (const event of events) show(summary(event));
        if (reader.error !== null) throw reader.error;
      };
      return {
        feed: (hex) => print(reader.feed(bytesOf(hex))),
        feed_json: (hex) => print(reader.feedJson(textOf(hex))),
        request: (hex) => reader.noteRequest(textOf(hex)),
        reconnect: () => reader.reconnect(),
        resume: () => {
          const saved = reader.save();
          reader.free();
          reader = deltafold.Reader.restore(saved, options);
        },
        end: () => {
          try {
            if (!over) {
              print(reader.end());
              reader.finish();
            }
          } catch (error) {
            printError(error);
          }
          try {
            reader.finish();
          } catch {
            // The error was printed; the data that was read stays readable.
          }
          const report = {
            outcome: reader.outcome,
            output_text: reader.outputText,
            findings: reader.findings,
            last_sequence_number: reader.lastSequenceNumber,
            activity: reader.activity,
          };
          withResponse(report, reader.responseJson);
        },
        free: () => reader.free(),
      };
    },
    partial: (options) => {
      const partial = new deltafold.PartialJson(options);
      const value = () => (partial.json === "" ? null : partial.json);
      return {
        feed: (hex) => {
          try {
            partial.push(textOf(hex));
          } finally {
            const { unfinished } = partial;
            show({ value: value(), unfinished: unfinished && [unfinished.path, unfinished.type] });
          }
        },
        end: () => {
          try {
            if (!over) partial.finish();
          } catch (error) {
            printError(error);
          }
          show({ value: value(), complete: partial.complete, changes: partial.takeChanges() });
        },
        free: () => partial.free(),
      };
    },
    writer: (options) => {
      const writer = new deltafold.Writer(options);
      return {
        goesOn: true,
        do: (hex) => {
          const item = writer.apply(textOf(hex));
          show({ item, bytes: hexOf(writer.take()) });
        },
        end: () => withResponse({}, writer.responseJson),
        free: () => writer.free(),
      };
    },
    convert: (options) => {
      const converter = new deltafold.Converter(options);
      const step = (run) => {
        try {
          show({ bytes: hexOf(run()) });
        } catch (error) {
          show({ bytes: hexOf(converter.take()) });
          throw error;
        }
      };
      return {
        feed: (hex) => step(() => converter.feed(bytesOf(hex))),
        cancel: () => {
          over = true;
          step(() => converter.cancel());
        },
        end: () => {
          let failed = null;
          try {
            step(() => (over ? converter.take() : converter.finish()));
          } catch (error) {
            failed = error;
          }
          show(converter.report);
          if (failed) printError(failed);
        },
        free: () => converter.free(),
      };
    },
  };

  const asks = {
    history: ({ request, steps, policy }) => deltafold.history(request, steps, policy),
    enforce: ({ request, response }) => ({ calls: deltafold.enforce(request, response) }),
    advice: ({ error, ...options }) => deltafold.advice(error, options),
    create_message: ({ request }) => deltafold.createMessage(request),
  };

  function loop({ request, ...options }) {
    const tools = new deltafold.ToolLoop(request, options);
    const print = () => {
      const { state, reason, turns, pending, rejected, findings } = tools;
      show({ loop: { state, reason, turns, pending, rejected, findings }, request: tools.request });
    };
    return {
      goesOn: true,
      response: (hex) => {
        tools.apply(JSON.parse(textOf(hex)));
        print();
      },
      result: (id, hex) => {
        tools.result(textOf(id), JSON.parse(textOf(hex)));
        print();
      },
      end: () => {},
      free: () => {},
    };
  }

  function make(word, rest) {
    thing?.free();
    thing = null;
    over = false;
    const options = rest.at(-1) && rest.length > (NAMED.includes(word) ? 1 : 0) ? JSON.parse(textOf(rest.at(-1))) : undefined;
    if (word === "validate") {
      thing = {
        feed: (hex) => show(deltafold.validate(rest[0], textOf(hex), options)),
        end: () => {},
        free: () => {},
      };
    } else if (word === "ask") {
      thing = { feed: (hex) => show(asks[rest[0]](JSON.parse(textOf(hex)))), end: () => {}, free: () => {} };
    } else if (word === "loop") {
      thing = loop(options);
    } else {
      thing = things[word](options);
    }
  }

  return (line) => {
    out = [];
    const [word, ...rest] = line.split(" ");
    try {
      if (word in things || NAMED.includes(word) || word === "loop") make(word, rest);
      else if (word === "end") {
        thing?.end();
        thing?.free();
        thing = null;
        show({ end: true });
      } else if (["feed", "feed_json", "request", "reconnect", "resume", "do", "cancel", "response", "result"].includes(word)) {
        if (thing !== null && !over) thing[word](...rest);
      } else return null;
    } catch (error) {
      printError(error);
      // A refused intent or step changes nothing, so a writer and a loop continue.
      over = !thing?.goesOn;
    }
    return out;
  };
}
