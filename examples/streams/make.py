"""Writes the example streams beside tour.sse: one per item type, broken ones, one per dialect.

    python3 examples/streams/make.py FOLDER DELTAFOLD

DELTAFOLD is the program; it turns the intents of items/ into streams. FOLDER is examples/streams itself, or an empty folder to
compare with. Nothing here is recorded; all names, places and numbers are invented.
"""

import json
import pathlib
import struct
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).parent


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    for name in ["items", "broken", "dialects"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, intents in ITEMS.items():
        write_item(folder / "items", name, intents, program)
    tour = (HERE / "tour.sse").read_text(encoding="utf-8")
    for name, (_, change, _) in BROKEN.items():
        changed = change(tour)
        assert changed != tour, f"{name}: nothing was changed"
        (folder / "broken" / f"{name}.sse").write_bytes(changed.encode("utf-8", "surrogateescape"))
    expected = {name: {"says": says, "rules": rules} for name, (says, _, rules) in BROKEN.items()}
    (folder / "broken" / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
    for name, content in dialects().items():
        (folder / "dialects" / name).write_bytes(content)
    folded = subprocess.run([program, "fold", "--pretty", str(HERE / "tour.sse")], check=True, capture_output=True)
    (folder / "tour.json").write_bytes(folded.stdout)


# --- one stream per item type -----------------------------------------------------------------------------------------------


def write_item(folder, name, intents, program):
    """Writes the intents to a file, and returns the stream that the writer makes of them."""
    options = {"id": f"resp_{name}", "model": "example-1", "created_at": 1776988800, "edition": "split"}
    usage = {"input_tokens": 60, "output_tokens": 20}
    lines = [options, *intents, {"do": "now", "seconds": 1776988803}, {"do": "complete", "usage": usage}]
    source = folder / f"{name}.jsonl"
    source.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    stream = subprocess.run([program, "write", str(source)], check=True, capture_output=True).stdout
    (folder / f"{name}.sse").write_bytes(stream)


def grow(word, *pieces):
    return [{"do": word, "text": piece} for piece in pieces]


PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

ITEMS = {
    "message": [
        {"do": "message"},
        *grow("text", "The ferry leaves ", "at 9:40, ", "so take the early bus."),
        {"do": "annotation", "annotation": {"type": "url_citation", "url": "https://example.org/ferry", "title": "Ferry times", "start_index": 0, "end_index": 24}},
        {"do": "close"},
    ],
    "refusal": [{"do": "message"}, *grow("refusal", "I cannot help ", "with opening that lock."), {"do": "close"}],
    "reasoning": [
        {"do": "reasoning"},
        *grow("reasoning_summary", "**Two ways across**\n\n", "The bridge is shut, so it is the ferry."),
        {"do": "close_part"},
        *grow("reasoning_text", "Bridge: closed until May. ", "Ferry: 9:40 and 14:10."),
        {"do": "encrypted_content", "text": "ZXhhbXBsZSBvbmx5"},
        {"do": "close"},
    ],
    "function_call": [
        {"do": "function_call", "call_id": "call_ferry", "name": "ferry_times"},
        *grow("arguments", '{"harbour":', '"Port-Brun",', '"day":"2026-04-25"}'),
        {"do": "close"},
    ],
    "function_call_output": [{"do": "function_call_output", "call_id": "call_ferry", "output": '{"times":["09:40","14:10"]}'}],
    "custom_tool_call": [
        {"do": "custom_tool_call", "call_id": "call_sql", "name": "query"},
        *grow("input", "SELECT time ", "FROM ferries ", "WHERE day = 'Sat'"),
        {"do": "close"},
    ],
    "custom_tool_call_output": [{"do": "custom_tool_call_output", "call_id": "call_sql", "output": "09:40\n14:10"}],
    "web_search_call": [
        {"do": "web_search_call"},
        {"do": "progress", "state": "searching"},
        {"do": "set", "key": "action", "value": {"type": "search", "query": "canal path closed 2026"}},
        {"do": "close"},
    ],
    "file_search_call": [
        {"do": "file_search_call", "queries": ["bicycle on the train"]},
        {"do": "progress", "state": "searching"},
        {"do": "set", "key": "results", "value": [{"file_id": "file_rules", "filename": "rules.md", "text": "Two bicycles per coach.", "attributes": {}, "score": 0.75, "vector_store_id": None}]},
        {"do": "close"},
    ],
    "code_interpreter_call": [
        {"do": "code_interpreter_call", "container_id": "cntr_example"},
        *grow("code", "km = 38\n", "print(km / 14)"),
        {"do": "progress", "state": "interpreting"},
        {"do": "set", "key": "outputs", "value": [{"type": "logs", "logs": "2.7142857142857144"}]},
        {"do": "close"},
    ],
    "image_generation_call": [
        {"do": "image_generation_call"},
        {"do": "progress", "state": "generating"},
        {"do": "partial_image", "base64": PIXEL},
        {"do": "set", "key": "result", "value": PIXEL},
        {"do": "close"},
    ],
    "computer_call": [
        {"do": "computer_call", "call_id": "call_screen", "action": {"type": "click", "x": 120, "y": 48, "button": "left"}},
        {"do": "close"},
    ],
    "computer_call_output": [
        {"do": "computer_call_output", "call_id": "call_screen", "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64," + PIXEL, "file_id": None}},
    ],
    "compaction": [{"do": "compaction", "encrypted_content": "ZXhhbXBsZSBvbmx5"}],
    "local_shell_call": [
        {"do": "local_shell_call", "call_id": "call_local", "action": {"type": "exec", "command": ["ls", "maps"], "env": {}}},
        {"do": "close"},
    ],
    "local_shell_call_output": [{"do": "local_shell_call_output", "call_id": "call_local", "output": "canal.gpx"}],
    "shell_call": [
        {"do": "shell_call", "call_id": "call_shell", "action": {"timeout_ms": 10000}},
        *grow("command_text", "wc -l ", "maps/canal.gpx"),
        {"do": "command"},
        *grow("command_text", "head -1 maps/canal.gpx"),
        {"do": "close"},
    ],
    "shell_call_output": [
        {"do": "shell_call_output", "call_id": "call_shell"},
        {"do": "shell_output", "stdout": "412 maps/canal.gpx\n"},
        {"do": "shell_outcome", "outcome": {"type": "exit", "exit_code": 0}},
        {"do": "close"},
    ],
    "apply_patch_call": [
        {"do": "apply_patch_call", "call_id": "call_patch", "operation": {"type": "update_file", "path": "trip.md"}},
        *grow("diff", "@@\n-9:10 bus\n", "+8:40 bus\n"),
        {"do": "close"},
    ],
    "apply_patch_call_output": [{"do": "apply_patch_call_output", "call_id": "call_patch", "output": "trip.md changed"}],
    "mcp_list_tools": [
        {"do": "mcp_list_tools", "server_label": "harbour"},
        {"do": "set", "key": "tools", "value": [{"name": "tides", "description": "High and low water.", "input_schema": {"type": "object"}, "annotations": None}]},
        {"do": "close"},
    ],
    "mcp_approval_request": [{"do": "mcp_approval_request", "server_label": "harbour", "name": "book", "arguments": '{"seats":2}'}],
    "mcp_approval_response": [{"do": "mcp_approval_response", "approval_request_id": "mcpr_example", "approve": True}],
    "mcp_call": [
        {"do": "mcp_call", "server_label": "harbour", "name": "tides"},
        *grow("arguments", '{"day":', '"2026-04-25"}'),
        {"do": "set", "key": "output", "value": "high 06:12, low 12:25"},
        {"do": "close"},
    ],
    "extension": [
        {"do": "acme:map", "tiles": [3, 4], "zoom": 11},
        {"do": "close"},
        {"do": "extension_event", "type": "acme:tick", "fields": {"done": 1}},
    ],
}


# --- broken streams ---------------------------------------------------------------------------------------------------------


def frames(text):
    return [frame + "\n\n" for frame in text.split("\n\n") if frame]


def without(part):
    return lambda text: "".join(frame for frame in frames(text) if part not in frame)


def replace(old, new, count=1):
    return lambda text: text.replace(old, new, count)


def twice(part):
    def change(text):
        done, out = False, []
        for frame in frames(text):
            out.append(frame)
            if part in frame and not done:
                out.append(frame)
                done = True
        return "".join(out)

    return change


def cut_after(part):
    return lambda text: text[: text.index(part)]


def after_end(text):
    delta = next(frame for frame in frames(text) if "event: response.output_text.delta" in frame)
    return text.replace("data: [DONE]", delta.rstrip("\n") + "\n\ndata: [DONE]")


# name: the fault, the change to the tour, the rules that `deltafold check` then reports
BROKEN = {
    "no-terminal": ("the connection ended before the response", cut_after("event: response.completed"), ["SSE-02", "LIFE-06"]),
    "no-done": ("[DONE] never came", without("data: [DONE]"), ["SSE-02"]),
    "unnamed-events": ("frames have no event line", lambda text: "\n".join(line for line in text.split("\n") if not line.startswith("event:")), ["SSE-04"]),
    "wrong-name": ("a frame's name differs from its payload's type", replace("event: response.in_progress", "event: response.queued"), ["SSE-04"]),
    "number-gap": ("a number is missing", without('"sequence_number":15,'), ["SEQ-03", "TEXT-01"]),
    "repeated-event": ("an event was sent twice", twice("event: response.output_text.delta"), ["SEQ-02", "TEXT-01"]),
    "late-delta": ("text comes after the response has ended", after_end, ["SEQ-02", "LIFE-07"]),
    "text-differs": ("the text at the end differs from the deltas", lambda text: replace_last(text, "38 km", "39 km"), ["TEXT-01", "PART-10"]),
    "cut-json": ("a payload is truncated JSON", replace('"delta":" day**\\n\\nThe towpath is"}', '"delta":" day**'), ["SSE-01", "RSN-07"]),
    "missing-field": ("a delta lacks the id of its item", lambda text: drop_member(text, "response.output_text.delta", "item_id"), ["SCHEMA-01"]),
    "not-an-object": ("usage is a number", lambda text: usage_number(text), ["OBJ-06"]),
    "bad-utf8": ("bytes that are not UTF-8", replace("É", "\udcc9"), ["READ-01", "TEXT-01"]),
}


def replace_last(text, old, new):
    """Changes only output_text.done; the deltas stay the same."""
    out = []
    for frame in frames(text):
        out.append(frame.replace(old, new) if "event: response.output_text.done" in frame else frame)
    return "".join(out)


def drop_member(text, event, member):
    out, done = [], False
    for frame in frames(text):
        if f"event: {event}\n" in frame and not done:
            head, payload = frame.strip().split("\ndata: ", 1)
            payload = json.loads(payload)
            del payload[member]
            frame = f"{head}\ndata: {json.dumps(payload, ensure_ascii=False, separators=(',', ':'))}\n\n"
            done = True
        out.append(frame)
    return "".join(out)


def usage_number(text):
    out = []
    for frame in frames(text):
        if "event: response.completed" in frame:
            head, payload = frame.strip().split("\ndata: ", 1)
            payload = json.loads(payload)
            payload["response"]["usage"] = 551
            frame = f"{head}\ndata: {json.dumps(payload, ensure_ascii=False, separators=(',', ':'))}\n\n"
        out.append(frame)
    return "".join(out)


# --- one stream per dialect -------------------------------------------------------------------------------------------------

WORDS = ["The ferry leaves ", "at 9:40, ", "so take ", "the early bus."]
THOUGHT = "The bridge is shut."
ASK = ['{"harbour":', '"Port-Brun"}']


def sse(*messages, named=False, done=False):
    out = []
    for message in messages:
        name = f"event: {message['type']}\n" if named else ""
        out.append(f"{name}data: {json.dumps(message, ensure_ascii=False)}\n\n")
    return ("".join(out) + ("data: [DONE]\n\n" if done else "")).encode()


def lines(*messages):
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages).encode()


