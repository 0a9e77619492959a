"""Data files of no manifest: what an unfinished export leaves, or all that is left of a lake without manifests."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping

from playhead.corpus.identity import is_of_path
from playhead.corpus.manifest import Manifest, good_rows
from playhead.corpus.names import held_in
from playhead.corpus.plan import planned_ids
from playhead.corpus.shards import SCRATCH
from playhead.io.store import FolderStore, Store, Stored
from playhead.runtime.libraries import pa, pq
from playhead.tables.arrow import to_list
from playhead.tables.combined import REPLAY

#: Seconds for which another process may still write the manifest of a data file.
UNFINISHED = 3600.0

_DATA_FILE = re.compile(r"((?:shard|compact|repair)-[0-9a-f]+)-(?:[0-9]+-)?[0-9a-f]+\.parquet")


def lost_by_files(store: Store, files: Iterable[Stored], manifests: Mapping[str, Manifest | None]) -> list[str]:
    """Return the names of lost manifests of which data files are left, sorted.

    Such a file has rows of replays that no manifest has. It is older than `UNFINISHED`; or no process writes, and
    with the others it has every input of the plans, or plans and manifests are all missing: an export saves its
    plan before its first data file, and what is written without a plan into a folder has scratch files there.

    Args:
        files: all files of the lake.
        manifests: the manifests of the lake by name, also replaced ones; None for a damaged one.
    """
    every = list(files)
    told = [each for each in manifests.values() if each is not None]
    known = {*manifests, *(name for each in told for name in each.replaces)}
    strays: dict[str, list[Stored]] = {}
    for each in every:
        folder, _, last = each.name.rpartition("/")
        match = _DATA_FILE.fullmatch(last)
        if match and match[1] not in known and not folder.startswith("_") and held_in(folder):
            strays.setdefault(match[1], []).append(each)
    if not strays:
        return []
    held = {
        (row["replay"], table)
        for each in told
        for row in good_rows(each.rows).select(["replay", "rows"]).to_pylist()
        for table in json.loads(row["rows"])
    }
    found = {name: {each for file in some for each in _held(store, file.name)} for name, some in strays.items()}
    replays = {id for some in found.values() for id, _ in some}
    plans = planned_ids(store)
    planned = {id for ids in plans.values() for id in ids if not is_of_path(id)}
    tried = {replay for each in told for replay in to_list(each.rows["replay"])}
    is_writing = any(each.name.startswith(f"{SCRATCH}/") for each in every)
    if plans or manifests:
        is_finished = bool(planned) and not is_writing and planned <= tried | replays
    else:
        is_finished = not is_writing and isinstance(store, FolderStore)
    now = time.time()
    return sorted(
        name
        for name, some in found.items()
        if (is_finished or now - max(each.changed for each in strays[name]) >= UNFINISHED) and not some <= held
    )


def _held(store: Store, name: str) -> set[tuple[str, str]]:
    """Return the replays of a data file, each with its table; an unknown one for a damaged file."""
    table, _ = held_in(name.rpartition("/")[0]) or ("", {})
    try:
        with store.open(name) as opened:
            rows = pq.ParquetFile(opened).read(columns=[REPLAY.name])
        return {(replay, table) for replay in rows[REPLAY.name].unique().to_pylist()}
    except (pa.ArrowException, OSError, KeyError):
        return {("", table)}
