"""The rows of `deltafold.batch.fold`, made by a Python loop over `deltafold.Reader`: what a user writes without the batch call."""

from __future__ import annotations

from typing import Any, cast

import deltafold

# Open Responses starts so; detection of the other dialects needs the first message.
_DETECTION_LIMIT = 256 << 10
_COUNTS = {
    "input_tokens": ("input_tokens",),
    "cached_tokens": ("input_tokens_details", "cached_tokens"),
    "cache_write_tokens": ("input_tokens_details", "cache_write_tokens"),
    "output_tokens": ("output_tokens",),
    "reasoning_tokens": ("output_tokens_details", "reasoning_tokens"),
    "total_tokens": ("total_tokens",),
}


def detect(body: bytes) -> str:
    """The dialect of a body, as a program would find it."""
    found = _show(body)
    if found in ("chat-completions", "gemini") and body.lstrip()[:1] == b"{":
        return "open-responses"  # an error body
    return found or "open-responses"


def _show(body: bytes) -> str | None:
    start = body[:_DETECTION_LIMIT]
    return deltafold.detect(start) or (deltafold.detect(start + b"\n\n") if len(start) == len(body) else None)


def fold(body: bytes | None, dialect: str | None = None) -> dict[str, Any] | None:
    """The row of one body, with the columns of `batch.fold` except `findings` and `error`."""
    if body is None:
        return None
    dialect = dialect or detect(body)
    reader = deltafold.Reader()
    error: deltafold.DeltafoldError | None = None
    try:
        if dialect == "open-responses" and body.lstrip()[:1] == b"{" and _show(body) == "open-responses":
            for line in body.decode(errors="replace").split("\n"):
                if line.strip():
                    for _ in reader.feed_json(line.strip()):
                        pass
        elif dialect == "open-responses":
            for _ in reader.feed(body):
                pass
        else:
            converter = deltafold.Converter(
                "open-responses", cast("Any", dialect), reasoning_events="open_responses", extension_events="events", turns="first",
                response_id="resp_unknown", now=0,
            )  # fmt: skip
            try:
                converted = converter.feed(body) + converter.close()
            except deltafold.DeltafoldError as found:
                error, converted = found, converter.take()
            for _ in reader.feed(converted):
                pass
    except deltafold.DeltafoldError as found:
        error = found
    try:
        outcome = str(reader.close())
    except deltafold.DeltafoldError as found:
        error, outcome = found, "truncated"
    response = reader.response
    items = response.items
    usage = response.usage
    created = response.get("created_at")
    if isinstance(created, float):
        created = max(min(int(created), 2**63 - 1), -(2**63))
    row: dict[str, Any] = {
        "outcome": outcome,
        "dialect": dialect,
        "response_id": _wire(response.get("id"), dialect, "resp_unknown"),
        "model": _wire(response.get("model"), dialect, "unknown"),
        "created_at": created if isinstance(created, int) and (created or dialect == "open-responses") else None,
        "output_text": _joined([part.text for item in items if item.type == "message" for part in item.parts if part.type == "output_text"]),
        "reasoning_text": _joined([text for item in items if item.type == "reasoning" for text in _reasoning(item)], "\n\n"),
        "refusal": _joined([part.text for item in items if item.type == "message" for part in item.parts if part.type == "refusal"]),
        "tool_calls": [
            {
                "index": index,
                "type": item.type,
                "call_id": _text(item.get("call_id")),
                "name": _text(item.get("name")),
                "arguments": item.arguments,
                "status": _text(item.get("status")),
            }
            for index, item in enumerate(items)
            if item.type.endswith("_call") and ":" not in item.type
        ],
        "usage": None if usage is None else {name: _count(usage, path) for name, path in _COUNTS.items()},
        "events": reader.event_count,
        "bytes": len(body),
        "findings": len(reader.findings) + (error is not None),
    }
    return row


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _wire(value: Any, dialect: str, invented: str) -> str | None:
    """A text of the stream; an adapter makes up the ones that a stream of another dialect lacks."""
    return None if dialect != "open-responses" and value == invented else _text(value)


def _joined(texts: list[str], separator: str = "") -> str | None:
    return separator.join(texts) if texts else None


def _reasoning(item: Any) -> list[str]:
    return [part.text for part in item.parts if part.text] or [part.text for part in item.summary_parts if part.text]


def _count(usage: Any, path: tuple[str, ...]) -> int | None:
    for key in path:
        usage = usage.get(key) if isinstance(usage, dict) else None
    return usage if isinstance(usage, int) and not isinstance(usage, bool) else None
