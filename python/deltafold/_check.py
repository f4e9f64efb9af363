"""Checks: a whole stream or a single object against the specification."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from ._native import Finding, Misuse, Reader, validate
from ._outcome import Outcome
from ._sources import achunks, chunks

if TYPE_CHECKING:
    from .types import ResponseResource


class Report:
    """The result of a check. True if no finding is an error; `str()` has one line per finding: `assert report.ok, report`."""

    __slots__ = ("finding_count", "findings", "outcome", "response")

    def __init__(self, reader: Reader, outcome: Outcome) -> None:
        self.findings: list[Finding] = reader.findings
        self.finding_count: int = reader.finding_count
        self.outcome: Outcome = outcome
        self.response: ResponseResource = reader.response.to_dict()

    @property
    def ok(self) -> bool:
        """True if no finding is an error."""
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
        """The ids of the broken rules, without repetition, in order."""
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

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Report):
            return NotImplemented
        return self.to_dict() == other.to_dict() and self.response == other.response

    def _repr_html_(self) -> str:
        """A table of the findings for notebooks, without payload text."""
        head, *_ = str(self).splitlines()
        columns = ("severity", "rule", "offset", "path", "message")
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(getattr(finding, name)))}</td>" for name in columns) + "</tr>"
            for finding in self.findings
        )
        names = "".join(f"<th>{name}</th>" for name in columns)
        return f"<p>{html.escape(head)}</p><table><tr>{names}</tr>{rows}</table>"


class _Check:
    def __init__(self, request: Any, headers: Any, status: int | None, options: dict[str, Any]) -> None:
        options.setdefault("profile", "open-responses")
        options.setdefault("layers", "all")
        if options.get("strict"):
            raise Misuse("expected no option `strict`: a check reports all findings")
        self.reader = Reader(**options)
        if request is not None:
            self.reader.note_request(request)
        if headers is not None:
            self.reader.note_headers(headers, status)

    def report(self) -> Report:
        return Report(self.reader, self.reader.close())


def check(source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Any) -> Report:
    """Checks a stream against every rule, like `deltafold check`. Takes the sources of `events`.

    `request` is the request of the stream, `headers` and `status` are those of the HTTP response; with them the check
    includes the rules about them. `options` are those of `Reader`: `profile` (default "open-responses"), `edition`,
    `layers`, `quote`, `limits`.
    """
    check = _Check(request, headers, status, options)
    for chunk in chunks(source):
        check.reader.feed(chunk)
    return check.report()


async def acheck(
    source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Any
) -> Report:
    """Checks a stream of an asynchronous source; see `check`."""
    check = _Check(request, headers, status, options)
    async for chunk in achunks(source):
        check.reader.feed(chunk)
    return check.report()


def validate_event(event: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks an event, given as a dict, JSON text or `Event`, against the specification."""
    return validate("event", event, edition=edition)


def validate_item(item: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks an output item against the specification."""
    return validate("item", item, edition=edition)


def validate_request(request: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks the body of a request against the specification."""
    return validate("request", request, edition=edition)


def validate_response(response: Any, *, edition: str | None = None) -> list[Finding]:
    """Checks a response object against the specification."""
    return validate("response", response, edition=edition)
