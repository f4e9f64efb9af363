"""Reads LLM response streams: takes bytes, split anywhere; returns events, findings and the response.

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

import logging as _logging

from ._check import (
    Report,
    acheck,
    check,
    validate_event,
    validate_item,
    validate_request,
    validate_response,
)
from ._convert import (
    AsyncConvertedStream,
    Conversion,
    ConvertedStream,
    aconvert_stream,
    convert,
    convert_stream,
)
from ._native import (
    Converter,
    DeltafoldError,
    Event,
    Events,
    Failure,
    Finding,
    Frame,
    Item,
    LimitExceeded,
    Misuse,
    Part,
    PartialJson,
    Reader,
    Response,
    SseDecoder,
    StrictViolation,
    Writer,
    __version__,
    detect,
    dialects,
    is_success_status,
    is_terminal_status,
    is_valid_extension_type,
    partial_json,
    profiles,
    suggest_profile,
    validate,
)
from ._outcome import Outcome, OutcomeError
from ._sources import AsyncEventStream, EventStream, aevents, events

# A library must not print log records unless the program configures logging.
_logging.getLogger("deltafold").addHandler(_logging.NullHandler())

__all__ = [
    "AsyncConvertedStream",
    "AsyncEventStream",
    "Conversion",
    "ConvertedStream",
    "Converter",
    "DeltafoldError",
    "Event",
    "EventStream",
    "Events",
    "Failure",
    "Finding",
    "Frame",
    "Item",
    "LimitExceeded",
    "Misuse",
    "Outcome",
    "OutcomeError",
    "Part",
    "PartialJson",
    "Reader",
    "Report",
    "Response",
    "SseDecoder",
    "StrictViolation",
    "Writer",
    "__version__",
    "acheck",
    "aconvert_stream",
    "aevents",
    "check",
    "convert",
    "convert_stream",
    "detect",
    "dialects",
    "events",
    "is_success_status",
    "is_terminal_status",
    "is_valid_extension_type",
    "partial_json",
    "profiles",
    "suggest_profile",
    "validate",
    "validate_event",
    "validate_item",
    "validate_request",
    "validate_response",
]
