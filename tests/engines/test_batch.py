"""`deltafold.batch` with lists, pyarrow, arro3 and pandas: types, options, bad columns, threads, progress."""

from __future__ import annotations

import copy
import mmap
import pickle
import threading
from pathlib import Path
from typing import Any

import arro3.core
import deltafold
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bodies import CHAT, HELLO, HOSTILE, all_bodies, texts
from deltafold import batch
from reader_loop import fold as fold_in_python

BODIES = all_bodies()
ALL = list(batch.FOLD_COLUMNS)


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    """The rows of a plain list, which every other container must equal."""
    return batch.fold(BODIES, columns=ALL).to_pylist()


def test_rows_equal_a_python_loop_over_the_reader(expected: list[Any]) -> None:
    compared = 0
    for body, row in zip(BODIES, expected):
        loop = fold_in_python(body)
        assert (row is None) == (loop is None)
        if row is None or loop is None:
            continue
        found = dict(copy.deepcopy(row), findings=len(row["findings"]))
        # Arguments of a call without text of its own are its input, which the reader does not have as text.
        for call, same in zip(found["tool_calls"], loop["tool_calls"]):
            if same["arguments"] == "":
                call["arguments"] = same["arguments"] = None
        if loop["dialect"] != "open-responses":
            # Findings of the conversion are added.
            assert found.pop("findings") >= loop.pop("findings")
        for name, value in loop.items():
            assert found[name] == value, (name, body[:200] if body else body)
        compared += 1
    assert compared >= len(HOSTILE) + 2


def test_every_container_gives_the_same_rows(expected: list[Any]) -> None:
    containers = {
        "binary": pa.array(BODIES, pa.binary()),
        "large_binary": pa.array(BODIES, pa.large_binary()),
        "binary_view": pa.array(BODIES, pa.binary_view()),
        "chunked": pa.chunked_array([BODIES[:3], [], BODIES[3:]], pa.binary()),
        "dictionary": pa.array(BODIES, pa.binary()).dictionary_encode(),
        "table of one column": pa.table({"body": pa.array(BODIES, pa.binary())}),
        "record batch reader": pa.table({"body": pa.array(BODIES, pa.binary())}).to_reader(max_chunksize=7),
        "polars": pl.Series(BODIES, dtype=pl.Binary),
        "polars frame": pl.DataFrame({"body": pl.Series(BODIES, dtype=pl.Binary)}),
        "arro3": arro3.core.Array.from_arrow(pa.array(BODIES, pa.binary())),
        "pandas": pd.DataFrame({"body": pd.Series(BODIES, dtype=pd.ArrowDtype(pa.binary()))}),
        "tuple": tuple(BODIES),
    }
    for name, container in containers.items():
        assert batch.fold(container, columns=ALL).to_pylist() == expected, name


def test_text_of_every_type_gives_the_rows_of_its_bytes() -> None:
    values = texts(BODIES)
    expected = batch.fold([None if text is None else text.encode() for text in values]).to_pylist()
    for data_type in (pa.string(), pa.large_string(), pa.string_view()):
        assert batch.fold(pa.array(values, data_type)).to_pylist() == expected, data_type
    assert batch.fold(pl.Series(values, dtype=pl.String)).to_pylist() == expected
    assert batch.fold(pd.Series(values, dtype=pd.ArrowDtype(pa.string()))).to_pylist() == expected
    assert batch.fold(values).to_pylist() == expected


def test_results_go_to_every_library_without_a_change(expected: list[Any]) -> None:
    column = batch.fold(BODIES, columns=ALL)
    assert pa.array(column).to_pylist() == expected
    assert pa.chunked_array(column).to_pylist() == expected
    assert pl.Series(column).to_list() == expected
    assert arro3.core.ChunkedArray.from_arrow(column).to_pylist() == expected
    table = pa.table(column.table())
    assert table.column_names == ALL
    assert table["model"].to_pylist() == [None if row is None else row["model"] for row in expected]
    assert pd.DataFrame.from_arrow(column.table()).shape == (len(BODIES), len(ALL))
    pa.array(column).validate(full=True)
    for operation in (batch.events, batch.check):
        result = operation(BODIES)
        pa.array(result).validate(full=True)
        assert pa.array(result).to_pylist() == result.to_pylist()


