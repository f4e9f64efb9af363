"""The Python runner; the protocol is in tests/runners/README.md."""

import json
import sys

import deltafold
from deltafold import request

WHOLE = ("text", "refusal", "arguments", "input", "code", "diff", "command")
# The field of each kind; an event of another kind has its text in the last of these fields.
WHOLE_OF = {
    "response.output_text.done": "text",
    "response.reasoning.done": "text",
    "response.reasoning_text.done": "text",
    "response.reasoning_summary_text.done": "text",
    "response.refusal.done": "refusal",
    "response.function_call_arguments.done": "arguments",
    "response.mcp_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
    "response.code_interpreter_call_code.done": "code",
    "response.apply_patch_call_operation_diff.done": "diff",
    "response.shell_call_command.added": "command",
    "response.shell_call_command.done": "command",
}


def show(value):
    print(json.dumps(value))


def with_response(report, response):
    """The response is passed as text, because numbers keep their written form."""
    head = json.dumps(report)[:-1]
    print(f"{head}{',' if report else ''}\"response\":{response}}}")


def summary(event):
    """The event by its own attributes; absent values, and values that are not plain numbers or texts, are null."""

    def number(name):
        value = getattr(event, name, None)
        # An attribute has the wire value, of any type; an index is a number of up to 18 digits.
        return value if type(value) is int and 0 <= value < 10**18 else None

    def text(name):
        value = getattr(event, name, None)
        return value if isinstance(value, str) else None

    wholes = [name for name in event if name in WHOLE]
    whole = WHOLE_OF.get(event.kind, wholes[-1]) if wholes else None
    return {
        "index": event.index,
        "kind": event.kind,
        "type": event.type,
        "sequence_number": number("sequence_number"),
        "item_id": text("item_id"),
        "output_index": number("output_index"),
        "content_index": number("content_index"),
        "summary_index": number("summary_index"),
        "offset": event.offset,
        "delta": text("delta") or "",
        "text": text(whole) if whole else None,
        "raw": event.raw,
    }


class Sse:
    def __init__(self, options):
        self.decoder = deltafold.SseDecoder(limits=options)

    def feed(self, data):
        for frame in self.decoder.feed(data):
            show({name: getattr(frame, name) for name in ("event", "data", "id", "retry", "offset")})
        # Frames before an error come first; the next call raises the error.
        self.decoder.feed(b"")

    def end(self, over):
        pass


class Reader:
    def __init__(self, options):
        self.options = options
        self.reader = deltafold.Reader(**options)

    def feed(self, data):
        for event in self.reader.feed(data):
            show(summary(event))

    def feed_json(self, data):
        for event in self.reader.feed_json(data.decode()):
            show(summary(event))

    def request(self, data):
        self.reader.note_request(data.decode())

    def reconnect(self, _):
        self.reader.reconnect()

    def resume(self, _):
        self.reader = deltafold.Reader.restore(self.reader.save(), **self.options)

    def end(self, over):
        reader = self.reader
        try:
            for event in () if over else reader.end():
                show(summary(event))
            if not over:
                reader.close()
        except deltafold.DeltafoldError as error:
            print_error(error)
        try:
            reader.close()
        except deltafold.DeltafoldError:
            pass  # the error was printed; the data that was read stays readable
        report = {
            "outcome": reader.outcome.to_dict(),
            "output_text": reader.response.output_text,
            "findings": [finding.to_dict() for finding in reader.findings],
            "last_sequence_number": reader.last_sequence_number,
            "activity": reader.activity,
        }
        with_response(report, reader.response.to_json())


class Partial:
    def __init__(self, options):
        self.partial = deltafold.PartialJson(**options)

    def feed(self, data):
        try:
            self.partial.push(data.decode())
        finally:
            show({"value": self.partial.to_json(), "unfinished": self.partial.unfinished})

    def end(self, over):
        try:
            if not over:
                self.partial.finish()
        except deltafold.DeltafoldError as error:
            print_error(error)
        partial = self.partial
        show({"value": partial.to_json(), "complete": partial.is_complete, "changes": partial.changes})


