"""The native half of deltafold."""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from types import TracebackType
from typing import Any, Dict, Literal, Type, final

from typing_extensions import Unpack

from ._outcome import Outcome
from .names import Edition, Layer, ProfileName, SourceDialect, TargetDialect
from .options import AdapterOptions, CustomProfile, ExtensionSchemas, Limits
from .types import ItemFields, PartFields, ResponseFields, ResponseResource, StreamEvent

# Any object with the buffer protocol: bytes, bytearray, memoryview, array, mmap.
_Bytes = Any
_Json = Any
_Severity = Literal["error", "warning", "note"]
_Target = Literal[
    "event",
    "response",
    "item",
    "input_item",
    "request",
    "compact_request",
    "compact_response",
    "token_count",
    "websocket_create",
    "websocket_error",
    "error",
    "request_head",
    "response_head",
]
_Unfinished = Literal["include", "omit", "mark"]

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
    "Part",
    "PartialJson",
    "Reader",
    "Response",
    "SseDecoder",
    "StrictViolation",
    "Writer",
    "__version__",
    "_event",
    "_event_classes",
    "_main",
    "_request",
    "_ToolLoop",
    "detect",
    "dialects",
    "is_success_status",
    "is_terminal_status",
    "is_valid_extension_type",
    "partial_json",
    "profiles",
    "suggest_profile",
    "validate",
]

__version__: str

class DeltafoldError(Exception):
    """The base of all exceptions of deltafold. `code` names the error, `offset` is its byte position."""

    code: str
    offset: int

class LimitExceeded(DeltafoldError):
    """A limit was exceeded."""

class StrictViolation(DeltafoldError):
    """The stream breaks a rule, and the reader is strict."""

class Misuse(DeltafoldError):
    """A call with an invalid argument or in an invalid state."""

class Event:
    """One event of a stream.

    Every wire field is an attribute (`event.delta`) and an item (`event["delta"]`); a missing field raises
    AttributeError or KeyError. A field is converted when it is read. `raw` is the exact payload text. Each kind of
    event has a subclass in `deltafold.types`, such as `OutputTextDeltaEvent`.
    """

    __match_args__ = ("type",)
    @staticmethod
    def parse(payload: _Json, /) -> StreamEvent:
        """Parses an event from JSON text, for example a line of a log."""
    @property
    def type(self) -> str:
        """The wire name, such as "response.output_text.delta"; "" if the payload has no type."""
    @property
    def kind(self) -> str:
        """The kind of the event: the wire name, with aliases of `type` resolved; "extension" for a
        `slug:name`, "unknown" for any other type.
        """
    @property
    def raw(self) -> str:
        """The exact payload text."""
    @property
    def frame_name(self) -> str | None:
        """The `event:` line of the frame; None if it has none."""
    @property
    def index(self) -> int:
        """Position of the event in the stream, from 0."""
    @property
    def offset(self) -> int:
        """Byte offset of the payload from the start of the stream."""
    @property
    def sequence_number(self) -> int | None:
        """The sequence number that the server gave the event; None if the event has none."""
    @property
    def is_extension(self) -> bool:
        """True if the type is an extension, `slug:name`."""
    def to_dict(self) -> Any:
        """The payload as a new dict; empty if the payload is not a JSON object."""
    def model_dump(self) -> Any:
        """The same as `to_dict()`, under the name that pydantic models use."""
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

_event_classes: Dict[str, Type[Event]]
"""The class of each kind; `deltafold.types` has them by name."""

