"""Tables over many replays as lazy Polars frames, which read replays when a query is collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from playhead.corpus.identity import Item
from playhead.corpus.request import Request
from playhead.export.frames import Keep, lazy_polars
from playhead.limits import Limits
from playhead.runtime.libraries import pa
from playhead.tables.arrow import plain_text, with_schema

if TYPE_CHECKING:
    import polars

#: Yields each replay's table of a request, in order.
Parts = Callable[[Request, Sequence[Item]], Iterator[pa.Table]]


def lazy_table(
    name: str, items: Sequence[Item], games: Sequence[Item], limits: Limits, parts: Parts
) -> polars.LazyFrame:
    """Return a table over `items` as a lazy frame; its columns are those of `games`, a replay of each game.

    Raises:
        ModuleNotFoundError: as of `lazy_polars`.
        KeyError: no replay of `games` has such a table.
    """
    found = [each.schema for each in parts(Request((name,), limits=limits, only_schema=True), games)]
    if not found:
        raise KeyError(f"none of the {len(items)} replays has a table {name!r}")
    schema = plain_text(pa.unify_schemas(found, promote_options="permissive"))

    def read(columns: list[str] | None, keep: Keep | None) -> Iterator[pa.Table]:
        chosen = items
        if keep is not None:
            known = pa.table({"replay": [each.id for each in items], "file": [each.file for each in items]})
            kept = set(keep(known)["replay"].to_pylist())
            chosen = [each for each in items if each.id in kept]
        wanted = None if columns is None else frozenset(columns)
        fields = schema if columns is None else pa.schema([schema.field(each) for each in columns])
        for part in parts(Request((name,), limits=limits, columns=wanted), chosen):
            yield with_schema(part, fields)

    return lazy_polars(schema, read, ("replay", "file"))
