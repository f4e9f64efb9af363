"""Checks: a whole stream against the rules, one object against the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import Finding, Misuse, Outcome, Reader, validate
from ._sources import achunks, chunks

if TYPE_CHECKING:
    from .types import ResponseResource


class Report:
    """What a check found. True if there is no error; printed, one finding a line: `assert report.ok, report`."""

    __slots__ = ("finding_count", "findings", "outcome", "response")

    def __init__(self, reader: Reader, outcome: Outcome) -> None:
        self.findings: list[Finding] = reader.findings
        self.finding_count: int = reader.finding_count
        self.outcome: Outcome = outcome
        self.response: ResponseResource = reader.response.to_dict()

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not self.errors

    @property
    def errors(self) -> list[Finding]:
        """The findings that are errors."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """The findings that are warnings."""
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def rules(self) -> list[str]:
        """Ids of the rules that were broken, each once, in order."""
        return list(dict.fromkeys(finding.rule for finding in self.findings))

    def to_dict(self) -> dict[str, Any]:
        """The report as a new dict."""
        return {
            "ok": self.ok,
            "outcome": self.outcome.to_dict(),
            "finding_count": self.finding_count,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        errors, warnings = len(self.errors), len(self.warnings)
        head = f"{self.outcome}, {errors} errors, {warnings} warnings, {self.finding_count - errors - warnings} others"
        return "\n".join([head, *(f"  {finding}" for finding in self.findings)])

    def __repr__(self) -> str:
        return f"<Report {'ok' if self.ok else 'not ok'}: {self}>"


class _Check:
    def __init__(self, request: Any, headers: Any, status: int | None, options: dict[str, Any]) -> None:
        options.setdefault("profile", "open-responses")
        options.setdefault("layers", "all")
        if options.get("strict"):
            raise Misuse("a check tells everything, so it is never strict")
        self.reader = Reader(**options)
        if request is not None:
            self.reader.note_request(request)
        if headers is not None:
            self.reader.note_headers(headers, status)

    def report(self) -> Report:
        return Report(self.reader, self.reader.close())


def check(source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Any) -> Report:
    """Checks a stream against every rule, as `deltafold check` does. A source is what `events` takes.

    `request` is the request that the stream answers, `headers` and `status` are those of the HTTP response: with them the
    rules about them are checked too. `options` are those of `Reader`: `profile` ("open-responses" if it is not given),
    `edition`, `layers`, `quote`, `limits`.
    """
    checking = _Check(request, headers, status, options)
    for chunk in chunks(source):
        checking.reader.feed(chunk)
    return checking.report()


async def acheck(
    source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Any
) -> Report:
    """Checks the stream of an asynchronous source; see `check`."""
    checking = _Check(request, headers, status, options)
    async for chunk in achunks(source):
        checking.reader.feed(chunk)
    return checking.report()


def validate_event(event: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks one event, as a dict, JSON text or `Event`, against the contract."""
    return validate("event", event, edition=edition)


def validate_item(item: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks one output item against the contract."""
    return validate("item", item, edition=edition)


def validate_request(request: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks the body of a request against the contract."""
    return validate("request", request, edition=edition)


def validate_response(response: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks a response object against the contract."""
    return validate("response", response, edition=edition)
