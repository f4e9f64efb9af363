"""The types that type checkers infer for `match` on event classes; Python 3.10 and later. Checked by mypy and pyright, and run by test_event.py."""

import sys

if sys.version_info >= (3, 11):
    from typing import assert_type
else:
    from typing_extensions import assert_type

from deltafold.types import CompletedEvent, OutputTextDeltaEvent, OutputTextDoneEvent, ResponseResource, StreamEvent, UnknownEvent


def text_of(event: StreamEvent) -> str:
    match event:
        case OutputTextDeltaEvent(delta=delta):
            assert_type(delta, str)
            return delta
        case OutputTextDoneEvent():
            assert_type(event.text, str)
            return event.text
        case CompletedEvent(response=response):
            assert_type(response, ResponseResource)
            return "completed"
        case UnknownEvent():
            return "unknown"
        case _:
            return event.type
