"""The native half of deltafold."""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from types import TracebackType
from typing import Any, Literal, final

from .types import ResponseResource, StreamEvent

# Any object that gives its bytes: bytes, bytearray, memoryview, array, mmap.
_Bytes = Any
_Json = Any
_Layer = Literal["framing", "schema", "stream"]
_Severity = Literal["error", "warning", "note"]
_Unfinished = Literal["include", "omit", "mark"]
_OutcomeName = Literal["completed", "incomplete", "failed", "cancelled", "truncated"]

__all__ = [
    "Converter",
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
    "PartialJson",
    "Reader",
    "Response",
    "SseDecoder",
    "StrictViolation",
    "Writer",
    "__version__",
    "_event",
    "_main",
    "_request",
    "detect",
    "dialects",
    "partial_json",
    "profiles",
    "validate",
]

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

class Event:
    """One event of a stream.

    Every wire field is an attribute (`event.delta`) and an item (`event["delta"]`); one that the event does not have is an
    AttributeError or a KeyError. Fields are converted when they are asked for. `raw` is the exact payload text.
    """

    __match_args__ = ("type",)
    @staticmethod
    def parse(payload: _Json, /) -> StreamEvent:
        """Reads an event from JSON text, as it stands in a log or a test."""
    @property
    def type(self) -> str:
        """The wire name, such as "response.output_text.delta"; "" if the payload has none."""
    @property
    def kind(self) -> str:
        """The wire name in the contract that `type` is read as: the same, or what an alias stands for; "extension" for a
        `slug:name`, "unknown" for anything else.
        """
    @property
    def raw(self) -> str:
        """The exact payload text."""
    @property
    def frame_name(self) -> str | None:
        """The frame's `event:` line; None without one."""
    @property
    def index(self) -> int:
        """Position of the event in the stream, from 0."""
    @property
    def offset(self) -> int:
        """Byte offset of the payload from the start of the stream."""
    @property
    def is_extension(self) -> bool:
        """Whether the type is a `slug:name` of its sender's own."""
    def to_dict(self) -> Any:
        """The payload as a new dict; empty if it is no JSON object."""
    def model_dump(self) -> Any:
        """The same as `to_dict()`, by the name that pydantic's models have."""
    def to_json(self) -> str:
        """The exact payload text; the same as `raw`."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def keys(self) -> KeysView[str]:
        """The names of the wire fields, in order."""
    def values(self) -> ValuesView[Any]:
        """The values of the wire fields, in order."""
    def items(self) -> ItemsView[str, Any]:
        """The wire fields with their values, in order."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __dir__(self) -> list[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Event: ...
    def __deepcopy__(self, _memo: Any) -> Event: ...

@final
class Events:
    """The events that a chunk completes, each read when it is asked for."""

    def __iter__(self) -> Events: ...
    def __next__(self) -> StreamEvent: ...