def dialects():
    return {
        "anthropic.sse": anthropic(),
        "chat-completions.sse": chat_completions(),
        "gemini.sse": gemini(),
        "blocks.jsonl": blocks(),
        "thread-events.jsonl": thread_events(),
        "ollama.jsonl": ollama(),
        "mistral.sse": mistral(),
        "cohere.sse": cohere(),
        "bedrock.bin": bedrock(),
    }


def anthropic():
    usage = {"input_tokens": 60, "output_tokens": 1}
    message = {"id": "msg_example", "type": "message", "role": "assistant", "model": "example-1", "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}

    def delta(index, **value):
        return {"type": "content_block_delta", "index": index, "delta": value}

    return sse(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        delta(0, type="thinking_delta", thinking=THOUGHT),
        delta(0, type="signature_delta", signature="ZXhhbXBsZQ=="),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        *[delta(1, type="text_delta", text=word) for word in WORDS],
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "toolu_example", "name": "ferry_times", "input": {}}},
        *[delta(2, type="input_json_delta", partial_json=piece) for piece in ASK],
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
        named=True,
    )


def chat_chunk(delta, reason=None, **more):
    return {
        "id": "chatcmpl-example",
        "object": "chat.completion.chunk",
        "created": 1776988800,
        "model": "example-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        **more,
    }


