"""Reads LLM response streams: bytes in, cut anywhere; events, findings and the response out."""

from ._native import (
    DeltafoldError,
    Frame,
    LimitExceeded,
    Misuse,
    SseDecoder,
    StrictViolation,
    __version__,
)

__all__ = [
    "DeltafoldError",
    "Frame",
    "LimitExceeded",
    "Misuse",
    "SseDecoder",
    "StrictViolation",
    "__version__",
]