@final
class Events:
    """An iterator over the events that a chunk completes; reads one event at a time."""

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
        """The sequence number of the event, or None."""
    @property
    def offset(self) -> int:
        """Byte offset from the start of the stream."""
    @property
    def path(self) -> str:
        """JSON pointer into the payload; "" for the whole payload."""
    @property
    def message(self) -> str:
        """The expectation and the value that was found, without payload text."""
    @property
    def repair(self) -> str | None:
        """The repair that was made, such as "opened_item", or None."""
    def to_dict(self) -> dict[str, Any]:
        """The finding as a new dict."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Failure:
    """The error of a failed stream, in the same shape for every form on the wire."""

    __match_args__ = ("type", "code", "message")
    def __new__(
        cls, type: str = "", code: str = "", message: str = "", param: str | None = None, status: int | None = None
    ) -> Failure: ...
    @property
    def type(self) -> str:
        """Type of the error, such as "server_error"; "" if the stream has none."""
    @property
    def code(self) -> str:
        """Code of the error; "" if the stream has none."""
    @property
    def message(self) -> str:
        """Message of the error."""
    @property
    def param(self) -> str | None:
        """The request parameter that caused the error, or None."""
    @property
    def status(self) -> int | None:
        """The status of the HTTP response, or None if it is unknown."""
    def to_dict(self) -> dict[str, Any]:
        """The error as a new dict; `status` is in it only if it is known."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Reader:
    """Reads a stream: takes bytes, split anywhere; returns events, findings and the response.

    Invalid data from a server does not raise: it becomes a finding, and reading continues. Only an exceeded limit
    (LimitExceeded) or, if `strict`, a broken rule (StrictViolation) ends reading; then every call raises the same
    exception until `reset`. A wrong call raises Misuse. A reader reads one stream. Threads may share it; one reader per
    thread is faster.
    """

    def __new__(
        cls,
        *,
        strict: bool | None = None,
        quote: bool | None = None,
        ignore_terminal_snapshot: bool | None = None,
        derive_item_ids: bool | None = None,
        profile: ProfileName | CustomProfile | None = None,
        edition: Edition | None = None,
        layers: Literal["all", "none"] | Iterable[Layer] | None = None,
        images: Literal["keep-last", "keep", "drop"] | None = None,
        starting_after: int | None = None,
        limits: Limits | None = None,
        schemas: ExtensionSchemas | None = None,
    ) -> Reader:
        """Creates a reader.

        strict: raise StrictViolation at the first finding of severity error.
        quote: allow findings to quote short parts of the payload.
        ignore_terminal_snapshot: build the response from the events alone.
        derive_item_ids: give items without an id one when the response has ended.
        profile: the severity of each rule: the name of a profile, or a profile as a dict.
        edition: the edition to validate against.
        layers: the layers that validate the stream: "all", "none", or some of "framing", "schema", "stream".
        images: which preview images are kept: "keep-last", "keep" or "drop".
        starting_after: the stream is a replay that starts after this sequence number.
        limits: bounds on memory, nesting and counts, by name.
        schemas: JSON schemas of extension types: {"events": {type: schema}, "items": {type: schema}}.
        """
    @staticmethod
    def restore(
        saved: _Bytes,
        /,
        *,
        strict: bool | None = None,
        quote: bool | None = None,
        ignore_terminal_snapshot: bool | None = None,
        derive_item_ids: bool | None = None,
        profile: ProfileName | CustomProfile | None = None,
        edition: Edition | None = None,
        layers: Literal["all", "none"] | Iterable[Layer] | None = None,
        images: Literal["keep-last", "keep", "drop"] | None = None,
        starting_after: int | None = None,
        limits: Limits | None = None,
        schemas: ExtensionSchemas | None = None,
    ) -> Reader:
        """Restores a reader from a saved state. The options are those of the constructor.

        Feed it the bytes of the new connection: events that were already read are dropped with a finding.
        """
    def feed(self, chunk: _Bytes, /) -> Events:
        """Feeds a chunk, split anywhere, and returns an iterator over the events that it completes.

        The iterator reads one event at a time; `response` and `findings` then include that event. When the iterator is
        dropped, it reads the remaining events, so `reader.feed(chunk)` alone updates the response.
        """
    def feed_json(self, message: _Json) -> Events:
        """Feeds one JSON message without SSE framing: a WebSocket message, a line of a log. Returns an iterator, as `feed` does."""
    def end(self) -> Events:
        """Ends the input, and returns an iterator over the last events: one without a blank line after it is complete now."""
    def close(self) -> Outcome:
        """Ends the input, applies every event that was not read, and returns how the stream ended. May be called again.

        Raises the exception that ended reading, if there was one; `outcome` and `response` then include everything before it.
        A last block without a blank line after it is read if its payload is complete JSON.
        """
    def reconnect(self) -> None:
        """Continues the stream over a new connection, after the old one broke. Feed the bytes of the new connection next.

        Discards bytes that were not read, including an incomplete block. Events with a sequence number up to
        `last_sequence_number` are dropped with a finding, so the server may replay them. Offsets count the bytes of the new
        connection. Raises Misuse after `close`.
        """
    def reset(self) -> None:
        """Resets the reader to its initial state; the options stay."""
    def save(self) -> bytes:
        """Saves the state after the last event that was read, as bytes for `restore`.

        The state does not include bytes that were fed and not read, because a new connection starts at a frame.
        """
    def note_request(self, request: _Json) -> None:
        """Sets the request of the stream, as a dict or JSON text, for the rules that compare request and response."""
    def note_headers(
        self, headers: Mapping[str, str] | Iterable[tuple[Any, Any]], status: int | None = None
    ) -> None:
        """Sets the HTTP headers, as a mapping or pairs. The reader records rate limits; with `status` the validator also checks the transport rules."""
    @property
    def response(self) -> Response:
        """The response so far, as a live view on the reader."""
    @property
    def findings(self) -> list[Finding]:
        """The findings so far as a new list; the limit `findings` bounds how many are kept."""
    @property
    def finding_count(self) -> int:
        """Number of findings, kept or not."""
    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended; None before a terminal event or `close`."""
    @property
    def usage(self) -> dict[str, Any] | None:
        """Token counts as a dict; None before a terminal event that has them."""
    @property
    def last_sequence_number(self) -> int | None:
        """The newest sequence number; a resumed stream starts after it. None if there was none."""
    @property
    def event_count(self) -> int:
        """Number of events that were read."""
    @property
    def activity(self) -> int:
        """A counter that grows with any input: bytes, comments, blank frames, keepalives, events."""
    @property
    def saw_done(self) -> bool:
        """True if `[DONE]` was read."""
    @property
    def last_event_id(self) -> str:
        """The last event id of the SSE layer; "" if there is none."""
    @property
    def retry(self) -> int | None:
        """The reconnection time that the stream requested, in milliseconds; or None."""
    @property
    def rate_limits(self) -> dict[str, Any]:
        """Rate limits from headers and events: a dict with `headers`, `event` and `retry_after_seconds`."""
    @property
    def offset(self) -> int:
        """Number of bytes read since the start."""
    def __enter__(self) -> Reader: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        _error: BaseException | None = None,
        _traceback: TracebackType | None = None,
        /,
    ) -> None: ...

@final
class Response(ResponseFields):
    """The response so far: a snapshot before its terminal event, the response after it.

    A live view: an access reads the current state of the reader. Every wire field is an attribute and an item;
    `to_dict()` returns an independent copy.
    """

    @property
    def id(self) -> str:
        """The id of the response; "" before the first snapshot."""
    @property
    def status(self) -> str:
        """The status; "" before the first snapshot."""
    @property
    def model(self) -> str:
        """The name of the model; "" before the first snapshot."""
    @property
    def output_text(self) -> str:
        """The concatenated text of all `output_text` parts of all messages."""
    @property
    def items(self) -> list[Item]:
        """The output items as live views, in order. `response["output"]` has them as dicts."""
    @property
    def output(self) -> list[dict[str, Any]]:
        """The output items as dicts, in order."""
    @property
    def usage(self) -> dict[str, Any] | None:
        """Token counts as a dict; None before a terminal event that has them."""
    @property
    def error(self) -> dict[str, Any] | None:
        """The error of a failed response as a dict; otherwise None."""
    @property
    def incomplete_details(self) -> dict[str, Any] | None:
        """Why the response is incomplete, as a dict; otherwise None."""
    def item_at_index(self, output_index: int) -> Item | None:
        """The item with an `output_index` of the stream; None if there is none."""
    def to_dict(self) -> ResponseResource:
        """The whole response as a new dict."""
    def model_dump(self) -> ResponseResource:
        """The same as `to_dict()`, under the name that pydantic models use."""
    def to_json(self) -> str:
        """The whole response as JSON text."""
    def _repr_html_(self) -> str:
        """A table of the output items for notebooks, without payload text."""
    def to_openai(self) -> Any:
        """The response as an `openai.types.responses.Response`; required fields that the stream did not send get neutral defaults.
        Raises Misuse if no response has begun, and ImportError without the openai package.
        """
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def keys(self) -> KeysView[str]:
        """The names of the wire fields, in order."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Item(ItemFields):
    """One output item, in progress or done, as a live view."""

    @property
    def type(self) -> str:
        """The type of the item, such as "message"."""
    @property
    def id(self) -> str:
        """The id of the item; "" if it has none."""
    @property
    def status(self) -> str:
        """The status of the item; "" for types without one."""
    @property
    def is_done(self) -> bool:
        """True if the item is done."""
    @property
    def arguments(self) -> str:
        """The text of a tool call so far: its `arguments`, `input` or `code`; "" for other items."""
    def partial_arguments(self) -> Any:
        """The arguments so far as a value: open containers are closed, an unfinished string is included, an unfinished
        number or literal is omitted. None before the value begins.
        """
    @property
    def text(self) -> str:
        """The concatenated text of all `output_text` parts."""
    @property
    def parts(self) -> list[Part]:
        """The parts of `content` as live views."""
    @property
    def summary_parts(self) -> list[Part]:
        """The parts of `summary` as live views."""
    @property
    def partial_images(self) -> list[tuple[int, str]]:
        """The kept preview images: number and base64 text. The option `images` of the reader selects which are kept."""
    def to_dict(self) -> dict[str, Any]:
        """The whole item as a new dict."""
    def to_json(self) -> str:
        """The whole item as JSON text."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def keys(self) -> KeysView[str]:
        """The names of the wire fields, in order."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Part(PartFields):
    """One part of an item's content or summary, as a live view."""

    @property
    def type(self) -> str:
        """The type of the part, such as "output_text"."""
    @property
    def text(self) -> str:
        """The text of the part so far; for a refusal, the refusal text."""
    def partial_json(self) -> Any:
        """The text so far as a JSON value, for structured output. None before the value begins."""
    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a wire field, or `default`."""
    def __getitem__(self, key: str, /) -> Any: ...

@final
class Frame:
    """One dispatched frame of an event stream."""

    @property
    def event(self) -> str:
        """The event name; "" if the frame has none."""
    @property
    def data(self) -> str:
        """The payload: all data lines, joined with a line feed."""
    @property
    def id(self) -> str:
        """The current last event id; "" if there is none."""
    @property
    def retry(self) -> int | None:
        """The current reconnection time in milliseconds, or None."""
    @property
    def offset(self) -> int:
        """Byte offset of the frame from the start of the stream."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class SseDecoder:
    """Decodes an event stream, split anywhere, into frames."""

    def __new__(cls, *, limits: Limits | None = None) -> SseDecoder: ...
    def feed(self, chunk: _Bytes) -> list[Frame]:
        """Feeds a chunk and returns the frames that it completes.

        Raises LimitExceeded past a limit, on this and every later call until reset. If the chunk completes frames
        before the limit, this call returns them and the next call raises.
        """
    def reset(self) -> None:
        """Resets the decoder to its initial state: nothing pending, no last event id, offset 0."""

