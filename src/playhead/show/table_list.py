"""`TableList` and `Tables`: the tables of a replay as a mapping that prints itself, and as attributes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from playhead.tables.schema import TableSchema
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from playhead.runtime.libraries import pa

_DOC = 90
# Tables with one row in every replay.
_ONE_ROW = frozenset({"info"})


class TableList(Mapping[str, TableSchema]):
    """The schemas of a replay's tables by name; shown as a list with meanings and, if known, numbers of rows."""

    def __init__(self, schemas: Mapping[str, TableSchema], built: Mapping[str, pa.Table]) -> None:
        """`built` has the tables built so far; the replay adds to it."""
        self._schemas = dict(schemas)
        self._built = built

    def __getitem__(self, name: str) -> TableSchema:
        try:
            return self._schemas[name]
        except KeyError:
            raise KeyError(unknown_name(name, self._schemas, "table")) from None

    def __contains__(self, name: object) -> bool:
        return name in self._schemas

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)

    def rows(self, name: str) -> int | None:
        """Return the number of rows of a table; None if it is not built yet."""
        if name in self._built:
            return int(self._built[name].num_rows)
        return 1 if name in _ONE_ROW else None

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _listed(self) -> list[dict[str, object]]:
        return [
            {
                "table": name,
                "rows": "…" if self.rows(name) is None else self.rows(name),
                "columns": len(schema.columns),
                "meaning": _first_sentence(schema.doc),
            }
            for name, schema in self.items()
        ]

    def __repr__(self) -> str:
        listed = self._listed()
        width = max((len(name) for name in self), default=0)
        lines = [f"{row['table']:{width}}  {row['rows']:>9}  {row['meaning']}" for row in listed]
        return "\n".join([f"{len(self)} tables; rows (… where not built yet), meaning", *lines])

    def to_html(self) -> str:
        """Return the list as a table."""
        from playhead.text.html import rows_html

        note = "rows: … where a table was not built yet; replay.table(name) or replay.t.NAME builds one"
        return f"{rows_html(self._listed(), most=len(self))}<div class='ph-note'>{note}</div>"

    def _repr_html_(self) -> str:
        from playhead.text.html import page_html, title_html

        return page_html(title_html(f"{len(self)} tables"), self.to_html())


class _WithTables(Protocol):
    """A replay, a corpus or a lake."""

    @property
    def tables(self) -> Collection[str]: ...

    def table(self, name: str) -> pa.Table: ...


class Tables:
    """The tables of a replay or corpus as attributes: ``replay.t.chat`` is ``replay.table("chat")``, with
    completion."""

    def __init__(self, replay: _WithTables) -> None:
        self._replay = replay

    def __getattr__(self, name: str) -> pa.Table:
        if name not in self._replay.tables:  # notebooks and copying look for such names
            raise AttributeError(unknown_name(name, self._replay.tables, "table"))
        return self._replay.table(name)

    def __dir__(self) -> Iterable[str]:
        return list(self._replay.tables)

    def __repr__(self) -> str:
        return f"<tables {', '.join(self._replay.tables)}>"


def _first_sentence(doc: str) -> str:
    sentence = " ".join(doc.partition(". ")[0].split()).rstrip(".")
    return sentence if len(sentence) <= _DOC else f"{sentence[: _DOC - 1]}…"
