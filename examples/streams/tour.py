"""Writes tour.sse, the stream that the README's first command reads.

    python3 examples/streams/tour.py > examples/streams/tour.sse

One turn of an assistant that plans a day trip: it reasons, says something with a source, and calls two tools at once.
Every event is complete by the edition of 2026-04-24. Nothing here is recorded; all names and numbers are invented.
"""

import copy
import json
import sys

PLACE = {
    "type": "object",
    "properties": {"place": {"type": "string"}, "day": {"type": "string"}},
    "required": ["place", "day"],
    "additionalProperties": False,
}
RIDE = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "to": {"type": "string"}, "bikes": {"type": "integer"}},
    "required": ["from", "to", "bikes"],
    "additionalProperties": False,
}


class Stream:
    """Numbers the events, accumulates the response, and prints each event as a frame."""

    def __init__(self):
        self.number = 0
        self.response = {
            "id": "resp_tour",
            "object": "response",
            "created_at": 1776988800,
            "completed_at": None,
            "status": "in_progress",
            "incomplete_details": None,
            "model": "example-1",
            "previous_response_id": None,
            "instructions": "Plan day trips. Name your sources.",
            "output": [],
            "error": None,
            "tools": [
                {
                    "type": "function",
                    "name": "get_forecast",
                    "description": "The weather at a place on a day.",
                    "parameters": PLACE,
                    "strict": True,
                },
                {
                    "type": "function",
                    "name": "find_trains",
                    "description": "Trains between two stations that take bikes.",
                    "parameters": RIDE,
                    "strict": True,
                },
            ],
            "tool_choice": "auto",
            "truncation": "disabled",
            "parallel_tool_calls": True,
            "text": {"format": {"type": "text"}, "verbosity": "medium"},
            "top_p": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "top_logprobs": 0,
            "temperature": 1.0,
            "reasoning": {"effort": "low", "summary": "auto"},
            "usage": None,
            "max_output_tokens": 2048,
            "max_tool_calls": None,
            "store": False,
            "background": False,
            "service_tier": "default",
            "metadata": {"example": "tour"},
            "safety_identifier": None,
            "prompt_cache_key": None,
        }

    def send(self, kind, **fields):
        event = {"type": kind, "sequence_number": self.number, **fields}
        self.number += 1
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        sys.stdout.write(f"event: {kind}\ndata: {text}\n\n")

    def state(self, kind):
        self.send(f"response.{kind}", response=self.response)

    def add(self, item):
        """Opens an item at the next position of the output; the event has a copy of the item's current state."""
        item["at"] = {"item_id": item["id"], "output_index": len(self.response["output"])}
        self.response["output"].append({})
        self.send("response.output_item.added", output_index=item["at"]["output_index"], item=shown(item))
        return item

    def close(self, item):
        if "status" in item:
            item["status"] = "completed"
        index = item["at"]["output_index"]
        self.response["output"][index] = shown(item)
        self.send("response.output_item.done", output_index=index, item=shown(item))

    def call(self, item, pieces):
        """Streams arguments one piece at a time and pauses after each, so that two calls can be interleaved."""
        for piece in pieces:
            item["arguments"] += piece
            self.send("response.function_call_arguments.delta", **item["at"], delta=piece)
            yield
        self.send("response.function_call_arguments.done", **item["at"], arguments=item["arguments"])
        self.close(item)
        yield


def shown(item):
    return copy.deepcopy({name: value for name, value in item.items() if name != "at"})


def reason(stream, pieces):
    item = stream.add({"type": "reasoning", "id": "rs_tour", "summary": []})
    where = {**item["at"], "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    stream.send("response.reasoning_summary_part.added", **where, part=part)
    for piece in pieces:
        part["text"] += piece
        stream.send("response.reasoning_summary_text.delta", **where, delta=piece)
    stream.send("response.reasoning_summary_text.done", **where, text=part["text"])
    stream.send("response.reasoning_summary_part.done", **where, part=part)
    item["summary"].append(part)
    stream.close(item)


def say(stream, pieces, cited, source):
    item = {"type": "message", "id": "msg_tour", "status": "in_progress", "role": "assistant", "content": []}
    item = stream.add({**item, "phase": "commentary"})
    where = {**item["at"], "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    stream.send("response.content_part.added", **where, part=part)
    for piece in pieces:
        part["text"] += piece
        stream.send("response.output_text.delta", **where, delta=piece, logprobs=[])
    start = part["text"].index(cited)
    note = {"type": "url_citation", **source, "start_index": start, "end_index": start + len(cited)}
    part["annotations"].append(note)
    stream.send("response.output_text.annotation.added", **where, annotation_index=0, annotation=note)
    stream.send("response.output_text.done", **where, text=part["text"], logprobs=[])
    stream.send("response.content_part.done", **where, part=part)
    item["content"].append(part)
    stream.close(item)


def main():
    stream = Stream()
    stream.state("created")
    stream.state("in_progress")
    reason(stream, ["**Picking a", " day**\n\nThe towpath is", " flat, so wind", " matters more than hills."])
    say(
        stream,
        ["The canal path", " from Écluse-Neuve to", " Port-Brun is 38 km", " and closed to cars.", " Let me look at the", " weather and the", " way back. 🚲"],
        "38 km and closed to cars",
        {"url": "https://example.org/canal-path", "title": "The canal path, kilometre by kilometre"},
    )

    calls = []
    for name in ("get_forecast", "find_trains"):
        number = len(calls) + 1
        item = {"type": "function_call", "id": f"fc_tour_{number}", "call_id": f"call_tour_{number}", "name": name}
        calls.append(stream.add({**item, "arguments": "", "status": "in_progress"}))
    turns = [
        stream.call(calls[0], ['{"pla', 'ce":"Port-Br', 'un","day":"2026-', '04-25"}']),
        stream.call(calls[1], ['{"from":"Port', '-Brun","to":"Écluse', '-Neuve","bi', 'kes":', "2}"]),
    ]
    while turns:
        turns = [turn for turn in turns if next(turn, turns) is not turns]

    stream.response.update(
        status="completed",
        completed_at=1776988804,
        usage={
            "input_tokens": 412,
            "output_tokens": 139,
            "total_tokens": 551,
            "input_tokens_details": {"cached_tokens": 256},
            "output_tokens_details": {"reasoning_tokens": 24},
        },
    )
    stream.state("completed")
    sys.stdout.write("data: [DONE]\n\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main()
