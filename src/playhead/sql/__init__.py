"""SQL over the tables of replays, or over exported tables, with DuckDB (extra ``duckdb``)."""

from __future__ import annotations

from playhead.sql.connection import connect, register
from playhead.sql.query import query_folder, query_replays

__all__ = ["connect", "query_folder", "query_replays", "register"]