@final
class Finding:
    """One rule that the stream broke, or one repair that was made."""

    __match_args__ = ("rule", "severity", "message")
    def __new__(
        cls,
        rule: str,
        severity: str,
        layer: str,
        event_index: int | None,
        sequence_number: int | None,
        offset: int,
        path: str,
        message: str,
        repair: str | None,
    ) -> Finding: ...
    @property
    def rule(self) -> str:
        """Id of the rule, such as "SEQ-01"."""
    @property
    def severity(self) -> _Severity:
        """"error", "warning" or "note"."""
    @property
    def layer(self) -> Literal["framing", "schema", "stream", "transport"]:
        """"framing", "schema", "stream" or "transport"."""
    @property
    def event_index(self) -> int | None:
        """Position of the event in the stream, from 0; None outside any event."""
    @property
    def sequence_number(self) -> int | None:
        """The event's own number, or None."""
    @property
    def offset(self) -> int:
        """Byte offset from the start of the stream."""
    @property
    def path(self) -> str:
        """JSON pointer into the payload; "" for the whole."""
    @property
    def message(self) -> str:
        """What was expected and what was found, without payload text."""
    @property
    def repair(self) -> str | None:
        """What was done about it, such as "opened_item", or None."""
    def to_dict(self) -> dict[str, Any]:
        """The finding as a new dict."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Failure:
    """An error as a stream reports it: nested, flat or mixed on the wire, one shape here."""

    __match_args__ = ("type", "code", "message")
    def __new__(cls, type: str = "", code: str = "", message: str = "", param: str | None = None) -> Failure: ...
    @property
    def type(self) -> str:
        """Class of the error, such as "server_error"; "" where the stream has none."""
    @property
    def code(self) -> str:
        """Exact cause; "" where the stream has none."""
    @property
    def message(self) -> str:
        """Text for people."""
    @property
    def param(self) -> str | None:
        """The request parameter concerned, or None."""
    def to_dict(self) -> dict[str, Any]:
        """The error as a new dict."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Outcome:
    """How a stream ended. Equal to its own name: `outcome == "completed"`."""

    __match_args__ = ("name", "reason")
    def __new__(
        cls,
        name: str,
        reason: str | None = None,
        error: Failure | None = None,
        last_sequence_number: int | None = None,
    ) -> Outcome: ...
    @property
    def name(self) -> _OutcomeName:
        """"completed", "incomplete", "failed", "cancelled" or "truncated"."""
    @property
    def reason(self) -> str | None:
        """Why the response is incomplete; None for every other outcome."""
    @property
    def error(self) -> Failure | None:
        """What failed; None for every other outcome."""
    @property
    def last_sequence_number(self) -> int | None:
        """Where to resume after, if the stream was truncated; else None."""
    def to_dict(self) -> dict[str, Any]:
        """The outcome as a new dict: `outcome` with its name, and beside it what there is to say."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Reader:
    """Reads a stream: bytes in, cut anywhere; events, findings and the response out.

    Nothing that a server sends raises: it is a finding, and reading goes on. Only a limit (LimitExceeded), a call that may
    not be made now (Misuse) or, if `strict`, a broken rule (StrictViolation) ends it; then every call raises the same until
    `reset`. One reader reads one stream. Threads may share it; a reader for each is faster.
    """

    def __new__(
        cls,
        *,
        strict: bool | None = None,
        quote: bool | None = None,
        without_terminal: bool | None = None,
        profile: str | Mapping[str, Any] | None = None,
        edition: str | None = None,
        layers: Literal["all", "none"] | Iterable[_Layer] | None = None,
        images: Literal["keep-last", "keep", "drop"] | None = None,
        starting_after: int | None = None,
        limits: Mapping[str, int | str] | None = None,
        schemas: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Reader:
        """Makes a reader.

        strict: end reading at the first finding that is an error.
        quote: let findings quote short pieces of the payload.
        without_terminal: rebuild the response from the events alone.
        profile: a provider's name, or a profile as a dict: what each rule weighs.
        edition: the edition to validate against.
        layers: which layers of validation look at the stream: "all", "none", or names out of "framing", "schema", "stream".
        images: what happens to preview images: "keep-last", "keep" or "drop".
        starting_after: the stream is a replay of what came after this number.
        limits: bounds on memory, depth and count, by name.
        schemas: JSON schemas of extension types: {"events": {type: schema}, "items": {type: schema}}.
        """
    @staticmethod
    def restore(
        saved: _Bytes,
        /,
        *,
        strict: bool | None = None,
        quote: bool | None = None,
        without_terminal: bool | None = None,
        profile: str | Mapping[str, Any] | None = None,
        edition: str | None = None,
        layers: Literal["all", "none"] | Iterable[_Layer] | None = None,
        images: Literal["keep-last", "keep", "drop"] | None = None,
        starting_after: int | None = None,
        limits: Mapping[str, int | str] | None = None,
        schemas: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Reader:
        """Takes a saved state up again; `options` are those of the constructor.

        Feed it the bytes of the new connection: events that were read before are dropped with a finding.
        """
    def feed(self, chunk: _Bytes, /) -> Events:
        """Takes a chunk, cut anywhere, and returns an iterator over the events that it completes.

        Each event is read when it is asked for, and `response` and `findings` then stand where it stands. What is not asked
        for is read when the iterator is dropped, so `reader.feed(chunk)` alone folds the chunk.
        """
    def feed_json(self, message: _Json) -> Events:
        """Takes one message that is JSON already: a WebSocket message, a line of a log. Returns an iterator, as `feed` does."""
    def end(self) -> Events:
        """Says that no more will come, and returns an iterator over what a missing blank line held back."""
    def close(self) -> Outcome:
        """Ends the input, reads what is left, and says how the stream ended. May be called again: the answer stays.

        Raises what ended reading, if a limit or a rule of a strict reader did.
        """
    def reset(self) -> None:
        """Makes the reader new; options stay."""
    def save(self) -> bytes:
        """The state after the last event that was read, as bytes to store; `restore` takes it up.

        What was fed and not read is not in it: a new connection starts at a frame.
        """
    def note_request(self, request: _Json) -> None:
        """Takes the request that the stream answers, as a dict or JSON text, for the rules about both."""
    def note_headers(
        self, headers: Mapping[str, str] | Iterable[tuple[Any, Any]], status: int | None = None
    ) -> None:
        """Takes HTTP headers, a mapping or pairs; with `status` the validator checks the rules about both. Rate limits are kept."""
    @property
    def response(self) -> Response:
        """The response so far: a live view, which shows what has been read when it is asked."""
    @property
    def findings(self) -> list[Finding]:
        """What was wrong with the stream so far, the first so many (limit `findings`), as a new list."""
    @property
    def finding_count(self) -> int:
        """How many findings there were, kept or not."""
    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended, once a terminal event or `close` has said so; else None."""
    @property
    def usage(self) -> dict[str, Any] | None:
        """Token counts as a dict, once a terminal event has them; else None."""
    @property
    def last_sequence_number(self) -> int | None:
        """The newest sequence number: where to resume after. None if there was none."""
    @property
    def event_count(self) -> int:
        """How many events were read."""
    @property
    def activity(self) -> int:
        """A number that moves with any sign of life: bytes, comments, blank frames, keepalives, events."""
    @property
    def saw_done(self) -> bool:
        """Whether `[DONE]` was read."""
    @property
    def last_event_id(self) -> str:
        """The last event id of the SSE layer; "" if there is none."""
    @property
    def retry(self) -> int | None:
        """The reconnection time that the stream asked for, in milliseconds, or None."""
    @property
    def rate_limits(self) -> dict[str, Any]:
        """Rate limits from headers and events: a dict with `headers`, `event` and `retry_after_seconds`."""
    @property
    def offset(self) -> int:
        """Bytes read since the start."""
    def __enter__(self) -> Reader: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        _error: BaseException | None = None,
        _traceback: TracebackType | None = None,
        /,
    ) -> None: ...

