"""Type checkers must reject every line that ends in `# wrong`, and no other line. Checked by mypy and pyright, never run."""

import deltafold
from deltafold import types
from deltafold.request import ToolLoop


def fields_of_another_event(reader: deltafold.Reader) -> None:
    for event in reader.feed(b""):
        event.delta  # wrong
        if event.type == "response.created":
            event.delta  # wrong
            event.response["no_such_field"]  # wrong
        if event.type == "response.output_text.delta":
            number: int = event.delta  # wrong
            event.response  # wrong
            event.delta = "x"  # wrong
            event.to_dict()["nonsense"]  # wrong
            print(number)
        if event.type == "response.completed":
            event.response["id"] + 1  # wrong


def fields_of_another_class(reader: deltafold.Reader) -> None:
    for event in reader.feed(b""):
        if isinstance(event, types.CreatedEvent):
            event.delta  # wrong
        if isinstance(event, types.OutputTextDeltaEvent):
            text: int = event.delta  # wrong
            event.detla  # wrong
            print(text)


def invalid_calls(reader: deltafold.Reader, writer: deltafold.Writer) -> None:
    deltafold.Reader(nonsense=True)  # wrong
    deltafold.Reader(images="sometimes")  # wrong
    deltafold.Reader(layers=["everything"])  # wrong
    deltafold.Reader(limits={"dept": 8})  # wrong
    deltafold.Reader(profile={"exemptions": [{"severity": "note"}]})  # wrong
    deltafold.Converter("ag-ui", None, threadId="t")  # wrong
    deltafold.convert(b"", "ag-ui", media="often")  # wrong
    reader.nonsense()  # wrong
    writer.text(7)  # wrong
    writer.message().text("x")  # wrong


def misspelled_names_and_keywords(events: deltafold.EventStream) -> None:
    events.response.outptu_text  # wrong
    events.response.items[0].argumens  # wrong
    events.response.items[0].parts[0].txt  # wrong
    events.outcom  # wrong
    deltafold.events(b"", layer="all")  # wrong
    deltafold.aevents(b"", profile="opneai")  # wrong
    deltafold.check(b"", profil="auto")  # wrong
    deltafold.check(b"", profile="automatic")  # wrong
    deltafold.events(b"", profile="auto")  # wrong
    deltafold.convert(b"", "antropic")  # wrong
    deltafold.convert(b"", "anthropic", "claude")  # wrong
    deltafold.convert(b"", "ag-ui", thread="t")  # wrong
    deltafold.Converter("ag-ui", reasoning_style="loud")  # wrong
    deltafold.Reader(limits={"dept": 3})  # wrong
    deltafold.Reader(edition="2025-01-01")  # wrong
    deltafold.validate_request({}, profile="opneai")  # wrong
    events.raise_for_outcome(allow=["incomplet"])  # wrong
    ToolLoop({}, policy="stateles")  # wrong
