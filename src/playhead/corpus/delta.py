"""The tables of a lake in the format of Delta Lake, by delta-rs: their places, columns, data files and commits."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from playhead.corpus.facts import READING
from playhead.errors import ColumnTypeError
from playhead.io.atomic import sync_folder
from playhead.io.store import FolderStore, Store, naming, one_line, open_store
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa, pq
from playhead.runtime.records import dataclass
from playhead.tables.arrow import to_rows, with_schema
from playhead.tables.combined import REPLAY, word_of
from playhead.tables.schema import arrow_type
from playhead.tables.value_arrays import array_of

#: The table with a row for each input. A replay is in the lake when its row of this table is.
INFO = "info"

#: Version of the layout of a lake, a property of table `INFO`; readers refuse newer ones.
LAYOUT = 2
_LAYOUT = "playhead.layout"
#: Without it delta-rs takes columns without statistics for null, and its readers skip the files.
_WITH_STATISTICS = "delta.dataSkippingStatsColumns"

#: The partition column of every table.
GAME = "game"

#: Folders of the layout before this one.
_OLD_FOLDERS = ("_manifests", "_plans")

#: Characters of the name of a folder.
_MOST_NAME = 120
#: Path of a data file in the folder of its table: no part is empty or of dots alone.
_FILE = re.compile(r"(?:\.*[\w~=%-][\w.~=%-]*/)*\.*[\w~=%-][\w.~=%-]*", re.ASCII)
#: Key of a column's type where Delta has another for it.
_TYPE = "playhead.type"
#: Widths that Delta has for unsigned numbers.
_SIGNED = {"uint8": "int16", "uint16": "int32", "uint32": "int64"}
_ATTEMPTS = 200

T = TypeVar("T")


class DamagedLake(OSError):
    """Files of a lake are missing or changed; ``playhead lake check`` names them."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file of a table of a lake.

    Attributes:
        name: its path in the folder of the table.
        game: value of the partition column.
        readings: the least and the greatest `READING` in it.
        replays: the least and the greatest replay.
        written: when it was committed, by the writer's clock, in seconds since 1970.
    """

    table: str
    name: str
    game: str | None
    rows: int
    size: int
    readings: tuple[str, str]
    replays: tuple[str, str] = ("", "~")
    written: float = 0.0

    @property
    def path(self) -> str:
        """Its path in the lake."""
        return f"{folder_of(self.table)}/{self.name}"


def folder_of(table: str) -> str:
    """Return the folder in a lake of a table: of ASCII that every file system and URL takes."""
    odd = re.compile(r"^[^a-zA-Z0-9]|[^a-zA-Z0-9_.-]")
    name = (
        odd.sub(lambda found: "".join(f"~{byte:02X}" for byte in found[0].encode(errors="replace")), table) or "~"
    )
    if len(name) <= _MOST_NAME:
        return name
    return f"{name[:_MOST_NAME]}~{sha256(name.encode()).hexdigest()[:16]}"


def is_lake(location: str | os.PathLike[str]) -> bool:
    """Return whether a folder or URL is a lake, also one of an earlier version; False for HTTP.

    Raises:
        ModuleNotFoundError: the package for such URLs is not installed.
        OSError: the location cannot be listed.
    """
    text = os.fspath(location)
    if text.startswith(("http://", "https://")):
        return False
    return has_files(open_store(text), f"{INFO}/_delta_log", *_OLD_FOLDERS)


def has_files(store: Store, *folders: str) -> bool:
    """Return whether there is a file in one of the folders."""
    return any(True for name in folders for _ in store.files(name))


# -- columns ------------------------------------------------------------------------------------------------------


def stored_type(type_: pa.DataType) -> pa.DataType:
    """Return the type that Delta has for a type of ours."""
    if pa.types.is_dictionary(type_):
        return type_.value_type
    if pa.types.is_list(type_):
        return pa.list_(stored_type(type_.value_type))
    if pa.types.is_uint64(type_):
        return pa.decimal128(20, 0)
    return arrow_type(_SIGNED[str(type_)]) if str(type_) in _SIGNED else type_


def _stored(field: pa.Field) -> pa.Field:
    """Return a column of ours as Delta has it: doc and unit as a comment and a property."""
    held = {name.decode(): text.decode() for name, text in (field.metadata or {}).items()}
    about = {"comment": held.get("doc", ""), "unit": held.get("unit", "")}
    type_ = stored_type(field.type)
    if type_ != field.type:
        about[_TYPE] = _word(field.type)
    return pa.field(field.name, type_, metadata=about)


def _word(type_: pa.DataType) -> str:
    return f"list<{_word(type_.value_type)}>" if pa.types.is_list(type_) else word_of(type_)


def _ours(field: pa.Field) -> pa.Field:
    """Return a column of Delta with its type and description as tables of replays have them."""
    held = {name.decode(): text.decode() for name, text in (field.metadata or {}).items()}
    type_ = arrow_type(held[_TYPE]) if _TYPE in held else _plain_list(field.type)
    return pa.field(field.name, type_, metadata={"doc": held.get("comment", ""), "unit": held.get("unit", "")})


def _plain_list(type_: pa.DataType) -> pa.DataType:
    return pa.list_(type_.value_type) if pa.types.is_list(type_) or pa.types.is_large_list(type_) else type_


# -- reading ------------------------------------------------------------------------------------------------------


class LakeTable:
    """One table of a lake at one version."""

    def __init__(self, store: Store, name: str, delta: Any) -> None:
        self.store = store
        self.name = name
        self.delta = delta

    @property
    def version(self) -> int:
        """The number of its latest commit."""
        return int(self.delta.version())

    @cached_property
    def schema(self) -> pa.Schema:
        """Its columns, with `READING` and, last if it has none of its own, `GAME`."""
        return pa.schema([_ours(field) for field in pa.schema(self.delta.schema())])

    @cached_property
    def files(self) -> list[DataFile]:
        """Its data files, sorted by readings."""
        # `pa.table` would import pandas.
        stream = pa.RecordBatchReader.from_stream(self.delta.get_add_actions(flatten=True))
        rows = to_rows(stream.read_all())
        for row in rows:
            if not _FILE.fullmatch(row["path"]):
                raise DamagedLake(f"{self.store.path(folder_of(self.name))}: a file is elsewhere: {row['path']!r}")
        found = [
            DataFile(
                self.name,
                row["path"],
                row.get(f"partition.{GAME}"),
                row["num_records"],
                row["size_bytes"],
                (row.get(f"min.{READING.name}") or "", row.get(f"max.{READING.name}") or "~"),
                (row.get(f"min.{REPLAY.name}") or "", row.get(f"max.{REPLAY.name}") or "~"),
                row["modification_time"] / 1000,
            )
            for row in rows
        ]
        return sorted(found, key=lambda each: (each.readings, each.name))

    @contextmanager
    def opened(self, file: DataFile, schema: pa.Schema) -> Iterator[tuple[pq.ParquetFile, list[str]]]:
        """Open a data file to read columns of the table; yield it and the names of those that it has."""
        with self.store.open(file.path) as data:
            facts = pq.ParquetFile(data).metadata  # asking for a dictionary that is not there is an error
            known = facts.schema.to_arrow_schema().names
            held = [field for field in schema if field.name in known]
            categories = [field.name for field in held if pa.types.is_dictionary(field.type)]
            yield (
                pq.ParquetFile(data, metadata=facts, page_checksum_verification=True, read_dictionary=categories),
                [field.name for field in held],
            )

    def columns_of(self, files: Iterable[DataFile]) -> frozenset[str]:
        """Return the columns that any of some data files has: a game has not all."""
        found: set[str] = set()
        for file in files:
            with self.opened(file, self.schema) as (_, held):
                found.update(held)
        return frozenset(found)

    def read(self, file: DataFile, columns: Collection[str] | None = None) -> pa.Table:
        """Return the rows of a data file: columns of the table (all by default), null where the file lacks one.

        Raises:
            DamagedLake: it is missing, changed or damaged.
        """
        schema = self.schema
        if columns is not None:
            schema = pa.schema([field for field in schema if field.name in columns])
        path = self.store.path(file.path)
        try:
            with self.opened(file, schema) as (opened, held):
                rows = opened.read(columns=held, use_threads=False)
            if rows.num_rows != file.rows:
                raise DamagedLake(f"expected {file.rows} rows, found {rows.num_rows}")
            if GAME in schema.names and GAME not in held:
                rows = rows.append_column(GAME, array_of([file.game] * rows.num_rows, pa.string()))
            return with_schema(rows, schema)
        except (OSError, KeyError, pa.ArrowException) as error:  # a KeyError is a column that is there twice
            raise DamagedLake(f"{path}: {one_line(error)}; playhead lake check shows all damage") from None


def storage_options(store: Store) -> dict[str, str]:
    """Return what delta-rs must know of a store that fsspec has from its configuration; the rest it has from the
    environment."""
    system = getattr(store, "system", None)
    endpoint = getattr(system, "endpoint_url", None)
    found = {"endpoint_url": endpoint, "allow_http": "true"} if endpoint else {}
    secrets = {"access_key_id": "key", "secret_access_key": "secret", "session_token": "token"}
    found |= {name: getattr(system, attribute, None) for name, attribute in secrets.items()}
    return {name: value for name, value in found.items() if value}


def open_table(store: Store, name: str, at: datetime | None = None) -> LakeTable | None:
    """Return a table of a lake; None if there is none.

    Args:
        at: the time at which the table is wanted, with a time zone; None for now.

    Raises:
        DamagedLake: its log cannot be read.
        ValueError: a program has changed it in a way that playhead does not read.
        ModuleNotFoundError: delta-rs is not installed (extra ``lake``).
    """
    deltalake = _deltalake()
    uri = store.path(folder_of(name))
    if isinstance(store, FolderStore) and not os.path.isdir(os.path.join(uri, "_delta_log")):
        return None
    try:
        delta = deltalake.DeltaTable(uri, storage_options=storage_options(store))
        if at is not None:
            with suppress(ValueError, TypeError):
                delta.load_as_version(at)
            first = min(each["timestamp"] for each in delta.history())
            if first / 1000 > at.timestamp():
                return None
        if delta.protocol().min_reader_version > 1:
            raise ValueError(f"{uri}: the table has features of Delta Lake that playhead does not read")
    except deltalake.exceptions.TableNotFoundError:
        return None
    except (deltalake.exceptions.DeltaError, OSError) as error:
        raise DamagedLake(f"{uri}: its log cannot be read: {one_line(error)}; see playhead lake check") from None
    return LakeTable(store, name, delta)


def open_info(store: Store, at: datetime | None = None) -> LakeTable | None:
    """Return the table `INFO` of a lake; arguments and errors as of `open_table`.

    Raises:
        ValueError: an earlier or later version of playhead wrote the lake.
    """
    if has_files(store, *_OLD_FOLDERS):
        raise ValueError(f"{store.location}: written by an earlier version of playhead: export again")
    table = open_table(store, INFO, at)
    layout = 0 if table is None else int(table.delta.metadata().configuration.get(_LAYOUT, LAYOUT))
    if layout > LAYOUT:
        raise ValueError(f"{store.location}: written by a later version of playhead (layout {layout})")
    return table


def table_names(store: Store) -> list[str]:
    """Return the names of the tables of a lake, also of those that no reading has any more, sorted."""
    folders = {each.name.partition("/")[0] for each in store.files() if "/_delta_log/" in each.name}
    return sorted(_unquoted(store, folder) for folder in folders)


def _unquoted(store: Store, folder: str) -> str:
    name = re.sub(rb"~([0-9A-F]{2})", lambda found: bytes.fromhex(found[1].decode()), folder.encode()).decode()
    if folder_of(name) == folder:
        return name
    delta = _deltalake().DeltaTable(store.path(folder), storage_options=storage_options(store))
    return str(delta.metadata().name)  # a long name


def _deltalake() -> Any:
    import_extra("deltalake.exceptions", "lake", "a lake")
    return import_extra("deltalake", "lake", "a lake")


# -- committing ---------------------------------------------------------------------------------------------------


class LakeTables:
    """The tables of a lake that is written, kept open from commit to commit.

    Commits are optimistic: of two writers at once, delta-rs lets one win, and the other one tries again.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._open: dict[str, LakeTable] = {}
        self._synced: dict[str, set[str]] = {}

    def now(self, name: str) -> LakeTable | None:
        """Return a table as it is now."""
        held = self._open.get(name)
        if held is not None:
            held.delta.update_incremental()
            return LakeTable(self.store, name, held.delta)
        if (found := open_table(self.store, name)) is not None:
            self._open[name] = found
        return found

    def make(self, name: str, schema: pa.Schema, doc: str) -> LakeTable:
        """Return a table that has these columns; create it, and columns that it lacks.

        Raises:
            ColumnTypeError: it has a column of another type.
        """
        table = self.now(name)
        fields = {field.name: _stored(field) for field in schema}
        if table is None:
            fields.setdefault(GAME, pa.field(GAME, pa.string(), metadata={"comment": "The game.", "unit": ""}))
            made = _deltalake().DeltaTable.create(
                self.store.path(folder_of(name)),
                pa.schema(list(fields.values())),
                mode="ignore",
                partition_by=[GAME],
                name=name,
                description=doc,
                configuration={_LAYOUT: str(LAYOUT), _WITH_STATISTICS: f"{READING.name},{REPLAY.name}"},
                raise_if_key_not_exists=False,
                storage_options=storage_options(self.store),
            )
            self._sync(name)
            table = self._open[name] = LakeTable(self.store, name, made)
        held = {field.name: field for field in pa.schema(table.delta.schema())}
        for each in fields.values():
            if each.name in held and _plain_list(held[each.name].type) != each.type:
                types = {"the lake": str(held[each.name].type), "this export": str(each.type)}
                raise ColumnTypeError(name, each.name, types)
        if new := [each for each_name, each in fields.items() if each_name not in held]:
            added = _deltalake().Schema.from_arrow(pa.schema(new)).fields
            table.delta.alter.add_columns(added)
            self._sync(name)
            table = self.now(name)
            assert table is not None
        return table

    def commit(
        self,
        table: LakeTable,
        files: Iterable[DataFile],
        gone: Iterable[DataFile] = (),
        *,
        alone: bool = False,
        changed: bool = True,
    ) -> None:
        """Add data files to a table and remove others, at once.

        Args:
            alone: fail if another process has made such a commit since the table was read.
            changed: the rows of the table change.

        Raises:
            CommitFailedError (of deltalake): another process was faster.
        """
        deltalake = import_extra("deltalake.transaction", "lake", "a lake")
        now = int(time.time() * 1000)
        actions = [
            deltalake.AddAction(each.name, each.size, {GAME: each.game}, now, changed, _statistics(each))
            for each in files
        ]
        actions += [deltalake.RemoveAction(each.name, changed, now, each.size, {GAME: each.game}) for each in gone]
        marks = [deltalake.Transaction("playhead", table.version + 1)] if alone else None
        properties = deltalake.CommitProperties(app_transactions=marks)
        table.delta.create_write_transaction(actions, "append", table.delta.schema(), commit_properties=properties)
        self._sync(table.name)

    def retried(self, work: Callable[[], T]) -> T:
        """Return the result of a function that commits, called again as long as other processes are faster."""
        deltalake = _deltalake()
        with naming(self.store.location):
            for attempt in range(_ATTEMPTS):
                try:
                    return work()
                except deltalake.exceptions.CommitFailedError:
                    if attempt == _ATTEMPTS - 1:
                        raise
                    time.sleep(min(0.002 * (attempt + 1), 0.5) * (1 + os.getpid() % 7))
        raise AssertionError

    def vacuum(self, name: str, hours: int, *, strays: bool) -> int:
        """Remove files that no version of the last hours has; return their number.

        Args:
            strays: also those that no version has had; another process may be about to commit them.
        """
        with naming(self.store.path(folder_of(name))):
            table = self.now(name)
            if table is None:
                return 0
            gone = table.delta.vacuum(hours, dry_run=False, enforce_retention_duration=False, full=strays)
        self._sync(name)
        return len(gone)

    def outdated(self, name: str) -> list[str]:
        """Return the paths of a table's files that are there, though its version of now does not have them."""
        with naming(self.store.path(folder_of(name))):
            table = self.now(name)
            if table is None:
                return []
            paths = table.delta.vacuum(0, dry_run=True, enforce_retention_duration=False)
        return list(filter(self.store.has, (f"{folder_of(name)}/{path}" for path in paths)))

    def _sync(self, name: str) -> None:
        """Sync the log of a table to disk, which delta-rs does not; also what other processes wrote, since the
        latest version is nothing without those before it."""
        if not isinstance(self.store, FolderStore):
            return
        folder = Path(self.store.path(folder_of(name)))
        log = folder / "_delta_log"
        synced = self._synced.setdefault(name, set())
        is_new = not synced
        for entry in list(os.scandir(log)):
            if entry.name not in synced:
                with suppress(OSError), open(entry.path, "rb") as file:  # some file systems cannot sync
                    os.fsync(file.fileno())
                if entry.name != "_last_checkpoint":
                    synced.add(entry.name)
        sync_folder(log)
        if is_new:
            for each in (folder, folder.parent, folder.parent.parent):
                sync_folder(each)


def _statistics(file: DataFile) -> str:
    names = (READING.name, REPLAY.name)
    return json.dumps(
        {
            "numRecords": file.rows,
            "minValues": dict(zip(names, (file.readings[0], file.replays[0]), strict=True)),
            "maxValues": dict(zip(names, (file.readings[1], file.replays[1]), strict=True)),
            "nullCount": dict.fromkeys(names, 0),
        }
    )


def covering(files: Iterable[DataFile], readings: Collection[str]) -> Iterator[DataFile]:
    """Yield the data files that may have rows of readings."""
    from bisect import bisect_left

    known = sorted(readings)
    for each in files:
        place = bisect_left(known, each.readings[0])
        if place < len(known) and known[place] <= each.readings[1]:
            yield each