def test_a_column_is_a_sequence_of_rows_and_fields() -> None:
    column = batch.fold([HELLO, None, CHAT], columns=["output_text", "outcome"])
    assert len(column) == 3 and column.names == ["outcome", "output_text"] and column.null_count == 1
    assert column[0] == {"outcome": "truncated", "output_text": "Hello"} and column[1] is None
    assert column[-1] == {"outcome": "completed", "output_text": "Hi"} == list(column)[2]
    assert column["output_text"].to_pylist() == ["Hello", None, "Hi"]
    assert pa.array(column["outcome"]).to_pylist() == ["truncated", None, "completed"]
    for key, error in ((3, IndexError), (-4, IndexError), ("text", KeyError), (1.5, TypeError)):
        with pytest.raises(error):
            column[key]
    assert repr(column).startswith("<Column of 3 rows, Struct(")
    assert column.nbytes > 0 and column.num_chunks == 1
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(column)
    with pytest.raises(TypeError, match="structs"):
        batch.events([HELLO]).table()
    empty = batch.fold([], columns=["outcome"])
    assert len(empty) == 0 and empty.to_pylist() == [] and len(pa.array(empty)) == 0


@pytest.mark.parametrize("operation", [batch.fold, batch.events, batch.check, lambda column: batch.convert(column, "anthropic")])
def test_columns_without_rows_or_values_and_slices(operation: Any) -> None:
    column: Any
    for column in (pa.array([], pa.binary()), pa.chunked_array([], pa.string()), pl.Series([], dtype=pl.Binary), []):
        assert operation(column).to_pylist() == []
    for column in (pa.nulls(70_000), pa.nulls(70_000, pa.string()), pl.Series([None] * 70_000, dtype=pl.String)):
        assert operation(column).null_count == 70_000
    whole = pa.array([HELLO, None, CHAT, HELLO, CHAT], pa.binary())
    for data_type in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.string(), pa.string_view()):
        column = whole.cast(data_type)
        rows = operation(column).to_pylist()
        assert operation(column.slice(1, 3)).to_pylist() == rows[1:4], data_type
        assert operation(pa.chunked_array([column.slice(4), column.slice(1, 2)])).to_pylist() == [rows[4], *rows[1:3]]
    struct = pa.StructArray.from_arrays([whole], ["body"], mask=pa.array([True, False, False, False, False]))
    assert operation(struct).to_pylist() == [None, *operation(whole).to_pylist()[1:]]
    assert operation(struct.slice(2)).to_pylist() == operation(whole).to_pylist()[2:]


def test_a_column_of_another_type_is_a_clear_error() -> None:
    for column, message in (
        (pa.array([1, 2]), "found Int64"),
        (pa.array([], pa.int64()), "found Int64"),
        (pa.array([["a"]]), "found List"),
        (pl.Series([1.5]), "found Float64"),
        (pa.table({"a": [b""], "b": [b""]}), "pass the column that has the bodies"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), "pass the column that has the bodies"),
        ([1], "found int"),
        (7, "__arrow_c_stream__"),
        ("data: {}", "__arrow_c_stream__"),
    ):
        with pytest.raises(TypeError, match=message):
            batch.fold(column)
    with pytest.raises(TypeError, match="dialects as a column of text"):
        batch.fold([HELLO], dialect=pa.array([1]))
    for dialects in (["auto"], ["auto"] * 3):
        with pytest.raises(ValueError, match="expected a dialect for each of the 2 bodies"):
            batch.fold([HELLO, CHAT], dialect=dialects)


