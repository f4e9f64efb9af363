"""The models of events, items and responses, and validation of structured output while it arrives. `deltafold.models` has the models.

Needs pydantic 2.7 or newer: `pip install deltafold[pydantic]`.

>>> import deltafold
>>> from deltafold.models import OutputTextDeltaEvent
>>> from deltafold.pydantic import event_model
>>> event = deltafold.Event.parse('{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,'
...                               '"content_index":0,"delta":"Hi","logprobs":[]}')
>>> model = event_model(event)
>>> isinstance(model, OutputTextDeltaEvent), model.delta
(True, 'Hi')

An object of an unknown type is an `OtherEvent` or `OtherItem`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails

from . import models
from ._native import Event, Item, PartialJson, Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .models import Model, ResponseResource

__all__ = ["Growing", "OtherEvent", "OtherItem", "event_model", "function_tool", "item_model", "response_model"]

T = TypeVar("T")


class OtherEvent(models.Model):
    """An event of a type that the contract does not have, such as an extension."""

    type: str = ""


class OtherItem(models.Model):
    """An item of a type that the contract does not have, such as an extension."""

    type: str = ""


def event_model(event: Event | Mapping[str, Any] | str) -> Model:
    """Returns the model of an event, given as an `Event`, a dict or JSON text; an `OtherEvent` for an unknown type.

    Raises ValidationError if the payload does not have the fields of its type.
    """
    if not isinstance(event, Event):
        event = Event.parse(event)
    return models.EVENTS.get(event.type, OtherEvent).model_validate_json(event.raw)


def item_model(item: Item | Mapping[str, Any]) -> Model:
    """Returns the model of an output item; an `OtherItem` for an unknown type. Raises ValidationError as `event_model` does."""
    fields = item.to_dict() if isinstance(item, Item) else dict(item)
    return models.ITEMS.get(fields.get("type", ""), OtherItem).model_validate(fields)


def response_model(response: Response | Mapping[str, Any]) -> ResponseResource:
    """Returns the model of a response. Raises ValidationError as `event_model` does, for example before the end of a stream."""
    if isinstance(response, Response):
        return models.ResponseResource.model_validate_json(response.to_json())
    return models.ResponseResource.model_validate(dict(response))


def function_tool(
    model: type[BaseModel], *, name: str | None = None, description: str | None = None, strict: bool | None = None
) -> dict[str, Any]:
    """Returns the tool of a request whose arguments are a model: its name and docstring, and its JSON schema as `parameters`.

    `Growing(model)` validates the arguments of a call while they arrive, `model.model_validate_json(item.arguments)` at the end;
    `deltafold.request.check_arguments` checks them by the schema alone.
    """
    schema = model.model_json_schema()
    text = description if description is not None else schema.pop("description", None)
    tool: dict[str, Any] = {"type": "function", "name": name or model.__name__, "parameters": schema}
    if text is not None:
        tool["description"] = text
    if strict is not None:
        tool["strict"] = strict
    return tool


class Growing(Generic[T]):
    """A value of structured output, or of tool arguments, that is validated while its JSON text arrives.

    `push` takes each delta and returns the value so far: for a model `Stop(name: str, km: int)`, `{"name":"Por` gives
    `Stop(name="Por", km=None)`. `finish` returns the valid value at the end.

    Every part is validated as soon as it is complete, and again with each part around it that becomes complete: a wrong value raises
    ValidationError at once, with its location, not at the end of the stream. The part that still grows is there unvalidated: a string with its text so far, a model with the members so far. A
    member that has not arrived has its default, or None. Models, lists and dicts can be incomplete; a value of another type (a
    dataclass, a custom type) is a plain value until it is complete. Validators of a whole model run when the model is complete.

    Looking at the value costs as much as the containers that are open have members, whatever their size.
    """

    __slots__ = ("_adapter", "_done", "_partial", "_type")

    def __init__(self, type_: type[T]) -> None:
        self._type = type_
        self._adapter: TypeAdapter[T] = TypeAdapter(type_)
        self._partial = PartialJson()
        # The validated parts by their path, each with the plain value that it was made of.
        self._done: dict[tuple[str | int, ...], tuple[Any, Any]] = {}

    def push(self, piece: str, /) -> T | None:
        """Adds text and returns the value so far; None before the value begins.

        Raises ValidationError if a complete part is wrong, and DeltafoldError if the text is not JSON.
        """
        self._partial.push(piece)
        return self.value

    @property
    def value(self) -> T | None:
        """The value so far; None before the value begins."""
        value = self._partial.value
        if value is None and not self._partial.is_complete:
            return None
        unfinished = self._partial.unfinished
        if self._partial.is_complete or unfinished is None:
            return cast("T", self._complete(self._type, value, ()))
        steps = [step.replace("~1", "/").replace("~0", "~") for step in unfinished[0].split("/")[1:]]
        return cast("T", self._open(self._type, value, (), steps))

    @property
    def is_complete(self) -> bool:
        """True if the text is a complete JSON document."""
        return self._partial.is_complete

    def finish(self) -> T:
        """Ends the text and returns the valid value. Raises DeltafoldError if the text is incomplete, and ValidationError if the value is
        wrong."""
        self._partial.finish()
        return self._adapter.validate_json(self._partial.to_json() or "null")

    def _complete(self, of: Any, value: Any, path: tuple[str | int, ...]) -> Any:
        """Validates a complete part, once."""
        known = self._done.get(path)
        if known is not None and known[0] is value:
            return known[1]
        try:
            valid = _adapter(of).validate_python(value)
        except ValidationError as error:
            raise _with_path(error, path) from None
        # What was validated inside of it is not looked up again.
        for inside in [other for other in self._done if other[: len(path)] == path]:
            del self._done[inside]
        self._done[path] = (value, valid)
        return valid

    def _open(self, of: Any, value: Any, path: tuple[str | int, ...], steps: list[str]) -> Any:
        """Builds a part that still grows; `steps` lead to the innermost one."""
        if not isinstance(value, (dict, list)):
            return value
        of = _variant(of, value, steps[0] if steps else None)
        if isinstance(value, list):
            inner = _element(of)
            return [self._child(inner, child, (*path, at), str(at), steps) for at, child in enumerate(value)]
        if isinstance(of, type) and issubclass(of, BaseModel):
            members: dict[str, Any] = {}
            extra: dict[str, Any] = {}
            names = {_key(name, field): name for name, field in of.model_fields.items()}
            for key, child in value.items():
                name = names.get(key)
                field = None if name is None else of.model_fields[name]
                if name is None or field is None:
                    extra[key] = child
                else:
                    members[name] = self._child(_annotation(field), child, (*path, key), key, steps)
            missing = {name: None for name, field in of.model_fields.items() if name not in members and field.is_required()}
            kept = extra if of.model_config.get("extra") == "allow" else {}
            return of.model_construct(set(members), **members, **missing, **kept)
        hints = get_type_hints(of) if hasattr(of, "__total__") else {}
        inner = get_args(of)[1] if len(get_args(of)) == 2 else Any
        return {key: self._child(hints.get(key, inner), child, (*path, key), key, steps) for key, child in value.items()}

    def _child(self, of: Any, child: Any, path: tuple[str | int, ...], step: str, steps: list[str]) -> Any:
        if steps and steps[0] == step:
            return self._open(of, child, path, steps[1:])
        return self._complete(of, child, path)


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(of: Any) -> TypeAdapter[Any]:
    """The validator of a type; the types of a program are few, so all are kept."""
    try:
        adapter = _adapters.get(of)
    except TypeError:
        return TypeAdapter(of)
    if adapter is None:
        adapter = _adapters[of] = TypeAdapter(of)
    return adapter


def _key(name: str, field: Any) -> str:
    """The member of the JSON object that is a field of a model."""
    alias = field.validation_alias if isinstance(field.validation_alias, str) else field.alias
    return alias or name


def _annotation(field: Any) -> Any:
    """The type of a model's field with its constraints."""
    return field.rebuild_annotation()