def chat_completions():
    call = {"index": 0, "id": "call_example", "type": "function", "function": {"name": "ferry_times", "arguments": ""}}
    return sse(
        chat_chunk({"role": "assistant", "content": ""}),
        chat_chunk({"reasoning_content": THOUGHT}),
        *[chat_chunk({"content": word}) for word in WORDS],
        chat_chunk({"tool_calls": [call]}),
        *[chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in ASK],
        chat_chunk({}, "tool_calls", usage={"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80}),
        done=True,
    )


def mistral():
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}]
    return sse(
        chat_chunk({"role": "assistant", "content": thinking}),
        *[chat_chunk({"content": word}) for word in WORDS],
        chat_chunk({"content": ""}, "stop", usage={"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80}),
        done=True,
    )


def gemini():
    def chunk(parts, **more):
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **more}
        return {"responseId": "gem_example", "modelVersion": "example-1", "candidates": [candidate]}

    call = {"functionCall": {"name": "ferry_times", "args": {"harbour": "Port-Brun"}}}
    last = chunk([call], finishReason="STOP")
    last["usageMetadata"] = {"promptTokenCount": 60, "candidatesTokenCount": 20, "totalTokenCount": 80}
    return sse(chunk([{"text": THOUGHT, "thought": True}]), *[chunk([{"text": word}]) for word in WORDS], last)


def blocks():
    def block(index, kind, metadata, deltas, reason=None):
        return [
            {"BlockStart": {"index": index, "block_type": kind, "metadata": metadata}},
            *[{"BlockDelta": {"index": index, "delta": delta}} for delta in deltas],
            {"BlockStop": {"index": index, "block_type": kind, "stop_reason": reason}},
        ]

    return lines(
        {"Status": {"status": "Started"}},
        *block(0, "Thinking", "Thinking", [{"Thinking": THOUGHT}]),
        *block(1, "Text", "Text", [{"Text": word} for word in WORDS]),
        *block(2, "ToolUse", {"ToolUse": {"id": "toolu_example", "name": "ferry_times"}}, [{"InputJson": piece} for piece in ASK], "ToolUse"),
        {"Usage": {"input_tokens": 60, "output_tokens": 20, "total_tokens": 80, "cache_read_input_tokens": None, "cache_creation_input_tokens": None}},
        {"Status": {"status": "Completed"}},
    )


def thread_events():
    text = ""
    grown = []
    for word in WORDS:
        text += word
        grown.append({"type": "item.updated", "item": {"id": "item_1", "type": "agent_message", "text": text}})
    return lines(
        {"type": "thread.started", "thread_id": "thread_example"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": THOUGHT}},
        {"type": "item.started", "item": {"id": "item_1", "type": "agent_message", "text": ""}},
        *grown,
        {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 60, "cached_input_tokens": 0, "output_tokens": 20}},
    )


def ollama():
    def line(message, **more):
        return {"model": "example-1", "created_at": "2026-04-24T00:00:00Z", "message": {"role": "assistant", **message}, "done": False, **more}

    call = {"function": {"name": "ferry_times", "arguments": {"harbour": "Port-Brun"}}}
    return lines(
        line({"content": "", "thinking": THOUGHT}),
        *[line({"content": word}) for word in WORDS],
        line({"content": "", "tool_calls": [call]}),
        line({"content": ""}, done=True, done_reason="stop", prompt_eval_count=60, eval_count=20, total_duration=5),
    )


def cohere():
    def start(index, content):
        return {"type": "content-start", "index": index, "delta": {"message": {"content": content}}}

    call = {"id": "ferry_times_0", "type": "function", "function": {"name": "ferry_times", "arguments": ""}}
    return sse(
        {"type": "message-start", "id": "coh_example", "delta": {"message": {"role": "assistant"}}},
        start(0, {"type": "text", "text": ""}),
        *[{"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": word}}}} for word in WORDS],
        {"type": "content-end", "index": 0},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": call}}},
        *[{"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": piece}}}}} for piece in ASK],
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 60, "output_tokens": 20}}}},
    )


