"""How a stream ended, and the exception for streams that did not complete."""

from __future__ import annotations

from typing import Any, Collection, Literal, cast

from ._native import DeltafoldError, Failure

OutcomeName = Literal["completed", "incomplete", "failed", "cancelled", "truncated"]


class OutcomeError(DeltafoldError):
    """A stream ended without a completed response; see `outcome`. The text contains the provider's message only on request,
    because such a message may quote the request.
    """

    def __init__(self, outcome: Outcome, *, include_message: bool = False) -> None:
        text = f"the stream ended as {outcome.name}"
        details = []
        error = outcome.error
        if outcome.reason is not None:
            details.append(f"reason {outcome.reason}")
        if error is not None:
            if error.status is not None:
                details.append(f"HTTP status {error.status}")
            details.extend(word for word in (error.type, error.code) if word)
        if outcome.last_sequence_number is not None:
            details.append(f"resume after sequence number {outcome.last_sequence_number}")
        if details:
            text += f" ({', '.join(details)})"
        if include_message and error is not None and error.message:
            text += f": {error.message}"
        super().__init__(text)
        self.code = f"outcome.{outcome.name}"
        self.offset = 0
        self.outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        return (_recreate, (type(self), self.args, self.outcome))


def _recreate(cls: type[OutcomeError], args: tuple[Any, ...], outcome: Outcome) -> OutcomeError:
    error = cls(outcome)
    error.args = args
    return error


class Outcome(str):
    """How a stream ended: a `str` with the name of the outcome, so `outcome == "completed"` and `json.dumps(outcome)` work.

    `reason` is the reason of an incomplete response, `error` the error of a failed one, and `last_sequence_number` the number
    after which to resume a truncated stream.
    """

    __slots__ = ("_error", "_last_sequence_number", "_reason")
    __match_args__ = ("name", "reason")
    _reason: str | None
    _error: Failure | None
    _last_sequence_number: int | None

    def __new__(
        cls,
        name: str,
        reason: str | None = None,
        error: Failure | None = None,
        last_sequence_number: int | None = None,
    ) -> Outcome:
        outcome = super().__new__(cls, name)
        outcome._reason = reason
        outcome._error = error
        outcome._last_sequence_number = last_sequence_number
        return outcome

    @property
    def name(self) -> OutcomeName:
        """ "completed", "incomplete", "failed", "cancelled" or "truncated"."""
        return cast("OutcomeName", str.__str__(self))

    @property
    def reason(self) -> str | None:
        """Why the response is incomplete; None for every other outcome."""
        return self._reason

    @property
    def error(self) -> Failure | None:
        """The error; None for every other outcome."""
        return self._error

    @property
    def last_sequence_number(self) -> int | None:
        """The number to resume after, for a truncated stream; None for every other outcome."""
        return self._last_sequence_number

    def to_dict(self) -> dict[str, Any]:
        """The outcome as a new dict: `outcome` is its name; `reason`, `error` or `last_sequence_number` follow if they apply."""
        members: dict[str, Any] = {"outcome": str.__str__(self)}
        if self == "incomplete":
            members["reason"] = self._reason
        elif self == "failed":
            members["error"] = None if self._error is None else self._error.to_dict()
        elif self == "truncated":
            members["last_sequence_number"] = self._last_sequence_number
        return members

    def raise_for_outcome(self, *, allow: Collection[OutcomeName] = (), include_message: bool = False) -> Outcome:
        """Raises OutcomeError unless the outcome is "completed" or in `allow`; otherwise returns the outcome.

        `include_message` adds the provider's message to the exception text; such a message may quote the request.
        """
        if self != "completed" and self.name not in allow:
            raise OutcomeError(self, include_message=include_message)
        return self

    def _details(self) -> tuple[Any, ...]:
        return (str.__str__(self), self._reason, self._error, self._last_sequence_number)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Outcome):
            return self._details() == other._details()
        return str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    # Equal values must have equal hashes, and an outcome equals its name.
    def __hash__(self) -> int:
        return str.__hash__(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        text = f"<Outcome {str.__str__(self)}"
        if self._reason is not None:
            text += f" reason={self._reason!r}"
        if self._error is not None:
            text += f" error={self._error!r}"
        if self._last_sequence_number is not None:
            text += f" last_sequence_number={self._last_sequence_number}"
        return text + ">"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._details())

    def __copy__(self) -> Outcome:
        return self

    def __deepcopy__(self, _memo: Any) -> Outcome:
        return self