def _plain(of: Any) -> Any:
    """A type without its constraints."""
    while hasattr(of, "__metadata__"):
        of = of.__origin__
    return of


def _variant(of: Any, value: Any, growing: str | None) -> Any:
    """The member of a union that an incomplete container may be; the type itself if it is no union."""
    of = _plain(of)
    if get_origin(of) is not Union and type(of).__name__ != "UnionType":
        return of
    candidates = [_plain(one) for one in get_args(of)]
    if isinstance(value, list):
        return next((one for one in candidates if get_origin(one) in (list, tuple, set, frozenset)), Any)
    found = [one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel) and _may_be(one, value, growing)]
    if found:
        # The model that has all members that are there, if one has.
        return next((one for one in found if value.keys() <= {_key(*field) for field in one.model_fields.items()}), found[0])
    return next((one for one in candidates if get_origin(one) is dict), Any)


def _may_be(model: type[BaseModel], value: dict[str, Any], growing: str | None) -> bool:
    """Whether the members with a `Literal` type that are there have one of its values, or may get one."""
    for name, field in model.model_fields.items():
        key, words = _key(name, field), get_args(field.annotation)
        if key not in value or get_origin(field.annotation) is not Literal:
            continue
        word = value[key]
        if not any(str(one).startswith(str(word)) if key == growing else one == word for one in words):
            return False
    return True


def _element(of: Any) -> Any:
    arguments = get_args(of)
    return arguments[0] if arguments else Any


def _with_path(error: ValidationError, path: tuple[str | int, ...]) -> ValidationError:
    """The same error with the location of the part in the whole value."""
    if not path:
        return error
    lines = []
    for one in error.errors(include_url=False):
        line = InitErrorDetails(type=one["type"], loc=(*path, *one["loc"]), input=one["input"])
        if "ctx" in one:
            line["ctx"] = one["ctx"]
        lines.append(line)
    return ValidationError.from_exception_data(error.title, lines)
