"""Checks: a whole stream or a single object against the specification."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from ._native import Finding, Misuse, Reader, suggest_profile, validate
from ._outcome import Outcome
from ._sources import achunks, chunks

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .names import CheckOptions, Edition, ProfileName
    from .options import CustomProfile
    from .types import ResponseResource


class Report:
    """The result of a check. True if no finding is an error; `str()` has one line per finding: `assert report.ok, report`."""

    __slots__ = ("finding_count", "findings", "outcome", "profile", "response", "suggested_profile")

    def __init__(self, reader: Reader, outcome: Outcome, profile: str | None = None) -> None:
        self.findings: list[Finding] = reader.findings
        self.finding_count: int = reader.finding_count
        self.outcome: Outcome = outcome
        self.response: ResponseResource = reader.response.to_dict()
        # The name of the profile; None if it was given as a dict.
        self.profile: str | None = profile
        # The built-in profile that leaves the fewest errors; None if the stream has none, or if a profile was given.
        self.suggested_profile: str | None = None

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
            "profile": self.profile,
            "suggested_profile": self.suggested_profile,
            "finding_count": self.finding_count,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        errors, warnings = len(self.errors), len(self.warnings)
        head = f"{self.outcome}, {errors} errors, {warnings} warnings, {self.finding_count - errors - warnings} others"
        lines = [head, *(f"  {finding}" for finding in self.findings)]
        if self.suggested_profile is not None:
            fewer = f'these deviations are known from providers; profile="{self.suggested_profile}" exempts most of them'
            lines.append(f'  hint: {fewer}, and profile="auto" selects a profile by itself')
        return "\n".join(lines)

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
    """A check in progress. Keeps the stream as long as a profile may have to be chosen for it."""

    def __init__(self, request: Any, headers: Any, status: int | None, options: CheckOptions) -> None:
        if "strict" in options:
            raise Misuse("expected no option `strict`: a check reports all findings")
        self.options: dict[str, Any] = {"layers": "all", **options}
        self.auto = self.options.get("profile") == "auto"
        self.default = self.options.get("profile") is None and self.options.get("edition") is None
        if self.auto or self.options.get("profile") is None:
            self.options["profile"] = "open-responses"
        self.notes = (request, headers, status)
        self.kept: list[bytes] = []
        self.kept_bytes = 0
        self.reader = self.new_reader()

    def new_reader(self) -> Reader:
        reader = Reader(**self.options)
        request, headers, status = self.notes
        if request is not None:
            reader.note_request(request)
        if headers is not None:
            reader.note_headers(headers, status)
        return reader

    def feed(self, chunk: Any) -> None:
        self.reader.feed(chunk)
        if self.auto or self.default:
            self.kept.append(bytes(chunk))
            self.kept_bytes += len(self.kept[-1])
            if self.kept_bytes > _KEPT_BYTES and not self.auto:
                self.default = False
                self.kept.clear()

    def report(self) -> Report:
        outcome = self.reader.close()
        profile = self.options.get("profile")
        report = Report(self.reader, outcome, profile if isinstance(profile, str) else None)
        if not self.auto and (not self.default or report.ok):
            return report
        stream = b"".join(self.kept)
        request, headers, status = self.notes
        name = suggest_profile(stream, request=request, headers=headers, status=status)
        if self.auto and name != "open-responses":
            self.options["profile"] = name
            self.reader = self.new_reader()
            self.reader.feed(stream)
            return Report(self.reader, self.reader.close(), name)
        if not self.auto and name not in ("open-responses", "any"):
            report.suggested_profile = name
        return report


# A check without a profile keeps at most this much of the stream, for the suggestion of one.
_KEPT_BYTES = 16 * 1024 * 1024


def check(
    source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Unpack[CheckOptions]
) -> Report:
    """Checks a stream against every rule, like `deltafold check`. Takes the sources of `events`.

    `request` is the request of the stream, `headers` and `status` are those of the HTTP response; with them the check
    includes the rules about them. `options` are those of `Reader`: `profile`, `edition`, `layers`, `quote`, `limits`.

    The default profile, "open-responses", exempts nothing. Providers deviate in known ways: `profile="auto"` selects the
    built-in profile that leaves the fewest errors, after the end of the stream. If a stream has errors and no profile was given,
    `report.suggested_profile` names that profile.
    """
    check = _Check(request, headers, status, options)
    for chunk in chunks(source):
        check.feed(chunk)
    return check.report()


async def acheck(
    source: Any, *, request: Any = None, headers: Any = None, status: int | None = None, **options: Unpack[CheckOptions]
) -> Report:
    """Checks a stream of an asynchronous source; see `check`."""
    check = _Check(request, headers, status, options)
    async for chunk in achunks(source):
        check.feed(chunk)
    return check.report()


def validate_event(event: Any, *, profile: ProfileName | CustomProfile | None = None, edition: Edition | None = None) -> list[Finding]:
    """Checks an event, given as a dict, JSON text or `Event`, against the specification.

    `profile` is the name of a profile or a profile as a dict: it sets the edition and the severities. Without one, every rule counts.
    """
    return validate("event", event, profile=profile, edition=edition)


def validate_item(item: Any, *, profile: ProfileName | CustomProfile | None = None, edition: Edition | None = None) -> list[Finding]:
    """Checks an output item against the specification. `profile` as in `validate_event`."""
    return validate("item", item, profile=profile, edition=edition)


def validate_request(
    request: Any, *, profile: ProfileName | CustomProfile | None = None, edition: Edition | None = None
) -> list[Finding]:
    """Checks the body of a request against the specification. `profile` as in `validate_event`.

    The short form of a message, `{"role": …, "content": …}` without a type, is rule ITEM-20: OpenAI accepts it, other servers of
    Open Responses need not. `profile="openai"` accepts it, too.
    """
    return validate("request", request, profile=profile, edition=edition)


def validate_response(
    response: Any, *, profile: ProfileName | CustomProfile | None = None, edition: Edition | None = None
) -> list[Finding]:
    """Checks a response object against the specification. `profile` as in `validate_event`."""
    return validate("response", response, profile=profile, edition=edition)
