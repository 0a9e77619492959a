"""Upkeep of a lake: checks, repair, and compaction.

A check compares every file that a manifest lists with its size and, on request, its SHA-256; `repair_lake` removes
the manifests of damaged files and names the inputs that an export must read again. A compaction merges the small
files of many shards into few large ones, with one manifest that replaces theirs. Readers that opened the lake
earlier keep reading the old files, which are removed some time later.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from playhead.corpus.lake import Lake, open_lake
from playhead.corpus.manifest import (
    DataFile,
    Manifest,
    Piece,
    fault_of_file,
    name_of_file,
    names_in,
    path_of,
    read_manifest,
    under_each_other,
)
from playhead.corpus.plan import FOLDER as PLANS
from playhead.corpus.plan import read_plan
from playhead.corpus.shards import scratch_folder
from playhead.corpus.write import SCHEMAS, Group, read_schema, write_file
from playhead.io.store import Store, open_store
from playhead.runtime.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged or missing file of a lake.

    Attributes:
        name: its name in the lake.
        what: the fault.
        manifest: the manifest that lists it; None for a plan.
    """

    name: str
    what: str
    manifest: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair.

    Attributes:
        faults: the damage that was found.
        removed: the files that were removed.
        inputs: the inputs to be read again, with the tables that were wanted of them (`Request.wanted`).
    """

    faults: tuple[Fault, ...]
    removed: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...] = field(default=())


def check_lake(location: str | os.PathLike[str], *, whole: bool = True) -> tuple[Fault, ...]:
    """Compare the files of a lake with its manifests; return the damage.

    Args:
        location: folder or URL.
        whole: read every file and compare its SHA-256; otherwise compare sizes only.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read.
    """
    return tuple(_faults(open_store(location), whole))


def repair_lake(location: str | os.PathLike[str]) -> Repair:
    """Check a whole lake and remove the damaged files with their manifests.

    Their replays are missing then: export the inputs again.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read or changed.
    """
    store = open_store(location)
    faults = tuple(_faults(store, whole=True))
    bad = {fault.manifest for fault in faults if fault.manifest is not None}
    manifests = _manifests(store)
    sound = [each for name, each in manifests.items() if each is not None and name not in bad]
    known = {(replay, wanted) for each in sound for replay, _, wanted in _inputs_of(each)}
    rows = [row for name in sorted(bad) if (lost := manifests[name]) for row in _inputs_of(lost)]
    if any(manifests[name] is None for name in bad):  # the plans say what it held
        rows += _planned(store)
    inputs = {(file, wanted) for replay, file, wanted in rows if (replay, wanted) not in known}
    removed = [path_of(name) for name in sorted(bad)]
    removed += sorted({each.name for each in faults if each.manifest is None or each.name.startswith(SCHEMAS)})
    for each in removed:
        store.remove(each)
    return Repair(faults, tuple(removed), tuple(sorted(inputs)))


def _inputs_of(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield id, file and wanted tables of the inputs of a manifest."""
    for row in manifest.rows.select(["replay", "file", "file_bytes", "wanted"]).to_pylist():
        yield row["replay"], name_of_file(row), row["wanted"]


def _planned(store: Store) -> Iterator[tuple[str, str, str]]:
    """Yield id, file and wanted tables of every input of the plans."""
    for each in store.files(PLANS):
        try:
            rows = read_plan(store, each.name)
        except ValueError:
            continue
        for row in rows:
            yield row["id"], row["file"], row.get("wanted") or ""


def _manifests(store: Store) -> dict[str, Manifest | None]:
    """Return the manifests by name; None for a damaged one."""
    found: dict[str, Manifest | None] = {}
    for name in names_in(store):
        try:
            found[name] = read_manifest(store, name)
        except ValueError:
            found[name] = None
    return found


def _faults(store: Store, whole: bool) -> Iterator[Fault]:
    manifests = _manifests(store)
    sizes = {each.name: each.size for each in store.files()}
    plans = [name for name in sizes if name.startswith(f"{PLANS}/") and name.endswith(".parquet")]
    if not manifests and not plans:
        raise FileNotFoundError(f"{store.location}: there is no lake (nothing was exported to it)")
    for name, manifest in manifests.items():
        if manifest is None:
            yield Fault(path_of(name), "damaged manifest", name)
    for name in plans:
        try:
            read_plan(store, name)
        except ValueError:
            yield Fault(name, "damaged plan")
    replaced = {name for each in manifests.values() if each for name in each.replaces}
    for name, manifest in manifests.items():
        if manifest is not None and name not in replaced:
            yield from _faults_of(store, manifest, sizes, whole)


