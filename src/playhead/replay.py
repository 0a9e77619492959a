"""`Replay`: the interface of a replay of any format.

A format subclasses `Replay` and implements `_load_info`, `_load_players`, `_table_schemas`, `_build_tables` and
`_survey`. Data is decoded on first access and cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from playhead.clock import format_seconds
from playhead.recorded import Recorded
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.text.names import listed

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb
    import pandas
    import polars

    from playhead.export.documents import Document
    from playhead.show.notebook import InlineView
    from playhead.show.plots import Plots
    from playhead.show.table_list import Tables


class Replay(Recorded):
    """One opened replay.

    Opening reads only the head of the file. The rest is decoded on first access and cached: `info`, `players`,
    `tables`, `table(name)`, `problems`.

    Attributes:
        absent: names of tables and events that users may look for and no usual recording of the format has, with
            the reason.
        info_schema, players_schema: tables ``info`` and ``players``: the shared columns, then items of the
            format's `details` as columns (`TableSchema.extended`).
    """

    # -- to other libraries, and to files ---------------------------------------------------------------

    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """Iterate over one table in batches of at most `rows` rows, in order.

        Some formats build large tables batch by batch, so a table may be larger than memory; other tables are
        built whole first.

        Raises:
            KeyError, ReplayError: as `table` does.
        """
        yield from self.read_tables([name]).batches(name, rows)

    def to_polars(self, name: str, **query: Any) -> polars.DataFrame:
        """Return one table as a Polars frame; `query` are keyword arguments of `table`.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError, ReplayError: as `table` does.
        """
        from playhead.export.frames import to_polars

        return to_polars(self.table(name, **query))

    def lazy(self, name: str, **query: Any) -> polars.LazyFrame:
        """Return one table as a lazy Polars frame: the table is built at ``collect()``, with the columns that the
        query uses; `query` are keyword arguments of `table`.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError: this replay has no such table.
        """
        from playhead.export.frames import lazy_polars

        schema = self.schema_of(name).arrow()
        return lazy_polars(schema, lambda columns, _: [self.table(name, columns=columns, **query)])

    def to_pandas(self, name: str, **query: Any) -> pandas.DataFrame:
        """Return one table as a pandas frame; `query` are keyword arguments of `table`.

        Nullable integers become pandas' nullable types (``Int32``, ``Int64`` …), not floats.

        Raises:
            ModuleNotFoundError: pandas is not installed (extra ``pandas``).
            KeyError, ReplayError: as `table` does.
        """
        from playhead.export.frames import to_pandas

        return to_pandas(self.table(name, **query))

    def to_duckdb(
        self, names: Iterable[str] | None = None, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with the tables (all by default) as views, by their names.

        A table is decoded at the first query that reads it (before DuckDB 2.0: now).

        Args:
            connection: where to add the views; a new database in memory by default.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            KeyError: this replay has no such table.
        """
        from playhead.sql import connect, register

        return register(connection or connect(), self, names)

    @property
    def documents(self) -> Mapping[str, Document]:
        """Export forms of the game besides files of tables: names that `export` accepts as `format`. Each writes
        one file with the whole replay in the shape of another tool.
        """
        return {}

    def export(
        self,
        folder: str | Path,
        *,
        format: str = "parquet",
        tables: str | Iterable[str] | None = None,
        formulas: bool = True,
        jobs: int = 1,
    ) -> list[Path]:
        """Write tables (all by default) as ``folder/<table>.<format>``; return the paths.

        `jobs` is as for `read_tables`.

        Files are written atomically. `format` is ``parquet``, ``csv``, ``ndjson``, ``xlsx`` (one
        workbook, extra ``xlsx``), or one of `documents`. With ``formulas=False``, CSV
        text that a spreadsheet would run as a formula is prefixed with an apostrophe, and control characters are
        escaped. For an input opened with ``stream=True``, each large table is written batch by batch, in a pass of
        its own. The file ``_playhead.json`` names the replay; tables of another replay are never added to the
        folder.

        Raises:
            KeyError: this replay has no such table.
            ValueError: there is no such format.
            FileExistsError: the folder holds tables of another replay.
            OSError: the folder or a file cannot be written.
            ReplayError: in strict mode, the first problem.
        """
        from pathlib import Path

        from playhead.export.files import write_tables

        if format in self.documents:
            from playhead.export.documents import write_document

            if tables is not None:
                raise ValueError(f"{format} has no tables: export it without `tables`")
            return write_document(self, Path(folder), self.documents[format])
        stream = self.source.stream
        large = self._large_tables() if stream is not None and stream.reopenable else frozenset()
        names = list(self.tables) if tables is None else listed(tables)
        self.source.move_to_disk()
        return write_tables(self, Path(folder), names, format, piecewise=large, formulas=formulas, jobs=jobs)

    # -- at a prompt, in a notebook ---------------------------------------------------------------------

    @property
    def t(self) -> Tables:
        """The tables as attributes, for completion: ``replay.t.chat`` is ``replay.table("chat")``."""
        from playhead.show.table_list import Tables

        return Tables(self)

    @property
    def plot(self) -> Plots:
        """Pictures: ``replay.plot.positions()``, ``.economy()`` and more (extra ``plot``); see `Plots`."""
        from playhead.show.plots import Plots

        return Plots(self)

    def view(
        self,
        at: int | float | str | None = None,
        *,
        ticks: tuple[int | float | str, int | float | str] | None = None,
        height: int = 640,
    ) -> InlineView:
        """Return the viewer for a notebook: the page of ``playhead report`` in a frame, without a server.

        Args:
            at: the moment to open, as for `to_tick`; None opens the best moment of the match.
            ticks: first and last moment of the part to show; None for all.
            height: height in pixels.

        Raises:
            ValueError: a moment lies outside the recording, or `height` is not from 200 to 4000.
        """
        from playhead.show.notebook import InlineView
        from playhead.view.report import report_page

        part = None if ticks is None else (self.tick_within(ticks[0]), self.tick_within(ticks[1]))
        opens = None if at is None else self.tick_within(at)
        return InlineView(report_page(self, ticks=part, opens=opens), height)

    def __getitem__(self, name: str) -> pa.Table:
        """``replay["chat"]`` is ``replay.table("chat")``."""
        return self.table(name)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def _repr_html_(self) -> str:
        from playhead.show.notebook import replay_html

        return replay_html(self)

    def __repr__(self) -> str:
        if self.closed:
            return f"<Replay {self.format} {self._closed_name!r}, closed>"
        info = self.brief_info
        parts = [f"{self.format} {self.name!r}", " ".join(filter(None, (info.game, info.version)))]
        if info.map:
            parts.append(f"map {info.map!r}")
        if info.duration_seconds is not None:
            parts.append(format_seconds(info.duration_seconds))
        if not info.complete:
            parts.append("incomplete")
        return f"<Replay {', '.join(parts)}>"