class Writer:
    def __init__(self, options):
        self.writer = deltafold.Writer(**options)

    def do(self, data):
        item = self.writer.apply(data.decode())
        show({"item": item, "bytes": self.writer.take().hex()})

    def end(self, over):
        with_response({}, self.writer.response_json())


class Convert:
    def __init__(self, options):
        more = options.pop("options", None) or {}
        self.converter = deltafold.Converter(options.pop("to", None), options.pop("from", None), **options, **more)

    def step(self, step, *given):
        try:
            show({"bytes": step(*given).hex()})
        except deltafold.DeltafoldError:
            show({"bytes": self.converter.take().hex()})
            raise

    def feed(self, data):
        self.step(self.converter.feed, data)

    def cancel(self, _):
        self.step(self.converter.cancel)

    def end(self, over):
        try:
            self.step(self.converter.take if over else self.converter.close)
        except deltafold.DeltafoldError as error:
            show(self.converter.report())
            print_error(error)
        else:
            show(self.converter.report())


class Validate:
    def __init__(self, what, options):
        self.what, self.options = what, options

    def feed(self, data):
        show([finding.to_dict() for finding in deltafold.validate(self.what, data.decode(), **self.options)])

    def end(self, over):
        pass


class Ask:
    def __init__(self, what, options):
        self.what = what

    def feed(self, data):
        given = json.loads(data)
        if self.what == "history":
            next_request, findings = request.history(given.pop("request"), given.pop("steps"), **given)
            show({"request": next_request, "findings": findings})
        elif self.what == "enforce":
            show({"calls": request.enforce(**given)})
        elif self.what == "advice":
            show(request.advice(given.pop("error"), **given))
        else:
            message, left_out = request.create_message(**given)
            show({"message": message, "left_out": left_out})

    def end(self, over):
        pass


class Loop:
    def __init__(self, options):
        self.tools = request.ToolLoop(options.pop("request"), **options)

    def response(self, data):
        self.tools.apply(json.loads(data))
        self.show()

    def result(self, call_id, data):
        self.tools.result(call_id.decode(), json.loads(data))
        self.show()

    def show(self):
        names = ("state", "reason", "turns", "pending", "rejected", "findings")
        show({"loop": {name: getattr(self.tools, name) for name in names}, "request": self.tools.request})

    def end(self, over):
        pass


WORDS = {
    "sse": Sse,
    "reader": Reader,
    "partial": Partial,
    "writer": Writer,
    "convert": Convert,
    "validate": Validate,
    "ask": Ask,
    "loop": Loop,
}
# These commands have a plain word before their options.
NAMED = ("validate", "ask")
VERBS = ("feed", "feed_json", "request", "reconnect", "resume", "do", "cancel", "response", "result")


def print_error(error):
    show({"error": error.code, "offset": error.offset})


def main():
    thing, over = None, False
    for line in sys.stdin:
        word, *rest = line.rstrip("\n").split(" ")
        try:
            if word in WORDS:
                thing, over = None, False
                options = bytes.fromhex(rest[-1]) if len(rest) > (word in NAMED) else b""
                options = json.loads(options) if options else {}
                thing = WORDS[word](*rest[:1], options) if word in NAMED else WORDS[word](options)
            elif word == "end":
                if thing is not None:
                    thing.end(over)
                thing = None
                show({"end": True})
                sys.stdout.flush()
            elif word in VERBS:
                if thing is not None and not over:
                    over = word == "cancel"
                    getattr(thing, word)(*([bytes.fromhex(given) for given in rest] or [b""]))
            else:
                sys.exit(2)
        except deltafold.DeltafoldError as error:
            print_error(error)
            # A refused intent or step changes nothing, so a writer and a loop continue.
            over = not isinstance(thing, (Writer, Loop))


main()
