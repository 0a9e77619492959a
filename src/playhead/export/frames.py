"""Tables as frames of Polars and pandas."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa

if TYPE_CHECKING:
    import pandas
    import polars


def to_polars(table: pa.Table) -> polars.DataFrame:
    """Return the table as a Polars frame.

    Raises:
        ModuleNotFoundError: Polars is not installed (extra ``polars``).
    """
    return cast("polars.DataFrame", import_extra("polars", "polars", "to_polars").from_arrow(table))


#: Filters a table by the filter of a query.
Keep = Callable[[pa.Table], pa.Table]


def lazy_polars(
    schema: pa.Schema,
    read: Callable[[list[str] | None, Keep | None], Iterable[pa.Table]],
    names: Collection[str] = (),
) -> polars.LazyFrame:
    """Return a lazy Polars frame whose rows are those of the tables that `read` gives at ``collect()``.

    `read` gets the columns that the query uses (None: all), and the filter of the query if it needs no columns but
    `names`.

    Raises:
        ModuleNotFoundError: Polars is not installed (extra ``polars``), or is older than 1.20.
    """
    library = import_extra("polars", "polars", "lazy")
    plugins = import_extra("polars.io.plugins", "polars", "lazy")

    def rows(
        columns: list[str] | None, predicate: polars.Expr | None, count: int | None, _batch: int | None
    ) -> Iterator[polars.DataFrame]:
        def keep(table: pa.Table) -> pa.Table:
            return library.from_arrow(table).filter(predicate).to_arrow()

        by_name = predicate is not None and set(predicate.meta.root_names()) <= set(names)
        for table in read(columns, keep if by_name else None):
            frame = library.from_arrow(table)
            frame = frame if predicate is None else frame.filter(predicate)
            yield frame if count is None else frame.head(count)
            count = None if count is None else count - frame.height
            if count is not None and count <= 0:
                return

    types = library.from_arrow(schema.empty_table()).schema
    return cast("polars.LazyFrame", plugins.register_io_source(rows, schema=types))


def to_pandas(table: pa.Table) -> pandas.DataFrame:
    """Return the table as a pandas frame; nullable whole numbers stay whole.

    Raises:
        ModuleNotFoundError: pandas is not installed (extra ``pandas``).
    """
    library = import_extra("pandas", "pandas", "to_pandas")
    return cast("pandas.DataFrame", table.to_pandas(types_mapper=_nullable_types(library)))


def _nullable_types(pandas: Any) -> Callable[[pa.DataType], Any]:
    """Map whole numbers and truth values to pandas' nullable types; otherwise one missing value turns a column of
    numbers into floats.
    """
    names = "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64".split()
    mapped = {getattr(pa, name.lower())(): getattr(pandas, f"{name}Dtype")() for name in names}
    mapped[pa.bool_()] = pandas.BooleanDtype()
    return mapped.get
