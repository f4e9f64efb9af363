"""DuckDB: SQL functions over captured bodies. Needs the extra `deltafold[arrow]`, and pyarrow, which DuckDB needs for such functions.

| function | returns |
| --- | --- |
| `deltafold_fold(body)` | a struct: outcome, model, output_text, tool_calls, usage … |
| `deltafold_events(body)` | a list of structs, one for each event |
| `deltafold_check(body)` | a struct: outcome, errors, warnings, notes, findings … |
| `deltafold_convert(body, 'anthropic')` | a struct: body, from, lost, findings, error |

`body` is a BLOB or VARCHAR. Each function takes the name of the dialect as one more argument, `dialect := 'mistral'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import dialects
from .batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

    from .batch import FoldColumn

__all__ = ["register"]


def register(
    connection: duckdb.DuckDBPyConnection,
    *,
    prefix: str = "deltafold",
    columns: Iterable[FoldColumn] | None = None,
    threads: int | None = None,
    **reader: Any,
) -> None:
    """Adds the functions to a connection; another call replaces them.

    `columns` are those of `PREFIX_fold`: SQL cannot tell a function which fields a query uses, so name the ones that you need to save the
    time for the others. With several values of `prefix`, a connection has functions with different options. `threads` and `reader` are
    those of `deltafold.batch.fold`.
    """
    if not prefix.isidentifier():
        raise ValueError(f"expected a prefix of letters, digits and underscores, found {prefix!r}")
    limits = reader.get("limits")
    batches = {
        "fold": Batch.fold(columns=columns, threads=threads, **reader),
        "events": Batch.events(threads=threads, **reader),
        "check": Batch.check(threads=threads, **reader),
    }
    for name, batch in batches.items():
        _add_function(connection, f"_{prefix}_{name}", batch)
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {prefix}_{name}(body, dialect := NULL) AS {_call(f'_{prefix}_{name}')}")
    cases = []
    for target in dialects()[1]:
        function = f"_{prefix}_convert_{target.replace('-', '_')}"
        # A target may have options without a default; they are made up, as ids are in the other functions.
        options = {"thread_id": "thread"} if target == "ag-ui" else {}
        _add_function(connection, function, Batch.convert(target, threads=threads, limits=limits, **options))
        cases.append(f"WHEN '{target}' THEN {_call(function)}")
    unknown = "error('no dialect that can be written is called ' || target || '; known: " + ", ".join(dialects()[1]) + "')"
    connection.execute(
        f"CREATE OR REPLACE TEMP MACRO {prefix}_convert(body, target, dialect := NULL) AS CASE target {' '.join(cases)} ELSE {unknown} END"
    )


def _call(function: str) -> str:
    """Calls a function with the bytes of the body. DuckDB evaluates the branch of the type when it plans the query."""
    return f"{function}(CASE WHEN typeof(body) = 'BLOB' THEN body::BLOB ELSE encode(body::VARCHAR) END, dialect::VARCHAR)"


def _add_function(connection: duckdb.DuckDBPyConnection, name: str, batch: Batch) -> None:
    import duckdb
    import pyarrow

    def run(body: Any, dialect: Any) -> Any:
        return pyarrow.array(batch.run(body, dialect=dialect))

    try:
        connection.remove_function(name)
    except duckdb.InvalidInputException:
        pass  # This is the first call.
    # A type may be named by a text, which the stubs of DuckDB do not know.
    create: Any = connection.create_function
    # The batch handles null: a body whose dialect is null has a result.
    create(name, run, ["BLOB", "VARCHAR"], _sql_type(batch.empty()._type), type="arrow", null_handling="special")


_SQL_TYPES = {"string": "VARCHAR", "binary": "BLOB", "int64": "BIGINT"}


def _sql_type(type: Any) -> str:
    if isinstance(type, str):
        return _SQL_TYPES[type]
    kind, inner = type
    if kind == "list":
        return _sql_type(inner) + "[]"
    return "STRUCT(" + ", ".join(f'"{name}" {_sql_type(field)}' for name, field in inner) + ")"
