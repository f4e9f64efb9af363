"""The types that type checkers infer. Checked by mypy and pyright, never run."""

from typing import Any, Dict, List, Literal, Optional

import httpx
from typing_extensions import Unpack, assert_type

import deltafold
from deltafold.names import ProfileName, ReaderOptions, SourceDialect, TargetDialect
from deltafold.options import ConvertOptions
from deltafold.request import ToolLoop
from deltafold.types import (
    CompletedEvent,
    CreatedEvent,
    ExtensionEvent,
    LogProb,
    OutputTextDeltaEvent,
    ResponseOutputTextDeltaStreamingEvent,
    ResponseResource,
    StreamEvent,
    UnknownEvent,
)


def narrows_by_type(reader: deltafold.Reader, chunk: bytes) -> None:
    for event in reader.feed(chunk):
        assert_type(event, StreamEvent)
        if event.type == "response.output_text.delta":
            assert_type(event, OutputTextDeltaEvent)
            assert_type(event.delta, str)
            assert_type(event.output_index, int)
            assert_type(event.logprobs, List[LogProb])
            assert_type(event.to_dict(), ResponseOutputTextDeltaStreamingEvent)
            assert_type(event.to_dict()["delta"], str)
        elif event.type == "response.completed":
            assert_type(event.response, ResponseResource)
            assert_type(event.response["id"], str)
        elif event.type == "response.function_call_arguments.done":
            assert_type(event.arguments, str)
        elif event.type == "response.created" or event.type == "response.in_progress":
            assert_type(event.response["model"], str)
        else:
            assert_type(event.raw, str)


def narrows_by_class(reader: deltafold.Reader, chunk: bytes) -> None:
    for event in reader.feed(chunk):
        if isinstance(event, OutputTextDeltaEvent):
            assert_type(event, OutputTextDeltaEvent)
            assert_type(event.delta, str)
        elif isinstance(event, (CreatedEvent, CompletedEvent)):
            assert_type(event.response, ResponseResource)
        elif isinstance(event, UnknownEvent):
            print(event.type, event.any_field)
        elif isinstance(event, ExtensionEvent):
            print(event.any_field)
    given: deltafold.Event = deltafold.Event.parse("{}")
    if isinstance(given, OutputTextDeltaEvent):
        assert_type(given.delta, str)


def narrows_in_events_of_a_source(response: httpx.Response) -> str:
    text = ""
    with deltafold.events(response, layers="all") as events:
        for event in events:
            if event.type == "response.refusal.delta":
                text += event.delta
        assert_type(events.outcome, Optional[deltafold.Outcome])
        assert_type(events.findings, List[deltafold.Finding])
    return text


async def narrows_in_async_events(response: httpx.Response) -> None:
    async for event in deltafold.aevents(response):
        if event.type == "error":
            assert_type(event.error["message"], str)


def takes_any_event(event: deltafold.Event) -> str:
    assert_type(event.type, str)
    return event.type


def the_rest_is_typed(reader: deltafold.Reader) -> None:
    takes_any_event(deltafold.Event.parse("{}"))
    assert_type(reader.response.to_dict(), ResponseResource)
    assert_type(reader.response.output_text, str)
    assert_type(reader.close().name == "completed", bool)
    report = deltafold.check(b"")
    assert_type(report.ok, bool)
    data, losses = deltafold.convert(b"", "ag-ui")
    assert_type(data, bytes)
    writer = deltafold.Writer("resp_1", "m")
    assert_type(writer.message(), int)
    assert_type(writer.take(), bytes)
    headers: Dict[str, str] = {}
    reader.note_headers(headers)


def fields_of_views_are_typed(reader: deltafold.Reader) -> None:
    assert_type(reader.response.created_at, int)
    assert_type(reader.response.items[0].name, str)
    assert_type(reader.response.items[0].parts[0].refusal, str)
    assert_type(reader.response["anything"], Any)


def names_of_options_are_literals(source: SourceDialect, target: TargetDialect, name: ProfileName, **options: Unpack[ReaderOptions]) -> None:
    deltafold.convert_stream(b"", target, source, now=5, include_usage=False)
    deltafold.check(b"", profile=name, layers={"stream"})
    deltafold.events(b"", **options)
    deltafold.Reader(limits={"depth": 5, "overflow": "drop"}, profile={"extends": "openai", "exemptions": [{"rule": "SEQ-01"}]})
    assert_type(deltafold.detect(b""), Optional[SourceDialect])
    assert_type(deltafold.suggest_profile(b""), ProfileName)
    assert_type(ToolLoop({}).state, Literal["ready", "waiting", "finished", "stopped"])


def typed_options(source: bytes) -> None:
    deltafold.Reader(limits={"depth": 8}, profile={"extends": "any", "exemptions": [{"rule": "SEQ-03"}]})
    options: ConvertOptions = {"thread_id": "t", "media": "activity", "framing": "jsonl"}
    deltafold.convert(source, "ag-ui", **options)
