"""Manifests list the files of a shard and the outcome of each input. A shard's manifest is written last.

A manifest is a Parquet file with a row per input (`MANIFEST`); its metadata, as JSON under `FACTS`, lists the data
files. Files that no manifest lists do not count.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from playhead.corpus.decode import GOOD, Outcome
from playhead.corpus.facts import INPUT_FILE, INPUT_REPLAY, RECORDING, SIZE, storable
from playhead.corpus.names import folder_of, is_name
from playhead.corpus.request import Request
from playhead.io.store import Store, StrangeFile, open_store
from playhead.model import Problem
from playhead.runtime.libraries import pa, pc, pq
from playhead.runtime.records import asdict, dataclass, field
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of
from playhead.text.json import valid_text
from playhead.version import __version__

FOLDER = "_manifests"
#: A lake has at least one of these.
_FOLDERS = (FOLDER, "_plans")
FACTS = b"playhead.facts"
#: SHA-256 of `FACTS`, which has a hash of the rows.
FACTS_DIGEST = b"playhead.facts.sha256"

#: Version of a lake's layout; readers refuse newer versions.
LAYOUT = 1

MANIFEST = TableSchema.of(
    "inputs",
    "One row for each replay of a lake, and for each input that could not be read.",
    INPUT_REPLAY,
    INPUT_FILE,
    Column(
        "file_bytes", "binary", "The bytes of a name that is no UTF-8, for which `file` has U+FFFD; else null."
    ),
    Column("copies", "list<string>", "Other names of the same bytes.", required=True),
    Column("grew_from", "list<string>", "Earlier states of the same recording; their rows do not count."),
    SIZE,
    Column("status", "string", "whole, partial, failed or quarantined.", required=True),
    Column("reason", "string", "Why nothing could be read, a stable word: corrupt, timeout, memory …"),
    Column("error", "string", "The reason in words."),
    Column("problem_count", "int64", "Number of problems.", required=True),
    Column("problems", "list<string>", "The first of them, each as a JSON object.", required=True),
    *RECORDING,
    Column("rows", "string", "Rows in each table, as a JSON object.", required=True),
    Column("wanted", "string", "Requested tables, with commas; empty for the default.", required=True),
    Column("playhead", "string", "Version of playhead that read the input.", required=True),
    Column("key", "string", "Hash of the version and of all options.", required=True),
    Column("read_seconds", "float64", "Time that reading took.", "s", required=True),
    Column("attempts", "int32", "Number of attempts.", required=True),
    Column("signal", "string", "Signal that ended the process of a quarantined input."),
    Column("peak_memory", "int64", "Greatest memory of the process.", "bytes"),
    Column("log", "string", "End of the standard error of the process of a quarantined input."),
)


_SHARD = "shard-"
#: How many names of a shard are tried: it has another than the first if a manifest of that name was replaced.
_NAMES = 64

#: The reason of a replay of which a repair kept what it could: its input could not be read again. An export reads
#: it again.
LOST = "lost"


class DamagedLake(OSError):
    """Files of a lake are missing or changed; ``playhead lake check --repair`` reads their inputs again."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file of a lake.

    Attributes:
        name: path in the lake.
        shape: hash of its Arrow schema, which the lake holds too.
        parts: values of the partition columns.
        checksum: SHA-256 of the file.
    """

    name: str
    table: str
    shape: str
    parts: Mapping[str, Any]
    rows: int
    size: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files that one shard or compaction wrote into a lake.

    Attributes:
        name: without folder and suffix.
        files: its data files.
        empty: tables without rows: (table, shape).
        replaces: names of manifests that a compaction merged into this one.
        rows: a table of `MANIFEST`.
    """

    name: str
    files: tuple[DataFile, ...]
    rows: pa.Table = field(repr=False)
    empty: tuple[tuple[str, str], ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def shapes(self) -> frozenset[str]:
        """Hashes of the schemas of its tables."""
        return frozenset((*(file.shape for file in self.files), *(shape for _, shape in self.empty)))

    def write(self, store: Store) -> None:
        """Write the manifest; from then on the data files count."""
        facts = {
            "layout": LAYOUT,
            "files": [asdict(each) for each in self.files],
            "empty": [list(each) for each in self.empty],
            "replaces": list(self.replaces),
            "counts": _counts(self.files),
        }
        text = json.dumps({**facts, "digest": _digest(self.rows)}).encode()
        table = self.rows.replace_schema_metadata(
            {**(self.rows.schema.metadata or {}), FACTS: text, FACTS_DIGEST: _sha256(text)}
        )
        out = io.BytesIO()
        pq.write_table(table, out, compression="zstd", write_page_checksum=True)
        store.put(path_of(self.name), out.getvalue())


def _sha256(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def _digest(rows: pa.Table) -> str:
    """Return a hash of the values of rows. Checksums of Parquet do not cover its description of the columns."""
    digest = hashlib.sha256()
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        digest.update(json.dumps([name, to_list(column)], default=repr).encode())
    return digest.hexdigest()


def name_of_file(row: Mapping[str, Any]) -> str:
    """Return the name of an input from its row, for opening it."""
    return row["file"] if row["file_bytes"] is None else os.fsdecode(row["file_bytes"])


def problems_of(row: Mapping[str, Any]) -> list[Problem]:
    """Return the listed problems of an input from its row.

    Raises:
        DamagedLake: one is none.
    """
    try:
        return [Problem(**json.loads(text)) for text in row["problems"]]
    except (TypeError, ValueError) as error:
        raise DamagedLake(f"the manifest's problems of {row['file']}: {error}") from error


def fault_of_file(store: Store, file: DataFile, sizes: Mapping[str, int], *, whole: bool) -> str | None:
    """Return what is wrong with a data file; None if nothing is.

    Args:
        sizes: the sizes of the files that the store has.
        whole: read the file and compare its SHA-256.
    """
    found = sizes.get(file.name)
    if found is None:
        return "is missing"
    if found < 0:
        return "is a link, which may lead out of the lake, or a pipe"
    if found != file.size:
        return f"expected {file.size} bytes, found {found}"
    if whole:
        with store.open(file.name) as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != file.checksum:
            return f"expected the SHA-256 {file.checksum}, found {digest}"
    return None


def path_of(name: str) -> str:
    """Return the path of a manifest in a lake."""
    return f"{FOLDER}/{name}.parquet"


def names_in(store: Store) -> list[str]:
    """Return the names of the manifests of a lake, sorted; lists the folder once."""
    found = [each.name.rpartition("/")[2] for each in store.files(FOLDER)]
    return sorted(name.removesuffix(".parquet") for name in found if name.endswith(".parquet") and name[0] != ".")


def read_manifest(store: Store, name: str) -> Manifest:
    """Read one manifest.

    Raises:
        FileNotFoundError: there is no manifest of that name.
        ValueError: it is damaged, or its layout is newer than this version of playhead.
    """
    try:
        data = store.get(path_of(name))
    except StrangeFile as error:
        raise ValueError(f"{store.path(path_of(name))}: damaged manifest: {error}") from error
    try:
        rows = read_small(data)
        text = rows.schema.metadata[FACTS]
        if rows.schema.metadata.get(FACTS_DIGEST, _sha256(text)) != _sha256(text):  # older versions wrote none
            raise ValueError("another digest of the list of files")
        facts = json.loads(text)
        layout = int(facts["layout"])
        if facts.get("digest") not in (None, _digest(rows)):
            raise ValueError("another digest of the rows")
        files, empty, replaces = _listed(name, facts, rows) if layout <= LAYOUT else ((), (), ())
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{store.path(path_of(name))}: damaged manifest: {error}") from error
    if layout > LAYOUT:
        raise ValueError(f"{store.location}: written by a later version of playhead (layout {layout})")
    return Manifest(name, files, rows.replace_schema_metadata(MANIFEST.arrow().metadata), empty, replaces)


def _listed(
    name: str, facts: Mapping[str, Any], rows: pa.Table
) -> tuple[tuple[DataFile, ...], tuple[Any, ...], tuple[str, ...]]:
    """Return the data files, empty tables and replaced manifests of a manifest.

    Raises:
        ValueError, TypeError: they are not what `Manifest.write` writes, lead out of the lake, or contradict each
            other or the rows.
    """
    files = tuple(DataFile(**each) for each in facts["files"])
    empty = tuple((str(table), str(shape)) for table, shape in facts["empty"])
    replaces = tuple(facts["replaces"])
    for file in files:
        if not isinstance(file.rows, int) or not isinstance(file.size, int) or not isinstance(file.parts, dict):
            raise ValueError(f"expected facts of a data file, found {file}")
    for each in [each for file in files for each in (file.name, file.shape)] + [shape for *_, shape in empty]:
        if not is_name(each):
            raise ValueError(f"expected a name inside of the lake, found {each!r}")
    for file in files:
        folder, _, last = file.name.rpartition("/")
        is_its = last.startswith(f"{name}-") and last.endswith(f"-{file.shape}.parquet")
        if not is_its or folder != folder_of(file.table, file.parts.items()):
            raise ValueError(f"expected the name of a file of {file.table}, found {file.name!r}")
    if len({file.name for file in files}) < len(files):
        raise ValueError("it lists a file twice")
    if name in replaces or not all(map(is_name, replaces)):
        raise ValueError(f"expected names of other manifests, found {replaces}")
    if name.startswith(_SHARD) and not _is_name_of(name, rows):
        raise ValueError("it has other inputs than its name says")
    counts = _counts(files)
    if counts != (facts.get("counts", counts) if replaces else _claimed(rows)):
        raise ValueError("its files have other numbers of rows than its inputs")
    return files, empty, replaces


def shard_names(key: str, ids: Iterable[str]) -> Iterator[str]:
    """Yield the names that a shard may have, the best first; endless.

    Args:
        key: of the request, see `Request.key`.
        ids: the ids of its inputs.
    """
    members = sorted(ids)
    while True:
        text = "\n".join([key, *members])
        yield f"{_SHARD}{hashlib.sha256(text.encode()).hexdigest()[:20]}"
        key += "+"


def _is_name_of(name: str, rows: pa.Table) -> bool:
    """Return whether a shard's manifest has the inputs of which its name was made."""
    keys = {*to_list(rows["key"])}
    return len(keys) == 1 and name in islice(shard_names(keys.pop(), to_list(rows["replay"])), _NAMES)


def _counts(files: Iterable[DataFile]) -> dict[str, int]:
    """Return the number of rows of each table that has some."""
    found: Counter[str] = Counter()
    for file in files:
        found[file.table] += file.rows
    return {table: count for table, count in found.items() if count}


def _claimed(rows: pa.Table) -> dict[str, int]:
    """Return the number of rows of each table that has some, as the rows of inputs have it."""
    found: Counter[str] = Counter()
    for text in to_list(good_rows(rows)["rows"]):
        counts = json.loads(text)
        if not isinstance(counts, dict):
            raise ValueError(f"expected numbers of rows by table, found {text[:100]}")
        for table, count in counts.items():
            found[table] += count
    return {table: count for table, count in found.items() if count}


def misfits(manifests: Mapping[str, Manifest]) -> dict[str, str]:
    """Return what is wrong with manifests beside each other, by name: one replaces another and is replaced by it,
    or replaces one with inputs that no manifest has that counts."""
    found: dict[str, str] = {}
    replaced = {name for each in manifests.values() for name in each.replaces}
    live = [each for name, each in manifests.items() if name not in replaced]
    covered = {name for each in live for name in each.replaces}
    for each in manifests.values():
        if each.name in replaced and not covered.issuperset((each.name, *each.replaces)):
            found[each.name] = "replaces a manifest that replaces it"
    present = covered.intersection(manifests)
    held = {replay for each in live for replay in to_list(each.rows["replay"])} if present else set()
    for name in sorted(present):
        lost = {*to_list(manifests[name].rows["replay"])} - held
        for each in live if lost else ():
            if name in each.replaces:
                found[each.name] = f"replaces {name}, of which {len(lost)} inputs are lost"
    return found


def lacking(planned: Mapping[str, Collection[str]], live: Sequence[Manifest]) -> dict[str, str]:
    """Return which of the manifests that count lack inputs of a shard that was planned: what, by name."""
    held = {each.name: frozenset(to_list(each.rows["replay"])) for each in live}
    every = frozenset().union(*held.values())
    owners = {name: each.name for each in live for name in (each.name, *each.replaces)}
    found = {}
    for shard, ids in planned.items():
        lost = {*ids}.difference(held.get(shard, every))
        if shard in owners and lost:
            found[owners[shard]] = f"lacks {len(lost)} of {len(ids)} planned inputs"
    return found


def read_small(data: bytes) -> pa.Table:
    """Return the table of a small Parquet file. Reads without threads: a process that exits while Arrow starts its
    threads is aborted.

    Raises:
        pa.ArrowInvalid: it is damaged.
    """
    return pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read(use_threads=False)


def rows_of(outcomes: Iterable[Outcome], request: Request) -> pa.Table:
    """Return the rows of a manifest."""
    return MANIFEST.build_rows([_row(outcome, request) for outcome in outcomes])


def _row(outcome: Outcome, request: Request) -> dict[str, Any]:
    item = outcome.item
    info = dict(outcome.info)
    count = info.pop("problems", len(outcome.problems))
    same = ("status", "reason", "error", "attempts", "signal", "peak_memory", "log")
    row: dict[str, Any] = {
        "replay": item.id,
        "file": item.file,
        "file_bytes": None if valid_text(item.file) == item.file else os.fsencode(item.file),
        "copies": list(item.copies),
        "grew_from": list(item.grew_from),
        "size": item.size,
        "problem_count": count,
        "problems": [json.dumps(problem.as_dict()) for problem in outcome.problems],
        "rows": json.dumps({part.table: part.rows for part in outcome.parts}),
        "wanted": request.wanted,
        "playhead": __version__,
        "key": request.key,
        "read_seconds": round(outcome.seconds, 6),
        **{name: getattr(outcome, name) for name in same},
        **info,
    }
    return storable(row)


def empty_rows() -> pa.Table:
    """Return a manifest's table without rows."""
    return MANIFEST.build_rows(())


def under_each_other(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate the rows of manifests of any version, converted to this version."""
    return pa.concat_tables([empty_rows(), *tables], promote_options="permissive")


def good_rows(rows: pa.Table) -> pa.Table:
    """Return the rows of inputs that have tables."""
    return rows.filter(pc.is_in(rows["status"], array_of(GOOD, pa.string())))


@dataclass(frozen=True, slots=True)
class Piece:
    """A data file, as far as it counts.

    Attributes:
        without: the replays in it whose rows another manifest supersedes.
        has_others: it has rows of replays that are not chosen.
    """

    file: DataFile
    without: tuple[str, ...] = ()
    has_others: bool = False


def is_lake(location: str | os.PathLike[str]) -> bool:
    """Return whether a folder or URL is a lake; False for HTTP.

    Raises:
        ModuleNotFoundError: the package for such URLs is not installed.
        OSError: the location cannot be listed.
    """
    text = os.fspath(location)
    if "://" not in text:
        return any(os.path.isdir(os.path.join(text, name)) for name in _FOLDERS)
    if text.startswith(("http://", "https://")):
        return False
    store = open_store(text)
    return any(True for name in _FOLDERS for _ in store.files(name))


def version_of(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, for comparison."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def outgrown(manifests: Iterable[Manifest]) -> frozenset[str]:
    """Return the replays of which a longer state was read later."""
    found: set[str] = set()
    for manifest in manifests:
        states = good_rows(manifest.rows)["grew_from"].to_pylist()
        found.update(replay for some in states for replay in some or ())
    return frozenset(found)


def superseded(manifests: Sequence[Manifest]) -> dict[tuple[str, str], set[str]]:
    """Return the replays whose rows do not count, by manifest and table."""
    found: dict[tuple[str, str], set[str]] = {}
    old = outgrown(manifests)
    good = [good_rows(each.rows) for each in manifests]
    counts = Counter(replay for rows in good for replay in to_list(rows["replay"]))
    twice = {replay for replay, count in counts.items() if count > 1}
    held: dict[tuple[str, str], tuple[tuple[int, ...], str]] = {}
    if not twice and not old:
        return found
    for manifest, rows in zip(manifests, good, strict=True):
        for row in rows.select(["replay", "playhead", "rows"]).to_pylist():
            replay = row["replay"]
            if replay not in twice and replay not in old:
                continue
            rank = version_of(row["playhead"])
            for table in json.loads(row["rows"]):
                loser = manifest.name
                if replay not in old:
                    best, owner = held.setdefault((replay, table), (rank, loser))
                    if owner == loser:
                        continue
                    if rank > best:
                        held[replay, table], loser = (rank, manifest.name), owner
                found.setdefault((loser, table), set()).add(replay)
    return found