def _event(raw: str, frame_name: str | None, index: int, offset: int, /) -> StreamEvent:
    """Recreates an event from the values of `__reduce__`."""

@final
class Converter:
    """Converts a stream from one dialect to another, chunk by chunk, and reports data that the target cannot express."""

    def __new__(
        cls,
        to: TargetDialect,
        from_: SourceDialect | None = None,
        *,
        framing: Literal["sse", "jsonl"] | None = None,
        limits: Limits | None = None,
        **options: Unpack[AdapterOptions],
    ) -> Converter: ...
    def feed(self, chunk: _Bytes) -> bytes:
        """Feeds bytes of the source, split anywhere, and returns the bytes of the target that are ready."""
    def close(self) -> bytes:
        """Ends the input and returns the last bytes. Call it also if the source broke off: a stream without an end gets the terminal event of a
        failure with the code "stream_truncated": `response.failed`, `RUN_ERROR`, `error`."""
    def cancel(self) -> bytes:
        """Cancels the response: it ends as incomplete with the reason "cancelled", and Open Responses that are passed on as failed. Returns the
        last bytes."""
    def take(self) -> bytes:
        """Returns the bytes that were ready when a call raised."""
    def report(self) -> dict[str, Any]:
        """The report on data that was lost, repaired or assumed: a dict with `from`, `to`, `lost` and `findings`."""
    @property
    def lost(self) -> int:
        """Number of data losses."""
    @property
    def source(self) -> SourceDialect | None:
        """The source dialect; None while it is unknown."""
    @property
    def target(self) -> TargetDialect:
        """The target dialect."""