@final
class Response:
    """The response so far: a snapshot before its terminal event, the response after it.

    A live view: it shows what the reader has read when it is asked. Every wire field is an attribute and an item;
    `to_dict()` makes a copy that stays as it is.
    """

    @property
    def id(self) -> str:
        """The response's id; "" before the first snapshot."""
    @property
    def status(self) -> str:
        """The status word; "" before the first snapshot."""
    @property
    def model(self) -> str:
        """The model's name; "" before the first snapshot."""
    @property
    def output_text(self) -> str:
        """The texts of all `output_text` parts of all messages, joined."""
    @property
    def items(self) -> list[Item]:
        """The output items as live views, in order. `response["output"]` has them as dicts."""
    @property
    def output(self) -> list[dict[str, Any]]:
        """The output items as dicts, in order."""
    @property
    def usage(self) -> dict[str, Any] | None:
        """Token counts as a dict, once a terminal event has them; else None."""
    @property
    def error(self) -> dict[str, Any] | None:
        """The error of a failed response as a dict; else None."""
    @property
    def incomplete_details(self) -> dict[str, Any] | None:
        """Why the response is incomplete, as a dict; else None."""
    def item_at_index(self, output_index: int) -> Item | None:
        """The item that an `output_index` of the stream routes to; None if there is none."""
    def to_dict(self) -> ResponseResource:
        """The whole response as a new dict."""
    def model_dump(self) -> ResponseResource:
        """The same as `to_dict()`, by the name that pydantic's models have."""
    def to_json(self) -> str:
        """The whole response as JSON text."""
    def to_openai(self) -> Any:
        """The response as the openai package has it. Raises ImportError without that package."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def keys(self) -> KeysView[str]:
        """The names of the wire fields, in order."""
    def __getattribute__(self, name: str, /) -> Any: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

@final
class Item:
    """One output item, growing or done: a live view."""

    @property
    def type(self) -> str:
        """The item's type, such as "message"."""
    @property
    def id(self) -> str:
        """The item's id; "" if it has none."""
    @property
    def status(self) -> str:
        """The item's status; "" for types that have none."""
    @property
    def is_done(self) -> bool:
        """Whether the item is finished."""
    @property
    def arguments(self) -> str:
        """The text of a tool call so far: its `arguments`, `input` or `code`; "" for other items."""
    def partial_arguments(self) -> Any:
        """The arguments so far as a value: open containers are closed, an open string is included as far as it goes, an open
        number or literal is left out. None before the first character of a value.
        """
    @property
    def text(self) -> str:
        """The texts of all `output_text` parts, joined."""
    @property
    def parts(self) -> list[Part]:
        """The parts of `content` as live views."""
    @property
    def summary_parts(self) -> list[Part]:
        """The parts of `summary` as live views."""
    @property
    def partial_images(self) -> list[tuple[int, str]]:
        """Preview images so far: number and base64 text, as the reader's `images` keeps them."""
    def to_dict(self) -> dict[str, Any]:
        """The whole item as a new dict."""
    def to_json(self) -> str:
        """The whole item as JSON text."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def keys(self) -> KeysView[str]:
        """The names of the wire fields, in order."""
    def __getattribute__(self, name: str, /) -> Any: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

@final
class Part:
    """One part of an item's content or summary: a live view."""

    @property
    def type(self) -> str:
        """The part's type, such as "output_text"."""
    @property
    def text(self) -> str:
        """The part's text so far; for a refusal, its words."""
    def partial_json(self) -> Any:
        """The text as a JSON value that is still growing, for structured output. None before the first character of a value."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def __getattribute__(self, name: str, /) -> Any: ...
    def __getitem__(self, key: str, /) -> Any: ...

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

    def __new__(cls, *, limits: Mapping[str, int | str] | None = None) -> SseDecoder: ...
    def feed(self, chunk: _Bytes) -> list[Frame]:
        """Takes a chunk and returns the frames that it completes.

        Raises LimitExceeded past a limit, and again on every call until reset. Frames that the chunk completes before
        that are returned first; the next call raises.
        """
    def reset(self) -> None:
        """Makes the decoder as new: nothing pending, no last event id, offset 0."""

def _event(raw: str, frame_name: str | None, index: int, offset: int, /) -> StreamEvent:
    """Makes an event again from what `__reduce__` gave."""

@final
class Converter:
    """Turns one dialect's stream into another's, chunk by chunk, with a report of what could not be carried."""

    def __new__(cls, to: str, from_: str | None = None, *, framing: Literal["sse", "jsonl"] | None = None, limits: Mapping[str, int | str] | None = None, **options: Any) -> Converter: ...
    def feed(self, chunk: _Bytes) -> bytes:
        """Takes bytes of the source, cut anywhere, and returns the target's bytes that they give."""
    def close(self) -> bytes:
        """Says that the input has ended, and returns the last bytes."""
    def cancel(self) -> bytes:
        """Ends the response from outside, as one with the reason "cancelled", and returns the last bytes."""
    def take(self) -> bytes:
        """Takes the bytes that were ready when a call raised."""
    def report(self) -> dict[str, Any]:
        """What was lost, repaired or assumed: a dict with `from`, `to`, `lost` and `findings`."""
    @property
    def lost(self) -> int:
        """How many things were lost."""
    @property
    def from_(self) -> str | None:
        """The dialect that is read; None while it is not known."""
    @property
    def to(self) -> str:
        """The dialect that is written."""

