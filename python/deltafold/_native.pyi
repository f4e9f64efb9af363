"""The native half of deltafold."""

from typing import Any, final

# Any object that gives its bytes: bytes, bytearray, memoryview, array, mmap.
_Bytes = Any

__all__ = ["DeltafoldError", "Frame", "LimitExceeded", "Misuse", "SseDecoder", "StrictViolation", "__version__"]

__version__: str

class DeltafoldError(Exception):
    """Any error of deltafold; `code` and `offset` say which and where."""

    code: str
    offset: int

class LimitExceeded(DeltafoldError):
    """A limit was passed."""

class StrictViolation(DeltafoldError):
    """The stream breaks a rule, and the reader is strict."""

class Misuse(DeltafoldError):
    """A call that may not be made now."""

@final
class Frame:
    """One dispatched frame of an event stream."""

    @property
    def event(self) -> str:
        """The event name; "" if the frame names none."""
    @property
    def data(self) -> str:
        """The payload: all data lines, joined with a line feed."""
    @property
    def id(self) -> str:
        """The last event id in force; "" if there is none."""
    @property
    def retry(self) -> int | None:
        """The reconnection time in force, in milliseconds, or None."""
    @property
    def offset(self) -> int:
        """Offset of the frame's first byte from the start of the stream."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class SseDecoder:
    """Decodes an event stream into frames, from chunks that may be cut anywhere."""

    def __new__(cls) -> SseDecoder: ...
    def feed(self, chunk: _Bytes) -> list[Frame]:
        """Takes a chunk and returns the frames that it completes.

        Raises LimitExceeded past a limit, and again on every call until reset. Frames that the chunk completes before
        that are returned first; the next call raises.
        """
    def reset(self) -> None:
        """Makes the decoder as new: nothing pending, no last event id, offset 0."""