def bedrock():
    """The binary messages of the AWS event stream: lengths, headers, payload, two checksums."""

    def header(name, value):
        return struct.pack("B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()

    def message(kind, payload):
        headers = header(":event-type", kind) + header(":content-type", "application/json") + header(":message-type", "event")
        body = json.dumps(payload).encode()
        prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
        prelude += struct.pack(">I", zlib.crc32(prelude))
        return prelude + headers + body + struct.pack(">I", zlib.crc32(prelude + headers + body))

    out = [message("messageStart", {"role": "assistant"})]
    out += [message("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": word}}) for word in WORDS]
    out.append(message("contentBlockStop", {"contentBlockIndex": 0}))
    tool = {"toolUse": {"toolUseId": "tooluse_example", "name": "ferry_times"}}
    out.append(message("contentBlockStart", {"contentBlockIndex": 1, "start": tool}))
    out += [message("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": piece}}}) for piece in ASK]
    out.append(message("contentBlockStop", {"contentBlockIndex": 1}))
    out.append(message("messageStop", {"stopReason": "tool_use"}))
    usage = {"inputTokens": 60, "outputTokens": 20, "totalTokens": 80}
    out.append(message("metadata", {"usage": usage, "metrics": {"latencyMs": 10}}))
    return b"".join(out)


if __name__ == "__main__":
    main()