def test_text_that_is_not_utf8_and_wrong_offsets_do_no_harm() -> None:
    bad = HELLO.replace(b"Hello", b"H\xffllo")
    as_text = pa.StringArray.from_buffers(1, pa.py_buffer(bytes(4) + len(bad).to_bytes(4, "little")), pa.py_buffer(bad))
    assert batch.fold(as_text).to_pylist() == batch.fold([bad]).to_pylist()
    offsets = b"".join(number.to_bytes(4, "little") for number in (0, 5, 2, 6))
    backwards = pa.BinaryArray.from_buffers(pa.binary(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(b"abcdef")])
    with pytest.raises(ValueError, match="the column cannot be read"):
        batch.fold(backwards)


def test_offsets_above_2_gib_are_read(tmp_path: Path) -> None:
    # The file is sparse: its 3 GiB take no space.
    start = 3 << 30
    with open(tmp_path / "bodies", "w+b") as file:
        file.seek(start)
        file.write(HELLO + CHAT)
        file.flush()
        data = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    numbers = (start, start + len(HELLO), start + len(HELLO) + len(CHAT))
    offsets = pa.py_buffer(b"".join(number.to_bytes(8, "little") for number in numbers))
    for data_type in (pa.large_binary(), pa.large_string()):
        column = pa.Array.from_buffers(data_type, 2, [None, offsets, data])
        assert batch.fold(column, columns=["output_text"])["output_text"].to_pylist() == ["Hello", "Hi"]


def test_the_error_of_a_producer_is_raised() -> None:
    def broken() -> Any:
        yield pa.record_batch({"body": [HELLO]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("body", pa.binary())]), broken())
    with pytest.raises(ValueError, match="the disk is gone"):
        batch.fold(reader)


def test_only_named_columns_are_in_the_result() -> None:
    assert batch.fold([], columns=["model", "outcome"]).names == ["outcome", "model"]
    assert batch.fold([]).names == [name for name in ALL if name != "response"]
    nothing = batch.fold([HELLO, None], columns=[])
    assert nothing.names == [] and nothing.to_pylist() == [{}, None] and len(nothing.table()) == 2
    names: Any
    for names in (["models"], ["model", ""]):
        with pytest.raises(deltafold.Misuse, match="known columns: outcome, dialect") as raised:
            batch.fold([], columns=names)
        assert raised.value.code == "misuse.unknown_name"
    with pytest.raises(TypeError, match="as a list"):
        batch.fold([], columns="model")  # type: ignore[arg-type]


def test_the_dialect_is_an_argument_a_column_or_detected() -> None:
    bodies = [CHAT, CHAT, CHAT, CHAT, HELLO, None]

    def dialects(**options: Any) -> list[Any]:
        found: list[Any] = batch.fold(bodies, columns=["dialect"], **options)["dialect"].to_pylist()
        return found

    detected = ["chat-completions"] * 4 + ["open-responses", None]
    assert dialects() == dialects(dialect="auto") == detected
    assert dialects(dialect="mistral") == ["mistral"] * 5 + [None]
    names = ["mistral", None, "auto", "morse", "anthropic", "morse"]
    expected = ["mistral", "chat-completions", "chat-completions", None, "anthropic", None]
    for column in (names, pa.array(names), pl.Series(names), pa.array(names).dictionary_encode(), pa.chunked_array([names[:1], names[1:]])):
        assert dialects(dialect=column) == expected
    with pytest.raises(deltafold.Misuse, match="no dialect is called morse"):
        batch.fold(bodies, dialect="morse")
    unknown = batch.fold([CHAT], dialect=["morse"])[0]
    assert unknown["outcome"] == "truncated" and unknown["findings"][0]["rule"] == "misuse.unknown_name"


