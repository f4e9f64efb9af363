"""Streams that several tests read."""

import json
from typing import Any


def frame(payload: "dict[str, Any]") -> bytes:
    return f"event: {payload['type']}\ndata: {json.dumps(payload)}\n\n".encode()


def stream(words: "tuple[str, ...]" = ("Hel", "lo")) -> bytes:
    """A complete response with one message of these words."""
    item = {"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    text = "".join(words)
    done = {**part, "text": text}
    response = {"id": "resp_1", "object": "response", "status": "in_progress", "model": "m-1", "output": []}
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    whole = {**item, "status": "completed", "content": [done]}
    payloads: "list[dict[str, Any]]" = [
        {"type": "response.created", "response": response},
        {"type": "response.in_progress", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **place, "part": part},
        *({"type": "response.output_text.delta", **place, "delta": word, "logprobs": []} for word in words),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": done},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [whole], "usage": usage}},
    ]
    frames = [frame({"sequence_number": number, **payload}) for number, payload in enumerate(payloads)]
    return b"".join(frames) + b"data: [DONE]\n\n"


def call(pieces: "tuple[str, ...]") -> bytes:
    """An incomplete response: one function call whose arguments arrived in these pieces."""
    item = {"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "c", "name": "f", "arguments": ""}
    payloads: "list[dict[str, Any]]" = [{"type": "response.output_item.added", "output_index": 0, "item": item}]
    for piece in pieces:
        payloads.append(
            {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1", "delta": piece}
        )
    return b"".join(frame({"sequence_number": number, **payload}) for number, payload in enumerate(payloads))
