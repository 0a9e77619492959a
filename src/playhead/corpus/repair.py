"""The repair of a lake: what its damaged files held is read again or kept, and only then replaced.

A repair only adds files until it is done: shards of the inputs that it reads again; copies of damaged files in
`KEPT` of which some input could not be read again; then, for each damaged manifest, one that replaces it and has
what was left. It may be killed at any moment; the next repair goes on.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from playhead.corpus.check import Fault, LakeState, inspect
from playhead.corpus.collection import scan
from playhead.corpus.decode import GOOD, Outcome, shape_of
from playhead.corpus.facts import RECORDING
from playhead.corpus.identity import is_of_path
from playhead.corpus.lists import add_to_lists, listing, read_lists
from playhead.corpus.manifest import (
    FOLDER,
    LOST,
    MANIFEST,
    DataFile,
    Manifest,
    name_of_file,
    path_of,
)
from playhead.corpus.names import held_in
from playhead.corpus.plan import FOLDER as PLANS
from playhead.corpus.plan import cut, read_plan
from playhead.corpus.request import ALL, DIVIDED, make_request
from playhead.corpus.shards import run_shards, scratch_folder
from playhead.corpus.write import SCHEMAS, read_schema, schema_path, write_file
from playhead.io.packs import is_url, split_member
from playhead.io.store import Store, open_store
from playhead.model import Problem
from playhead.runtime.libraries import pa, pc, pq
from playhead.runtime.records import dataclass, field, replace
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of
from playhead.version import __version__

#: Folder of damaged files whose content could not be made again.
KEPT = "_damaged"

Row = dict[str, Any]
OnOutcome = Callable[[Outcome, int], None]


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair.

    Attributes:
        faults: the damage that was found.
        read: number of inputs that were read again.
        lost: inputs that could not be read again: name, why, and what the lake has no more of it.
        kept: copies of the damaged files that had rows of those.
    """

    faults: tuple[Fault, ...]
    read: int = 0
    lost: tuple[tuple[str, str, str], ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class _Wreck:
    """A damaged manifest and what is left of it.

    Attributes:
        manifest: as it was, or as its data files and plan tell; without damaged data files.
        damaged: names of its damaged files.
        lost: the lost tables of replays; empty if that is not known.
    """

    manifest: Manifest
    rows: list[Row]
    damaged: set[str]
    lost: dict[str, set[str]] = field(default_factory=dict)


def repair_lake(
    location: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    on_outcome: OnOutcome = lambda outcome, total: None,
) -> Repair:
    """Check a whole lake, read the inputs of damaged files again, and replace the manifests of these.

    Nothing is removed that could not be made again: rows in other files stay, and a damaged file is copied to
    `KEPT` if an input of it is gone, changed or damaged. Such a replay has a problem that says so, and the next
    repair or export of its input reads it again.

    Args:
        location: folder or URL.
        jobs: number of processes; one per core by default, 0 for this process.
        on_outcome: called with the outcome of each input that is read, and the number of these.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read or changed.
    """
    store = open_store(location)
    state = inspect(store, whole=True)
    found = tuple(state.faults)
    _make_schemas(store, state)
    bad = {fault.manifest for fault in state.faults} - {None}
    planned = _planned(store)
    wrecks = [
        _damaged(store, state, state.live[name]) if name in state.live else _untold(store, state, name, planned)
        for name in sorted(filter(None, bad))
    ]
    needed = _needed(state.sound, wrecks)
    read, errors = _read_again(store, state, needed, jobs, on_outcome)
    have = _held([*state.sound, *read])
    failed = {id for each in read for id in each.rows["replay"].to_pylist()}.difference(have)
    lost: list[tuple[str, str, str]] = []
    kept: set[str] = set()
    new = [*read]
    for wreck in wrecks:
        for id in failed:  # and had no tables before, as far as is known
            if wreck.lost.get(id) == set():
                have[id] = set()
        gone = {id: tables for id, tables in wreck.lost.items() if id not in have or not have[id] >= tables}
        for row in wreck.rows:
            if row["replay"] in gone:
                row["why"] = errors.get(row["replay"], "it was not read again")
                lost.append((name_of_file(row), row["why"], ", ".join(sorted(gone[row["replay"]])) or "unknown"))
        if gone:
            kept.update(_keep(store, state, wreck.damaged))
        new.append(_replacement(store, wreck, gone, have))
    for fault in found:
        if fault.name.startswith(f"{PLANS}/"):
            kept.update(_keep(store, state, {fault.name}))
    names = [*state.live, *(each.name for each in new)]
    add_to_lists(store, names, without={old for each in new for old in each.replaces})
    spoilt = {name for name, held in read_lists(store).items() if held is None}
    for name in sorted(
        spoilt.union(each.name for each in found if each.name.startswith((f"{FOLDER}/", f"{PLANS}/")))
    ):
        store.remove(name)
    count = sum(row["status"] in GOOD for each in read for row in each.rows.to_pylist())
    return Repair(found, count, tuple(sorted(set(lost))), tuple(sorted(kept)))


def _keep(store: Store, state: LakeState, names: Collection[str]) -> Iterator[str]:
    """Copy damaged files to `KEPT`; yield the names of the copies."""
    for name in sorted(names):
        if state.sizes.get(name, -1) >= 0:
            store.copy(name, f"{KEPT}/{name}")
            yield f"{KEPT}/{name}"


# -- what was damaged ------------------------------------------------------------------------------


def _make_schemas(store: Store, state: LakeState) -> None:
    """Remove damaged schemas, also those of lost manifests, so that reading again writes them; write those that a
    data file has, and take their faults away."""
    for name in [each for each in state.sizes if each.startswith(f"{SCHEMAS}/")]:
        try:
            read_schema(store, name.rpartition("/")[2].removesuffix(".arrow"))
        except (OSError, ValueError):
            store.remove(name)
            del state.sizes[name]
    made: set[str] = set()
    for manifest in state.live.values():
        for file in manifest.files:
            name = schema_path(file.shape)
            if name in state.broken - made and file.name not in state.broken:
                schema = _schema_of(store, file.name)
                if schema is not None and shape_of(schema) == file.shape:
                    store.put(name, schema.serialize().to_pybytes())
                    made.add(name)
    state.broken -= made
    state.faults = [each for each in state.faults if each.name not in made]


def _schema_of(store: Store, name: str) -> pa.Schema | None:
    """Return the columns of a data file as they were written; None if it cannot be read."""
    try:
        with store.open(name) as file:
            schema = pq.read_schema(file)
    except (pa.ArrowException, OSError):
        return None
    fields = []
    for each in schema:  # Parquet numbers them, and names the elements of lists
        about = {key: text for key, text in (each.metadata or {}).items() if key != b"PARQUET:field_id"}
        type_ = pa.list_(each.type.value_type) if pa.types.is_list(each.type) else each.type
        fields.append(pa.field(each.name, type_, each.nullable, about or None))
    return pa.schema(fields, schema.metadata)


def _damaged(store: Store, state: LakeState, manifest: Manifest) -> _Wreck:
    """Return what is left of a manifest with damaged data files or schemas."""
    rows = manifest.rows.to_pylist()
    bad = [file for file in manifest.files if state.broken & {file.name, schema_path(file.shape)}]
    good = [file for file in manifest.files if file not in bad]
    wreck = _Wreck(manifest, rows, {file.name for file in bad})
    for file in bad:
        claimed = {
            row["replay"]
            for row in rows
            if json.loads(row["rows"]).get(file.table)
            and all(row[name] == file.parts[name] for name in file.parts)
        }
        for other in good:
            if (other.table, other.parts) == (file.table, file.parts) and claimed:
                claimed -= _replays_in(store, other)
        for replay in claimed:
            wreck.lost.setdefault(replay, set()).add(file.table)
    empty = {each for each in manifest.empty if schema_path(each[1]) in state.broken}
    for table, _ in empty:
        for row in rows:
            if json.loads(row["rows"]).get(table) == 0:
                wreck.lost.setdefault(row["replay"], set()).add(table)
    rest = tuple(each for each in manifest.empty if each not in empty)
    wreck.manifest = replace(manifest, files=tuple(good), empty=rest)
    return wreck


def _replays_in(store: Store, file: DataFile) -> set[str]:
    with store.open(file.name) as opened:
        found: pa.Table = pq.ParquetFile(opened).read(columns=[REPLAY.name])
    return set(found[REPLAY.name].unique().to_pylist())


def _untold(store: Store, state: LakeState, name: str, planned: Mapping[str, list[Row]]) -> _Wreck:
    """Return what the data files and the plan of a damaged or missing manifest tell."""
    files: list[DataFile] = []
    damaged = {path_of(name)}
    rows: dict[str, Row] = {}
    counts: dict[str, Counter[str]] = {}
    for each in sorted(state.sizes):
        folder, _, last = each.rpartition("/")
        if not last.startswith(f"{name}-") or not last.endswith(".parquet") or each.startswith("_"):
            continue
        told, shape = held_in(folder), last.removesuffix(".parquet").rpartition("-")[2]
        schema = _schema_of(store, each)
        table = None if schema is None or told is None or shape_of(schema) != shape else _whole_table(store, each)
        if table is None or told is None or schema is None:
            damaged.add(each)
            continue
        if schema_path(shape) not in state.sizes:
            store.put(schema_path(shape), schema.serialize().to_pybytes())
        data = store.get(each)
        digest = sha256(data).hexdigest()
        files.append(DataFile(each, told[0], shape, told[1], table.num_rows, len(data), digest))
        found = table.to_pylist() if told[0] == "info" else table.select(["replay", "file"]).to_pylist()
        for row in found:
            counts.setdefault(row["replay"], Counter())[told[0]] += 1
            rows.setdefault(row["replay"], {"file": row["file"]}).update(
                {column.name: row[column.name] for column in RECORDING if column.name in row}
            )
    plans = {name: planned[name]} if name in planned else planned  # a compaction has no plan of its own
    known: dict[str, list[Row]] = {}
    for row in chain.from_iterable(plans.values()):
        known.setdefault(row["id"], []).append(row)
    mine = planned.get(name)
    if mine is None:  # a compaction, repair or shard by time: what was planned and no other manifest has
        held = {id for each in state.live.values() for id in each.rows["replay"].to_pylist()}
        mine = [row for row in chain.from_iterable(planned.values()) if row["id"] not in held]
    for row in mine:
        if not is_of_path(row["id"]):
            rows.setdefault(row["id"], {"file": row["file"]})
    made: list[Row] = [
        {
            "replay": id,
            "file": row["file"],
            "copies": [],
            "size": max((each["size"] for each in known.get(id, ())), default=0),
            "status": "partial" if id in counts else "failed",
            "problem_count": 0,
            "problems": [],
            "rows": json.dumps(counts.get(id, {})),
            "wanted": _wanted(known.get(id, ()), counts.get(id, ())),
            "playhead": __version__,
            "key": "",
            "read_seconds": 0.0,
            "attempts": 1,
            **{column.name: row.get(column.name) for column in RECORDING},
        }
        for id, row in sorted(rows.items())
    ]
    lost = {row["replay"]: {*counts.get(row["replay"], ())} for row in made}
    table = MANIFEST.build_rows(made)
    return _Wreck(Manifest(name, tuple(files), table), table.to_pylist(), damaged, lost)


def _wanted(plans: Iterable[Row], tables: Iterable[str]) -> str:
    """Return the tables that were wanted of an input, as manifests have them; of several plans those of all."""
    texts = {row.get("wanted") or "" for row in plans}
    if len(texts) < 2:
        return texts.pop() if texts else ",".join(sorted(tables))
    named = {table for text in texts for table in text.split(",")}
    return ALL if named & {ALL, ""} else ",".join(sorted(named))


def _whole_table(store: Store, name: str) -> pa.Table | None:
    """Return the rows of a data file whose SHA-256 is unknown; None if it is damaged."""
    try:
        data = pa.BufferReader(store.get(name))
        return pq.ParquetFile(data, page_checksum_verification=True).read()
    except (pa.ArrowException, OSError):
        return None


def _planned(store: Store) -> dict[str, list[Row]]:
    """Return the rows of the plans by shard."""
    found: dict[str, list[Row]] = {}
    for each in store.files(PLANS):
        with suppress(ValueError):
            for row in read_plan(store, each.name):
                found.setdefault(row["shard"], []).append(row)
    return found


def _held(manifests: Iterable[Manifest]) -> dict[str, set[str]]:
    """Return the tables that manifests have of each replay."""
    found: dict[str, set[str]] = {}
    for manifest in manifests:
        for row in manifest.rows.select(["replay", "status", "reason", "rows"]).to_pylist():
            if row["status"] in GOOD:
                found.setdefault(row["replay"], set()).update(json.loads(row["rows"]))
    return found


# -- reading again ---------------------------------------------------------------------------------


def names_to_try(row: Mapping[str, Any]) -> list[str]:
    """Return the name of an input; if there is no such file any more, its copies."""
    name = name_of_file(row)
    return [name] if may_exist(name) else [each for each in row["copies"] if may_exist(each)] or [name]


def may_exist(name: str) -> bool:
    """Return whether an input may still exist; a URL may."""
    member = split_member(name)
    return is_url(name) or os.path.lexists(name if member is None else member[0])


def _needed(sound: Iterable[Manifest], wrecks: Iterable[_Wreck]) -> dict[str, dict[str, list[str]]]:
    """Return the names of the inputs to read again by id, for each text of wanted tables; also of inputs that an
    earlier repair could not read again."""
    sound = [*sound]
    have = _held(sound)
    found: dict[str, dict[str, list[str]]] = {}
    for wreck in wrecks:
        for row in wreck.rows:
            lost = wreck.lost.get(row["replay"])
            if lost is not None and (row["replay"] not in have or not have[row["replay"]] >= lost):
                found.setdefault(row["wanted"], {})[row["replay"]] = names_to_try(row)
    healed = {
        row["replay"]
        for each in sound
        for row in each.rows.select(["replay", "status", "reason"]).to_pylist()
        if row["status"] in GOOD and row["reason"] != LOST
    }
    for each in sound:
        for row in each.rows.to_pylist():
            if row["reason"] == LOST and row["replay"] not in healed:
                found.setdefault(row["wanted"], {})[row["replay"]] = names_to_try(row)
    return found


def _read_again(
    store: Store,
    state: LakeState,
    needed: Mapping[str, Mapping[str, list[str]]],
    jobs: int | None,
    on_outcome: OnOutcome,
) -> tuple[list[Manifest], dict[str, str]]:
    """Write inputs as new shards; return their manifests, and why inputs could not be read, by id."""
    taken = frozenset(
        (*state.live, *state.untold, *(old for each in state.live.values() for old in each.replaces))
    )
    parts = next((tuple(file.parts) for each in state.live.values() for file in each.files), DIVIDED)
    total = sum(map(len, needed.values()))
    read: list[Manifest] = []
    errors: dict[str, str] = {}
    for wanted, inputs in needed.items():
        there = [name for names in inputs.values() for name in names if may_exist(name)]
        corpus = scan(there, jobs=jobs)
        items = {item.id: item for item in corpus.items} if there else {}
        for id, names in inputs.items():
            about = next((item for item in items.values() if item.file in names), None)
            if id not in items:
                errors[id] = "there is no such file" if about is None else about.error or "it has other bytes now"
        chosen = [items[id] for id in inputs if id in items]
        if not chosen:
            continue
        request = make_request(wanted.split(",") if wanted else None, parts)
        running = replace(corpus._running, gone=taken)
        shards = list(cut(chosen, request, taken))
        written = run_shards(shards, store, request, running, lambda outcome: on_outcome(outcome, total))
        read += listing(store, written)
    for manifest in read:
        for row in manifest.rows.select(["replay", "error"]).to_pylist():
            if row["error"] is not None:
                errors[row["replay"]] = row["error"]
    return read, errors


# -- replacing -------------------------------------------------------------------------------------


def _replacement(
    store: Store, wreck: _Wreck, gone: Mapping[str, set[str]], have: Mapping[str, set[str]]
) -> Manifest:
    """Write a manifest in place of a damaged one, with copies of the files that are left, but without the replays
    of which other manifests have everything.

    Args:
        gone: the lost tables of the replays that could not be read again.
        have: the tables that other manifests have, by replay.
    """
    dropped = {
        row["replay"]
        for row in wreck.rows
        if row["replay"] in wreck.lost
        and row["replay"] not in gone
        and have[row["replay"]].issuperset(json.loads(row["rows"]))
    }
    old = wreck.manifest
    digest = sha256("\n".join([old.name, *sorted(gone), "", *sorted(dropped)]).encode()).hexdigest()
    name = f"repair-{digest[:20]}"
    files = []
    with scratch_folder(store, None) as scratch:
        for number, file in enumerate(old.files):
            held = _without_replays(store, scratch, f"{name}-{number}", file, dropped)
            if held is not None:
                files.append(held)
    rows = [_left_of(row, wreck, gone) for row in wreck.rows if row["replay"] not in dropped]
    replaces = tuple(sorted({old.name, *old.replaces}))
    manifest = Manifest(name, tuple(files), MANIFEST.build_rows(rows), old.empty, replaces)
    manifest.write(store)
    return manifest


def _without_replays(
    store: Store, scratch: Path, name: str, file: DataFile, dropped: Collection[str]
) -> DataFile | None:
    """Write a data file under another name, without some replays; return None if there are no others."""
    data = store.get(file.name)
    if _replays_in(store, file).isdisjoint(dropped):
        target = f"{file.name.rpartition('/')[0]}/{name}-{file.shape}.parquet"
        store.put(target, data)
        return replace(file, name=target)
    table = pq.ParquetFile(pa.BufferReader(data)).read()
    mine = pc.is_in(table[REPLAY.name].cast(pa.string()), array_of(sorted(dropped), pa.string()))
    table = table.filter(pc.invert(mine))
    if not table.num_rows:
        return None
    return write_file(store.move_in, scratch, name, (file.table, file.shape, tuple(file.parts.items())), [table])


def _left_of(row: Row, wreck: _Wreck, gone: Mapping[str, set[str]]) -> Row:
    """Return the row of an input without its lost tables; of one that was not read again, with a problem."""
    lost = wreck.lost.get(row["replay"])
    if lost is None:
        return row
    is_told = path_of(wreck.manifest.name) not in wreck.damaged
    rows = {table: count for table, count in json.loads(row["rows"]).items() if not is_told or table not in lost}
    row = {**row, "rows": json.dumps(rows)}
    why = row.pop("why", "")
    if row["replay"] not in gone:
        return row
    cost = f"tables {', '.join(sorted(lost))}" if is_told else "what its data files in the lake do not have"
    what = f"files of the lake were damaged, and the input was not read again: {why}"
    if row["status"] not in GOOD:
        return {**row, "reason": LOST, "error": what}
    problem = Problem("lake", None, None, what, cost, kind="DamagedLake")
    problems = [*row["problems"], json.dumps(problem.as_dict())]
    count = row["problem_count"] + 1
    return {**row, "status": "partial", "reason": LOST, "problem_count": count, "problems": problems}