def test_options_are_those_of_the_reader() -> None:
    long = HELLO.replace(b"Hello", b"x" * 5000)
    rows = batch.fold([long, HELLO], limits={"line_bytes": 4000}).to_pylist()
    assert rows[0]["outcome"] == "truncated" and rows[0]["findings"][-1]["rule"] == "limit.line"
    assert rows[1]["output_text"] == "Hello"
    strict = batch.fold([b"data: {]\n\n"], strict=True, layers={"framing", "schema"})[0]
    assert strict["findings"][-1]["rule"] == "strict.violation"
    lenient, exact = (batch.check([HELLO], profile=name)[0] for name in ("openai", "open-responses"))
    assert lenient["errors"] <= exact["errors"] and exact["errors"] >= 1
    for options, message in (
        ({"limit": {}}, "no option is called limit"),
        ({"profile": "nobody"}, "known profiles"),
        ({"layers": "most"}, "layers"),
        ({"source": {"modell": "m"}}, "modell"),
        ({"limits": object}, "JSON"),
    ):
        with pytest.raises(deltafold.DeltafoldError, match=message):
            batch.fold([], **options)
    named = batch.fold([b'data: {"message":{"content":"a"},"done":true}\n'], source={"model": "m-9"}, dialect="ollama")
    assert named[0]["model"] == "m-9"
    with pytest.raises(ValueError, match="at least one thread"):
        batch.fold([], threads=0)


def test_events_check_and_convert() -> None:
    events = batch.events([HELLO, None, b""]).to_pylist()
    assert events[1:] == [None, []]
    assert [event["type"] for event in events[0]] == ["response.created", "response.output_text.delta"]
    assert events[0][1]["delta"] == "Hello" and events[0][1]["item_id"] == "msg_1" and events[0][0]["delta"] is None
    checked = batch.check(BODIES).to_pylist()
    for body, row in zip(BODIES, checked):
        # A batch reads a transcript of JSON messages, which begins with a brace, as its events.
        if body is not None and row is not None and row["dialect"] == "open-responses" and body.lstrip()[:1] != b"{":
            # The batch checks all layers with the profile open-responses, as this call does.
            found = deltafold.check(body, profile="open-responses").findings
            assert [(one["rule"], one["message"]) for one in row["findings"][: len(found)]] == [(one.rule, one.message) for one in found]
    for target in ("anthropic", "chat-completions", "open-responses"):
        for body, row in zip(BODIES, batch.convert(BODIES, target, model="m-1").to_pylist()):
            if row is None or row["error"]:
                continue
            converted = deltafold.convert(body, target, row["from"], model="m-1", response_id="resp_unknown", now=0)
            assert (row["body"], row["lost"]) == (converted.data, converted.report["lost"])
    with pytest.raises(deltafold.Misuse, match="thread_id"):
        batch.convert([], "ag-ui")


def test_a_result_does_not_depend_on_the_number_of_threads(expected: list[Any]) -> None:
    for threads in (1, 2, 5):
        assert batch.fold(BODIES, columns=ALL, threads=threads).to_pylist() == expected


def test_progress_is_reported_and_an_exception_in_it_ends_the_batch() -> None:
    seen: list[tuple[int, int]] = []
    column = pa.chunked_array([[HELLO] * 50, [None, CHAT]], pa.binary())
    batch.fold(column, progress=lambda rows, size: seen.append((rows, size)))
    assert seen[-1] == (52, 50 * len(HELLO) + len(CHAT)) and seen == sorted(seen)

    def stop(rows: int, size: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.fold(column, progress=stop)


def test_a_batch_is_a_value_that_threads_share() -> None:
    one = batch.Batch.fold(columns=["output_text"], dialect="mistral", limits={"line_bytes": 9000})
    for same in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert same == one and hash(same) == hash(one) and same.run([CHAT])[0] == {"output_text": "Hi"}
    assert one != batch.Batch.fold(columns=["output_text"])
    assert repr(one).startswith("Batch.fold(columns=['output_text'], dialect='mistral'")
    assert one.empty().names == ["output_text"]
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(one.run([CHAT] * 100).to_pylist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[{"output_text": "Hi"}] * 100] * 8