@final
class PartialJson:
    """Parses a JSON text that arrives in pieces; the value so far is readable after each piece."""

    def __new__(cls, *, strings: _Unfinished | None = None, numbers: _Unfinished | None = None, literals: _Unfinished | None = None, depth: int | None = None, record_changes: bool | None = None) -> PartialJson: ...
    def push(self, piece: str, /) -> None:
        """Adds text. Raises DeltafoldError if the text is not JSON; the value up to the error stays readable."""
    def finish(self) -> None:
        """Ends the text. Raises DeltafoldError if it is not a complete JSON document."""
    def reset(self) -> None:
        """Discards the text; the options stay."""
    def to_json(self) -> str | None:
        """The value so far as JSON text with unchanged numbers; None before the value begins."""
    def clear_changes(self) -> None:
        """Clears the recorded changes."""
    @property
    def changes(self) -> list[list[str]]:
        """The changes since `clear_changes()`, if `record_changes` is on. Each change is a list: the JSON pointer; "started",
        "appended" or "finished"; the type or the text.
        """
    @property
    def is_complete(self) -> bool:
        """True if the document is complete."""
    @property
    def unfinished(self) -> tuple[str, str] | None:
        """The innermost unfinished value: its JSON pointer and type; None if there is none."""
    @property
    def value(self) -> Any:
        """The value so far; None before the value begins."""

