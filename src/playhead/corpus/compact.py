"""The compaction of a lake: the small files of many shards are merged into few large ones.

One manifest replaces theirs. Readers that opened the lake earlier keep reading the old files, which are removed
some time later.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from playhead.corpus.lake import Lake, open_lake
from playhead.corpus.lists import add_to_lists
from playhead.corpus.manifest import DataFile, Manifest, Piece, path_of, under_each_other
from playhead.corpus.shards import scratch_folder
from playhead.corpus.write import Group, write_file
from playhead.runtime.records import dataclass

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
        keep: seconds for which replaced files are kept; those of unfinished shards are kept for an hour.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: the lake cannot be written.
    """
    opened = open_lake(lake)
    before = sum(1 for _ in opened.pieces())
    chosen = [each for each in opened.manifests if _is_small(each, target)]
    if len(chosen) > 1:
        name = _put_together(opened, chosen, target)
        opened = open_lake(lake)
        add_to_lists(opened.store, [name], without=opened.gone)
    return Compacted(before, sum(1 for _ in opened.pieces()), _clean(opened, keep))


def _is_small(manifest: Manifest, target: int) -> bool:
    """Return whether a manifest is a shard's, or a compaction's with files far below the target."""
    if not manifest.name.startswith(_PREFIX):
        return True
    return max((file.size for file in manifest.files), default=0) < target // 2


def _put_together(lake: Lake, chosen: list[Manifest], target: int) -> str:
    """Merge the files of manifests; return the name of the new one."""
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
    return name


def _merge(lake: Lake, scratch: Path, name: str, group: Group, pieces: list[Piece]) -> DataFile | None:
    tables = (table for piece in pieces if (table := lake.read(piece)).num_rows)
    first = next(tables, None)
    if first is None:  # other manifests hold all its rows
        return None
    return write_file(lake.store.move_in, scratch, name, group, chain([first], tables))


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
    """Remove old files that do not count; return their number. Those of unfinished shards are kept for `KEEP` at
    least, by the clock that is behind: this one, or that of the store."""
    changed = {each.name: each.changed for each in lake.store.files()}
    now = min(time.time(), max(changed.values(), default=0.0))
    since: dict[str, float] = {}  # when each manifest was replaced: who opened the lake before may still read it
    for each in lake.all_manifests:
        for old in each.replaces:
            since[old] = min(changed.get(path_of(each.name), now), since.get(old, now))
    names = []
    for name, replaced in lake.orphans():
        if replaced is None:
            is_old = now - changed.get(name, now) >= max(keep, KEEP)
        else:
            is_old = now - since[replaced] >= keep
        if is_old:
            names.append(name)
    # Data first: a manifest that still exists records that they were replaced, even if this is interrupted.
    names.sort(key=lambda name: name.startswith("_manifests/"))
    for name in names:
        lake.store.remove(name)
    return len(names)
