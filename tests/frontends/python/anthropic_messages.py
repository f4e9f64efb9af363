"""Anthropic Messages: the Anthropic client reads the stream and its helper folds it."""

import json

import anthropic
from cases import comparable, each, transport

STOP = {"max_output_tokens": "max_tokens", "content_filter": "refusal", "pause_turn": "pause_turn"}


def read(one, stream):
    client = anthropic.Anthropic(api_key="none", max_retries=0, http_client=transport(stream))
    pieces = {}
    try:
        with client.messages.stream(model="m", max_tokens=1, messages=[{"role": "user", "content": "?"}]) as events:
            for event in events:
                if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                    pieces[event.index] = pieces.get(event.index, "") + event.delta.partial_json
            message = events.get_final_message()
    except anthropic.APIError:
        assert one["outcome"] in ("failed", "truncated"), one["outcome"]
        return
    except ValueError:
        # The helper parses arguments while they arrive and refuses text that cannot become JSON.
        assert any(not is_json(call[2]) for call in one["calls"]), one["calls"]
        return
    assert one["outcome"] not in ("failed", "truncated"), "no error was raised"
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [
        [block.id, block.name, pieces.get(index, "")]
        for index, block in enumerate(message.content)
        if block.type == "tool_use"
    ]
    if comparable(one):
        assert calls == one["calls"], (calls, one["calls"])
        assert text == one["text"], (text, one["text"])
    if one["outcome"] == "incomplete":
        assert message.stop_reason == STOP.get(one["reason"], "end_turn"), message.stop_reason


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


each("anthropic", read)
