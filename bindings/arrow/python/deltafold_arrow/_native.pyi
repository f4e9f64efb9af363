"""The native half of `deltafold.batch`."""

from typing import Any, Callable, Iterator, List, Optional, Sequence, final

__all__ = ["FOLD_COLUMNS", "Batch", "Column", "__version__"]

__version__: str
FOLD_COLUMNS: List[str]

@final
class Column:
    """A column of results, in chunks. It offers the Arrow PyCapsule interface, so every Arrow library takes it without a copy."""

    def __arrow_c_schema__(self) -> Any:
        """The type as a C struct of Arrow."""
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """The whole column as one array. The result does not depend on `requested_schema`.

        Raises MemoryError if its texts exceed 2 GiB, the limit of one array; `__arrow_c_stream__` has no limit.
        """
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The chunks as a stream. The result does not depend on `requested_schema`."""
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any:
        """A field of the rows as a column, by name; or one row as Python objects, by position."""
    def __iter__(self) -> Iterator[Any]:
        """The rows as Python objects."""
    @property
    def names(self) -> List[str]:
        """The names of the fields; empty if the rows are not structs."""
    @property
    def type(self) -> str:
        """The Arrow type, as text."""
    @property
    def _type(self) -> Any: ...
    @property
    def null_count(self) -> int:
        """Number of rows that are null."""
    @property
    def nbytes(self) -> int:
        """Number of bytes of the values, offsets and null bits."""
    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
    def table(self) -> Column:
        """The fields as the columns of a table, for consumers that read tables: a row that is null has null in every column."""
    def to_pylist(self) -> List[Any]:
        """All rows as Python objects: dicts, lists, str, bytes, int and None."""

@final
class Batch:
    """One operation over columns of bodies. `deltafold.batch` makes the JSON texts of its keyword arguments."""

    def __new__(
        cls,
        operation: str,
        *,
        columns: Optional[Sequence[str]] = None,
        to: Optional[str] = None,
        dialect: Optional[str] = None,
        reader: str = "",
        source: str = "",
        threads: Optional[int] = None,
    ) -> Batch: ...
    def run(
        self, bodies: Any, dialects: Any = None, progress: Optional[Callable[[int, int], object]] = None
    ) -> Column:
        """Runs over a column and returns the results. `dialects` is a column of names; `progress` is called with the numbers of rows
        and bytes that are done.
        """
    def empty(self) -> Column:
        """A column without rows, which has the type of the results."""