@final
class PartialJson:
    """Reads JSON text that keeps growing; the value so far can be looked at after each piece."""

    def __new__(cls, *, strings: _Unfinished | None = None, numbers: _Unfinished | None = None, literals: _Unfinished | None = None, depth: int | None = None, notes: bool | None = None) -> PartialJson: ...
    def push(self, piece: str, /) -> None:
        """Adds text. Raises DeltafoldError where it stops being JSON; the value up to there stays."""
    def finish(self) -> None:
        """Says that no more will come. Raises DeltafoldError if the text is no whole JSON document."""
    def reset(self) -> None:
        """Starts again; options stay."""
    def to_json(self) -> str | None:
        """The value so far as JSON text, numbers as they were written; None if none has begun to show."""
    def clear_changes(self) -> None:
        """Forgets the changes."""
    @property
    def changes(self) -> list[list[str]]:
        """What changed since `clear_changes()`, if `notes` is on: lists of the JSON pointer, "started", "appended" or "finished", and
        the type or text.
        """
    @property
    def is_complete(self) -> bool:
        """Whether the document is whole."""
    @property
    def unfinished(self) -> tuple[str, str] | None:
        """The value that is unfinished: its JSON pointer and type; None if there is none."""
    @property
    def value(self) -> Any:
        """The value so far; None if none has begun to show."""

