/**
 * The entry `deltafold/ai`: a transport for `useChat` of the AI SDK, whose server answers with a stream of Open Responses or of any other
 * dialect that deltafold reads. It needs the package `ai`, and loads `deltafold/full` at the first answer.
 *
 * @module deltafold/ai
 */

import { HttpChatTransport, type HttpChatTransportInitOptions, type UIMessage, type UIMessageChunk } from "ai";
import type { ConversionOptions, Converter, SourceDialect } from "./full.js";

/** Options of `ResponseChatTransport`: those of the AI SDK's HTTP transports, and those of the conversion. */
export interface ResponseChatTransportOptions<M extends UIMessage = UIMessage> extends HttpChatTransportInitOptions<M> {
  /** The dialect of the server; detected if absent. */
  from?: SourceDialect;
  /** Options of the conversion, such as `include_metadata`. */
  options?: ConversionOptions<SourceDialect, "ui-message-stream">;
}

/**
 * A transport for `useChat`: `useChat({ transport: new ResponseChatTransport({ api: "/responses" }) })`.
 *
 * It sends what `DefaultChatTransport` sends (change that with `prepareSendMessagesRequest`), and converts the answer in the page.
 */
export class ResponseChatTransport<M extends UIMessage = UIMessage> extends HttpChatTransport<M> {
  readonly #from: SourceDialect | undefined;
  readonly #options: ConversionOptions<SourceDialect, "ui-message-stream">;

  /** Creates a transport; `api` is the URL of the server. */
  constructor({ from, options = {}, ...http }: ResponseChatTransportOptions<M> = {}) {
    super(http);
    this.#from = from;
    this.#options = options;
  }

  /** Converts the body of an answer. The AI SDK calls it. */
  protected processResponseStream(stream: ReadableStream<Uint8Array<ArrayBufferLike>>): ReadableStream<UIMessageChunk> {
    const [from, options] = [this.#from, this.#options];
    const decoder = new TextDecoder();
    let converter: Converter;
    let rest = "";
    const pass = (bytes: Uint8Array, out: TransformStreamDefaultController<UIMessageChunk>): void => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line !== "") out.enqueue(JSON.parse(line) as UIMessageChunk);
    };
    return stream.pipeThrough(
      new TransformStream<Uint8Array, UIMessageChunk>({
        // A page that only shows its form needs neither the code nor the wasm.
        async start() {
          const full = await import("./full.js");
          await full.init();
          converter = new full.Converter({ ...(from && { from }), to: "ui-message-stream", framing: "jsonl", options });
        },
        transform: (chunk, out) => pass(converter.feed(chunk), out),
        flush(out) {
          pass(converter.finish(), out);
          converter.free();
        },
      }),
    );
  }
}