def _faults_of(store: Store, manifest: Manifest, sizes: dict[str, int], whole: bool) -> Iterator[Fault]:
    for shape in sorted({file.shape for file in manifest.files} | {shape for _, shape in manifest.empty}):
        try:
            read_schema(store, shape)
        except (OSError, ValueError) as error:
            yield Fault(f"{SCHEMAS}/{shape}.arrow", f"damaged schema: {error}", manifest.name)
    for file in manifest.files:
        fault = fault_of_file(store, file, sizes, whole=whole)
        if fault is not None:
            yield Fault(file.name, fault, manifest.name)


# -- compaction ----------------------------------------------------------------------------------------

#: Bytes after which a new data file begins.
TARGET = 128 << 20

#: Seconds for which unlisted files are kept: another process may be reading or writing them.
KEEP = 3600.0

_PREFIX = "compact-"


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result of a compaction: data files before and after, and the number of removed files."""

    files_before: int
    files_after: int
    removed: int


def compact(lake: str | os.PathLike[str], *, target: int = TARGET, keep: float = KEEP) -> Compacted:
    """Merge the small files of a lake, and remove files that no manifest lists any more.

    Exports may run meanwhile. May be killed at any moment. Two compactions at once are harmless but do the work
    twice.

    Args:
        lake: folder or URL.
        target: bytes after which a new data file begins.
        keep: seconds for which unlisted files are kept.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: the lake cannot be written.
    """
    opened = open_lake(lake)
    before = sum(1 for _ in opened.pieces())
    chosen = [each for each in opened.manifests if _is_small(each, target)]
    if len(chosen) > 1:
        _put_together(opened, chosen, target)
        opened = open_lake(lake)
    return Compacted(before, sum(1 for _ in opened.pieces()), _clean(opened, keep))


def _is_small(manifest: Manifest, target: int) -> bool:
    """Return whether a manifest is a shard's, or a compaction's with files far below the target."""
    if not manifest.name.startswith(_PREFIX):
        return True
    return max((file.size for file in manifest.files), default=0) < target // 2


def _put_together(lake: Lake, chosen: list[Manifest], target: int) -> None:
    names = [each.name for each in chosen]
    name = _PREFIX + hashlib.sha256("\n".join(names).encode()).hexdigest()[:20]
    mine = {file.name for manifest in chosen for file in manifest.files}
    groups: dict[Group, list[Piece]] = {}
    for piece in lake.pieces():
        if piece.file.name in mine:
            file = piece.file
            group = (file.table, file.shape, tuple(file.parts.items()))
            groups.setdefault(group, []).append(piece)
    files: list[DataFile] = []
    with scratch_folder(lake.store, None) as scratch:
        for group, pieces in sorted(groups.items(), key=lambda each: str(each[0])):
            for number, some in enumerate(_batches(pieces, target)):
                written = _merge(lake, scratch, f"{name}-{number}", group, some)
                if written is not None:
                    files.append(written)
    empty = {each for manifest in chosen for each in manifest.empty}
    rows = under_each_other([manifest.rows for manifest in chosen])
    replaces = {*names, *(older for manifest in chosen for older in manifest.replaces)}
    Manifest(name, tuple(files), rows, tuple(sorted(empty)), tuple(sorted(replaces))).write(lake.store)


def _merge(lake: Lake, scratch: Path, name: str, group: Group, pieces: list[Piece]) -> DataFile | None:
    tables = (table for piece in pieces if (table := lake.read(piece)).num_rows)
    first = next(tables, None)
    if first is None:  # other manifests hold all its rows
        return None
    return write_file(lake.store, scratch, name, group, chain([first], tables))


def _batches(pieces: list[Piece], target: int) -> Iterator[list[Piece]]:
    some: list[Piece] = []
    size = 0
    for piece in pieces:
        if some and size + piece.file.size > target:
            yield some
            some, size = [], 0
        some.append(piece)
        size += piece.file.size
    if some:
        yield some


def _clean(lake: Lake, keep: float) -> int:
    """Remove old files that no manifest lists; return their number."""
    changed = {each.name: each.changed for each in lake.store.files()}
    now = time.time()
    names = [name for name in lake.orphans() if now - changed.get(name, now) >= keep]
    # Data first: a manifest that still exists records that they were replaced, even if this is interrupted.
    names.sort(key=lambda name: name.startswith("_manifests/"))
    for name in names:
        lake.store.remove(name)
    return len(names)