@final
class Writer:
    """Writes one response as a stream that cannot be wrong.

    Intents say what happens; each writes every event that it takes, or raises Misuse and writes nothing. Numbers, indexes,
    parts, done events and the closing of whatever is open are the writer's own business. `take()` gives the SSE bytes
    since the last time, `poll_event()` the JSON text of one event. An intent about an item means the newest one, unless
    `item` names another by the output index that opening it returned.
    """

    def __new__(cls, id: str, model: str | None = None, created_at: int | None = None, *, template: Mapping[str, Any] | None = None, request: Mapping[str, Any] | None = None, dialect: Literal["open_responses", "openai"] | None = None, edition: str | None = None, heartbeat: Literal["comment", "keepalive", "off"] | None = None) -> Writer: ...
    @staticmethod
    def intents() -> list[str]:
        """The words of all intents beside the item types."""
    def apply(self, intent: _Json, /) -> int | None:
        """Carries out an intent given as a dict or JSON text, `{"do": word, …}`; gives the output index of an item that was opened."""
    def queue(self) -> None:
        """Writes `response.created` and `response.queued`: the response waits until `start`."""
    def start(self) -> None:
        """Writes `response.created` and `response.in_progress`. Any other intent does so by itself."""
    def now(self, seconds: int) -> None:
        """Tells the time in whole seconds, for `completed_at`."""
    def set_field(self, key: str, value: Any) -> None:
        """Sets a response field for the snapshots to come."""
    def message(self, **fields: Any) -> int:
        """Opens a message; its output index."""
    def reasoning(self, **fields: Any) -> int:
        """Opens reasoning; its output index."""
    def function_call(self, **fields: Any) -> int:
        """Opens a function call, with `call_id` and `name`; its output index."""
    def custom_tool_call(self, **fields: Any) -> int:
        """Opens a custom tool call, with `call_id` and `name`; its output index."""
    def function_call_output(self, **fields: Any) -> int:
        """Writes the output of a function call whole, with `call_id` and `output`; its output index."""
    def open(self, type: str, **fields: Any) -> int:
        """Opens an item of any type, also a `slug:name` of one's own; its output index."""
    def item(self, item: Mapping[str, Any]) -> int:
        """Writes a whole item at once, given as a dict; its output index."""
    def text(self, text: str, *, item: int | None = None) -> None:
        """Adds text to a message; opens a text part if none is open."""
    def refusal(self, text: str, *, item: int | None = None) -> None:
        """Adds text to a refusal; opens a refusal part if none is open."""
    def reasoning_text(self, text: str, *, item: int | None = None) -> None:
        """Adds raw reasoning."""
    def reasoning_summary(self, text: str, *, item: int | None = None) -> None:
        """Adds to the summary of reasoning."""
    def part(self, type: str, *, item: int | None = None) -> None:
        """Opens a part of this type."""
    def set_on_part(self, key: str, value: Any, *, item: int | None = None) -> None:
        """Sets a field of the open part."""
    def annotation(self, annotation: Mapping[str, Any], *, item: int | None = None) -> None:
        """Adds an annotation to the open text part."""
    def logprobs(self, logprobs: Iterable[Mapping[str, Any]], *, item: int | None = None) -> None:
        """Adds log probabilities to the open text part."""
    def close_part(self, *, item: int | None = None) -> None:
        """Closes the open part."""
    def arguments(self, text: str, *, item: int | None = None) -> None:
        """Adds to the arguments of a call."""
    def input(self, text: str, *, item: int | None = None) -> None:
        """Adds to the input of a custom tool call."""
    def code(self, text: str, *, item: int | None = None) -> None:
        """Adds to the code of a code interpreter call."""
    def diff(self, text: str, *, item: int | None = None) -> None:
        """Adds to the diff of a patch call."""
    def command(self, *, item: int | None = None) -> None:
        """Begins the next command of a shell call."""
    def command_text(self, text: str, *, item: int | None = None) -> None:
        """Adds to the command of a shell call."""
    def shell_outcome(self, outcome: Mapping[str, Any], *, item: int | None = None) -> None:
        """Says how the command of a shell call ended."""
    def progress(self, state: str, *, item: int | None = None) -> None:
        """Takes the next step of a hosted tool, such as "searching"."""
    def encrypted_content(self, text: str, *, item: int | None = None) -> None:
        """Sets the encrypted content of reasoning."""
    def set(self, key: str, value: Any, *, item: int | None = None) -> None:
        """Sets a field of an item."""
    def shell_output(self, *, stdout: str | None = None, stderr: str | None = None, item: int | None = None) -> None:
        """Adds to what the command of a shell call printed."""
    def partial_image(self, base64: str, *, item: int | None = None, **fields: Any) -> None:
        """Writes a preview of an image, base64; `fields` are further fields of its event."""
    def close(self, status: str | None = None, *, item: int | None = None) -> None:
        """Closes an item: "completed" (default), "incomplete" or "failed"."""
    def extension_event(self, type: str, **fields: Any) -> None:
        """Writes an event that its sender defines: `slug:name` with any fields but `type`, `sequence_number` and `error`."""
    def event(self, type: str, **fields: Any) -> None:
        """Writes an event of the contract that says nothing of the response: audio, the images API, WebSocket control."""
    def usage(self, usage: Mapping[str, Any]) -> None:
        """Sets the token counts that the terminal event will carry."""
    def complete(self, usage: Mapping[str, Any] | None = None) -> None:
        """Ends the response well: closes what is open, then `response.completed` and `[DONE]`."""
    def incomplete(self, reason: str, usage: Mapping[str, Any] | None = None) -> None:
        """Ends the response early, for this reason: `response.incomplete` and `[DONE]`."""
    def cancel(self) -> None:
        """Ends the response because its caller wants no more: everything open ends incomplete, the reason is "cancelled"."""
    def error(self, error: Mapping[str, Any]) -> None:
        """Writes an `error` event, from a dict with `message` and, if need be, `type`, `code`, `param`, `headers`. Only `fail` may
        follow.
        """
    def fail(self, error: Mapping[str, Any]) -> None:
        """Ends the response because something broke: `error`, if none was written, `response.failed` and `[DONE]`."""
    def heartbeat(self) -> None:
        """Writes a sign of life, as the option `heartbeat` says."""
    def take(self) -> bytes:
        """Takes all bytes written since the last take: whole SSE frames."""
    def poll_event(self) -> str | None:
        """Takes the JSON text of the next event, as a WebSocket wants it; None if there is none."""
    def response_json(self) -> str:
        """The response so far as JSON text."""
    def is_open(self, item: int | None = None) -> bool:
        """Whether an item is open. None means the newest one."""
    @property
    def is_ended(self) -> bool:
        """Whether a terminal event was written."""
    @property
    def is_drained(self) -> bool:
        """Whether everything written has been taken."""
    @property
    def is_started(self) -> bool:
        """Whether anything was written."""
    @property
    def sequence_number(self) -> int:
        """The number that the next event gets."""
    @property
    def item_count(self) -> int:
        """How many items there are."""
    @property
    def response(self) -> dict[str, Any]:
        """The response so far as a new dict: what a snapshot would carry now."""

