"""Shared by the checks: the list of converted streams, and a client transport that answers with one of them."""

import json
import pathlib
import sys

import httpx2 as httpx

REASONS = {
    "done_mismatch", "delta_type_mismatch", "item_dropped", "event_after_item_done", "event_after_terminal",
    "duplicate_item_added", "item_id_changed", "tool_call_without_name", "media_dropped",
}


def each(target, read):
    """Reads every stream of a target and fails with the stream's name."""
    folder = pathlib.Path(sys.argv[1])
    cases = [one for one in json.loads((folder / "cases.json").read_text("utf-8")) if one["to"] == target]
    assert len(cases) > 100, f"only {len(cases)} streams for {target}"
    for one in cases:
        try:
            read(one, (folder / one["path"]).read_bytes())
        except Exception as error:
            raise AssertionError(f"{one['name']} ({one['path']})") from error
    print(f"{target}: {len(cases)} streams read")


def transport(stream):
    """An HTTP client that answers every request with the stream."""
    headers = {"content-type": "text/event-stream"}
    return httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=stream)))


def comparable(one):
    """True if a client should collect the content of the folded response."""
    return not REASONS & set(one["findings"]) and all(call[0] and call[1] for call in one["calls"])
