"""Reads LLM response streams: bytes in, cut anywhere; events, findings and the response out.

>>> import deltafold
>>> reader = deltafold.Reader()
>>> for event in reader.feed(b'data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"}\\n\\n'):
...     print(event.type, event.delta)
response.output_text.delta Hi
>>> reader.response.output_text
'Hi'
>>> reader.close() == "truncated"
True
"""

from collections.abc import Mapping

from ._native import (
    DeltafoldError,
    Event,
    Events,
    Failure,
    Finding,
    Frame,
    Item,
    LimitExceeded,
    Misuse,
    Outcome,
    Part,
    Reader,
    Response,
    SseDecoder,
    StrictViolation,
    __version__,
)
from ._sources import aevents, events

# `isinstance(event, Mapping)` holds, and `match` takes an event apart by its keys.
Mapping.register(Event)

__all__ = [
    "DeltafoldError",
    "Event",
    "Events",
    "Failure",
    "Finding",
    "Frame",
    "Item",
    "LimitExceeded",
    "Misuse",
    "Outcome",
    "Part",
    "Reader",
    "Response",
    "SseDecoder",
    "StrictViolation",
    "__version__",
    "aevents",
    "events",
]