@final
class Writer:
    """Writes one response as a valid stream.

    Each intent writes all its events, or raises Misuse and writes nothing. The writer assigns numbers and indexes,
    opens and closes parts and items, and writes the done events. Without `created_at`, times are those of the clock. `take()` returns the SSE bytes since the last call,
    `poll_event()` the JSON text of one event. An intent for an item refers to the newest item, unless `item` is the
    output index of another one.
    """

    def __new__(cls, id: str, model: str | None = None, created_at: int | None = None, *, template: Mapping[str, Any] | None = None, request: Mapping[str, Any] | None = None, reasoning_names: Literal["open_responses", "openai"] | None = None, edition: Edition | None = None, heartbeat: Literal["comment", "keepalive", "off"] | None = None) -> Writer: ...
    @staticmethod
    def intents() -> list[str]:
        """The names of all intents except the item types."""
    def apply(self, intent: _Json, /) -> int | None:
        """Runs an intent given as a dict or JSON text, `{"do": name, …}`; returns the output index of an item that it opened."""
    def queue(self) -> None:
        """Writes `response.created` and `response.queued`: the response is queued until `start`."""
    def start(self) -> None:
        """Writes `response.created` and `response.in_progress`. Every other intent starts the response if needed."""
    def now(self, seconds: int) -> None:
        """Sets the current time in whole seconds, for `completed_at`."""
    def set_field(self, key: str, value: Any) -> None:
        """Sets a response field for later snapshots."""
    def message(self, **fields: Any) -> int:
        """Opens a message and returns its output index."""
    def reasoning(self, **fields: Any) -> int:
        """Opens a reasoning item and returns its output index."""
    def function_call(self, **fields: Any) -> int:
        """Opens a function call with `call_id` and `name`, and returns its output index."""
    def custom_tool_call(self, **fields: Any) -> int:
        """Opens a custom tool call with `call_id` and `name`, and returns its output index."""
    def function_call_output(self, **fields: Any) -> int:
        """Writes the complete output of a function call with `call_id` and `output`, and returns its output index."""
    def open(self, type: str, **fields: Any) -> int:
        """Opens an item of any type, including extensions (`slug:name`), and returns its output index."""
    def item(self, item: Mapping[str, Any]) -> int:
        """Writes a complete item, given as a dict, and returns its output index."""
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
        """Sets how the command of a shell call ended."""
    def progress(self, state: str, *, item: int | None = None) -> None:
        """Writes the next state of a hosted tool, such as "searching"."""
    def encrypted_content(self, text: str, *, item: int | None = None) -> None:
        """Sets the encrypted content of reasoning."""
    def set(self, key: str, value: Any, *, item: int | None = None) -> None:
        """Sets a field of an item."""
    def shell_output(self, *, stdout: str | None = None, stderr: str | None = None, item: int | None = None) -> None:
        """Adds to the output of a command of a shell call."""
    def partial_image(self, base64: str, *, item: int | None = None, **fields: Any) -> None:
        """Writes a preview of an image in base64; `fields` are further fields of its event."""
    def close(self, status: str | None = None, *, item: int | None = None) -> None:
        """Closes an item: "completed" (default), "incomplete" or "failed"."""
    def extension_event(self, type: str, **fields: Any) -> None:
        """Writes an extension event: `slug:name` with any fields except `type`, `sequence_number` and `error`."""
    def event(self, type: str, **fields: Any) -> None:
        """Writes an event that does not change the response: audio, the images API, WebSocket control."""
    def usage(self, usage: Mapping[str, Any]) -> None:
        """Sets the token counts of the terminal event."""
    def complete(self, usage: Mapping[str, Any] | None = None) -> None:
        """Completes the response: closes every open item, then writes `response.completed` and `[DONE]`."""
    def incomplete(self, reason: str, usage: Mapping[str, Any] | None = None) -> None:
        """Ends the response early, with a reason: writes `response.incomplete` and `[DONE]`."""
    def cancel(self) -> None:
        """Cancels the response: every open item ends as incomplete, and the reason is "cancelled"."""
    def error(self, error: Mapping[str, Any]) -> None:
        """Writes an `error` event from a dict with `message` and optionally `type`, `code`, `param`, `headers`. Only
        `fail` may follow.
        """
    def fail(self, error: Mapping[str, Any]) -> None:
        """Fails the response: writes `error` (unless one was written), `response.failed` and `[DONE]`."""
    def heartbeat(self) -> None:
        """Writes a heartbeat in the form that the option `heartbeat` selects."""
    def take(self) -> bytes:
        """Returns all bytes written since the last call: whole SSE frames."""
    def poll_event(self) -> str | None:
        """Returns the JSON text of the next event, for WebSockets; None if there is none."""
    def response_json(self) -> str:
        """The response so far as JSON text."""
    def is_open(self, item: int | None = None) -> bool:
        """Returns whether an item is open. None means the newest one."""
    @property
    def is_ended(self) -> bool:
        """True if a terminal event was written."""
    @property
    def is_drained(self) -> bool:
        """True if all output has been taken."""
    @property
    def is_started(self) -> bool:
        """True if anything was written."""
    @property
    def sequence_number(self) -> int:
        """The sequence number of the next event."""
    @property
    def item_count(self) -> int:
        """Number of items."""
    @property
    def response(self) -> dict[str, Any]:
        """The response so far as a new dict, as the next snapshot would have it."""