def detect(start: _Bytes, /) -> str | None:
    """Names the dialect that the first bytes of a stream belong to; None if more are needed or none fits."""

def dialects() -> tuple[list[str], list[str]]:
    """The names of all dialects: those that can be read, and those that can be written."""

def partial_json(text: str, /, *, strings: _Unfinished | None = None, numbers: _Unfinished | None = None, literals: _Unfinished | None = None, depth: int | None = None) -> Any:
    """Reads JSON text that may be cut anywhere and returns the value so far; None if none has begun to show.

    What stands behind invalid JSON is ignored. The options are those of PartialJson, which is for text that keeps growing.
    """

def profiles() -> list[str]:
    """The names of the built-in profiles."""

def validate(what: str, value: _Json, /, *, edition: str | None = None, status: int | None = None, schemas: Mapping[str, Mapping[str, Any]] | None = None) -> list[Finding]:
    """Checks a dict or JSON text as what it is said to be: "event", "response", "item", "input_item", "request",
    "compact_request", "compact_response", "websocket_create", "websocket_error", "error", "request_head" or "response_head".
    """

def _request(what: str, value: _Json, /) -> dict[str, Any]:
    """Does what a name says to a dict or JSON text, and gives a dict."""

def _main(arguments: list[str], /) -> int:
    """Runs the command line with these arguments; the exit code."""
