"""Columns that tables, manifests and data files of a corpus share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.clock import when_played
from playhead.model import Info, Problem
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.tables.combined import FILE, REPLAY
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import INFO
from playhead.tables.value_arrays import scalar_of
from playhead.text.json import valid_text
from playhead.text.names import listed

#: First columns of a row for each input.
INPUT_REPLAY = replace(REPLAY, type="string", doc="SHA-256 of its bytes; `path-…` where they are unknown.")
INPUT_FILE = replace(FILE, type="string")

SIZE = Column("size", "int64", "As stored.", "bytes", required=True)

_OTHERS = frozenset(("game_word", "duration_ticks", "ticks_per_second", "units_per_metre", "source", "details"))

#: Facts of the recording, as in `INFO`; null as far as an input could not be read.
RECORDING = tuple(replace(each, required=False) for each in INFO.columns if each.name not in _OTHERS)


def with_identity_columns(columns: str | Iterable[str]) -> list[str]:
    """Return columns of a table of a corpus, each once, after `REPLAY` and `FILE`."""
    return [*dict.fromkeys((REPLAY.name, FILE.name, *listed(columns)))]


def recording_facts(info: Info) -> Mapping[str, Any]:
    """Return the values of `RECORDING`."""
    return {column.name: getattr(info, column.name) for column in RECORDING}


CORPUS_INFO = TableSchema.of(
    "info",
    "One row for each replay of a corpus, and for each input that could not be read.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column("copies", "int64", "Other names of the same bytes.", required=True),
    SIZE,
    *RECORDING,
    Column("problems", "int64", "Problems that reading these facts met; `Corpus.problems` reads everything."),
    Column("error", "string", "Why it could not be read."),
)


def info_of_inputs(rows: pa.Table) -> pa.Table:
    """Return the rows of `CORPUS_INFO` of the inputs of a lake; lakes of earlier versions lack `played_at`."""
    unknown = pc.is_valid(rows["error"])
    columns = {name: rows[name] for name in CORPUS_INFO.column_names if name in rows.column_names}
    count = pc.if_else(unknown, scalar_of(None, pa.int64()), rows["problem_count"])
    times = (rows[name].to_pylist() for name in ("start_time", "end_time", "duration_seconds"))
    played = [when_played(*each) for each in zip(*times, strict=True)]
    columns |= {"played_at": [time for time, _ in played], "played_at_is": [which for _, which in played]}
    return CORPUS_INFO.build({**columns, "copies": pc.list_value_length(rows["copies"]), "problems": count})


#: Each input: replay, file, status, reason, error, problems.
Inputs = Iterable[tuple[str, str, str, str | None, str | None, Iterable[Problem]]]

CORPUS_PROBLEMS = TableSchema.of(
    "problems",
    "One row for each thing that could not be read, of an input that could not be read at all too.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column("status", "string", "partial, failed or quarantined.", required=True),
    Column("kind", "string", "Class of the error, or the reason: corrupt, timeout, memory …", required=True),
    Column("where", "string", "The part of the file."),
    Column("offset", "int64", "Byte offset there."),
    Column("tick", "int64", "The format's own time."),
    Column("what", "string", "The error, or the damage.", required=True),
    Column("cost", "string", "The data missing from the result."),
)


def problem_rows(inputs: Inputs) -> pa.Table:
    """Return the rows of `CORPUS_PROBLEMS` of inputs."""
    rows: list[dict[str, Any]] = []
    for replay, file, status, reason, error, problems in inputs:
        held = {"replay": replay, "file": file, "status": status}
        if error is not None:
            rows.append({**held, "kind": reason, "what": error, "cost": "everything"})
        rows += [{**held, **problem.as_dict()} for problem in problems]
    return CORPUS_PROBLEMS.build_rows(list(map(storable, rows)))


def storable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose texts are valid UTF-8, also those of lists."""
    return {name: _storable(value) for name, value in row.items()}


def _storable(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(valid_text, value))
    return valid_text(value) if isinstance(value, str) else value