def detect(start: _Bytes, /) -> SourceDialect | None:
    """Detects the dialect of a stream from its first bytes; None if more bytes are needed or no dialect matches."""

def dialects() -> tuple[list[SourceDialect], list[TargetDialect]]:
    """The names of all source dialects, and of all target dialects."""

def is_success_status(status: str, /) -> bool:
    """Whether a status of an item says that the item is complete. False for a word that is no status."""

def is_terminal_status(status: str, /) -> bool:
    """Whether a status of an item is final: no further event changes the item. False for a word that is no status."""

def is_valid_extension_type(name: str, /) -> bool:
    """Whether a name can be the type of an extension event or item: `slug:name`, with letters, digits, `_`, `-` and `.`."""

def partial_json(text: str, /, *, strings: _Unfinished | None = None, numbers: _Unfinished | None = None, literals: _Unfinished | None = None, depth: int | None = None) -> Any:
    """Parses a JSON text that may be incomplete and returns the value so far; None before the value begins.

    Ignores the text after invalid JSON. The options are those of PartialJson; use that class for text that arrives in
    pieces.
    """

def profiles() -> list[ProfileName]:
    """The names of the built-in profiles."""

def suggest_profile(
    stream: _Bytes,
    /,
    *,
    request: _Json = None,
    headers: Mapping[str, str] | Iterable[tuple[Any, Any]] | None = None,
    status: int | None = None,
) -> ProfileName:
    """The name of the built-in profile that leaves the fewest errors in a stream."""

def validate(
    what: _Target | str,
    value: _Json,
    /,
    *,
    profile: ProfileName | CustomProfile | None = None,
    edition: Edition | None = None,
    status: int | None = None,
    schemas: ExtensionSchemas | None = None,
) -> list[Finding]:
    """Checks a dict or JSON text as the named kind of object: "event", "response", "item", "input_item", "request",
    "compact_request", "compact_response", "token_count", "websocket_create", "websocket_error", "error", "request_head" or
    "response_head"; any other name is that of a schema of the contract, such as "Usage". `profile`
    sets the edition and the severities; without one, every rule counts.
    """

def _request(what: str, value: _Json, /) -> dict[str, Any]:
    """Runs the named operation on a dict or JSON text and returns a dict."""

@final
class _ToolLoop:
    """A tool loop. `deltafold/request.py` has the class for users."""

    def __new__(cls, options: _Json) -> _ToolLoop: ...
    def apply(self, response: _Json) -> dict[str, Any]:
        """Takes a response and returns the state as a dict. A step that raises changes nothing."""

    def result(self, call_id: str, result: Any) -> dict[str, Any]:
        """Takes the result of a call and returns the state as a dict."""

    def stop(self) -> dict[str, Any]:
        """Stops the loop and returns the state as a dict."""

    def state(self) -> dict[str, Any]:
        """The state as a dict."""

    def request(self) -> dict[str, Any]:
        """The next request as a dict."""

def _main(arguments: list[str], /) -> int:
    """Runs the command line with these arguments and returns the exit code."""
