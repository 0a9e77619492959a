"""Columns that the tables of a corpus and the files of a lake share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from playhead.model import Info, Problem
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.tables.combined import FILE, REPLAY
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import INFO, PROBLEMS
from playhead.tables.value_arrays import scalar_of
from playhead.text.json import storable
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


STATUS = Column(
    "status",
    "string",
    "whole, partial, failed or quarantined; of a corpus, as far as these facts were read.",
    required=True,
)

CORPUS_INFO = TableSchema.of(
    "info",
    "One row for each replay of a corpus, and for each input that could not be read.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column("copies", "int64", "Other names of the same bytes.", required=True),
    SIZE,
    *RECORDING,
    STATUS,
    Column("problems", "int64", "Problems that reading these facts met; `Corpus.problems` reads everything."),
    Column("error", "string", "Why it could not be read."),
)


#: The column by which a row of any table belongs to its row of `info`.
READING = Column(
    "reading", "string", "The reading that the row is of; a row counts if `info` has it.", required=True
)

LAKE_INPUTS = TableSchema.of(
    "inputs",
    "One row for each replay of a lake, and for each input that could not be read.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column(
        "file_bytes", "binary", "The bytes of a name that is no UTF-8, for which `file` has U+FFFD; else null."
    ),
    READING,
    Column("copies", "list<string>", "Other names of the same bytes.", required=True),
    Column("grew_from", "list<string>", "Earlier states of the same recording, which this one replaced."),
    SIZE,
    Column("changed", "int64", "Time of the last change of the file; 0 if unknown.", "ns", required=True),
    STATUS,
    Column("reason", "string", "Why nothing could be read, a stable word: corrupt, timeout, memory …"),
    Column("error", "string", "The reason in words."),
    Column("problem_count", "int64", "Number of problems.", required=True),
    Column("problems", "list<string>", "The first of them, each as a JSON object.", required=True),
    *RECORDING,
    Column("rows", "string", "Rows in each table, as a JSON object.", required=True),
    Column("wanted", "string", "Requested tables, with commas; empty for the default.", required=True),
    Column("playhead", "string", "Version of playhead that read the input.", required=True),
    Column("read_seconds", "float64", "Time that reading took.", "s", required=True),
    Column("attempts", "int32", "Number of attempts.", required=True),
    Column("signal", "string", "Signal that ended the process of a quarantined input."),
    Column("peak_memory", "int64", "Greatest memory of the process.", "bytes"),
    Column("log", "string", "End of the standard error of the process of a quarantined input."),
)


def info_of_inputs(rows: pa.Table) -> pa.Table:
    """Return the rows of `CORPUS_INFO` of the inputs of a lake."""
    unknown = pc.is_valid(rows["error"])
    columns = {name: rows[name] for name in CORPUS_INFO.column_names if name in rows.column_names}
    count = pc.if_else(unknown, scalar_of(None, pa.int64()), rows["problem_count"])
    return CORPUS_INFO.build({**columns, "copies": pc.list_value_length(rows["copies"]), "problems": count})


def name_of_file(row: Mapping[str, Any]) -> str:
    """Return the name of an input from its row of `LAKE_INPUTS`, for opening it."""
    return row["file"] if row["file_bytes"] is None else os.fsdecode(row["file_bytes"])


def problems_of(row: Mapping[str, Any]) -> list[Problem]:
    """Return the listed problems of an input from its row of `LAKE_INPUTS`."""
    return [Problem(**json.loads(text)) for text in row["problems"]]


#: Each input: replay, file, status, reason, error, problems.
Inputs = Iterable[tuple[str, str, str, str | None, str | None, Iterable[Problem]]]

CORPUS_PROBLEMS = TableSchema.of(
    "problems",
    "One row for each thing that could not be read, of an input that could not be read at all too.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column("status", "string", "partial, failed or quarantined.", required=True),
    *PROBLEMS.columns,
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
