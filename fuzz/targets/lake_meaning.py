"""A lake whose files mean something else: files lost, swapped or written twice, keys and types of lists,
manifests, plans and schemas changed, and signed as playhead signs them.

The first byte chooses the folder, the others what is changed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import meaning
import pyarrow as pa
import pyarrow.parquet as pq
from tests.samples.sc2 import replay as sample

from playhead.corpus import check_lake, open_lake, scan
from playhead.corpus.manifest import FACTS, FACTS_DIGEST, _sha256

_KEPT = TemporaryDirectory(prefix="playhead-fuzz-lake-")
_FOLDERS = ("_manifests", "_lists", "_plans", "_schemas", "info", "players")


@cache
def sound() -> tuple[Path, dict[str, int]]:
    """A lake of two manifests, and the rows of its tables."""
    folder = Path(_KEPT.name)
    (folder / "inputs").mkdir()
    for number in range(2):
        data = sample.sample_bytes() + bytes([number, 1])
        (folder / "inputs" / f"{number}.SC2Replay").write_bytes(data)
    scan(folder / "inputs", jobs=0).export(folder / "lake", tables=["info", "players"], shard_inputs=1)
    return folder / "lake", _rows(folder / "lake")


def _rows(lake: Path) -> dict[str, int]:
    opened = open_lake(lake, check="whole")
    return {name: opened.table(name).num_rows for name in opened.tables}


@contextmanager
def _unflushed() -> Iterator[None]:
    with patch("os.fsync", lambda descriptor: None):
        yield


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    with _unflushed(), TemporaryDirectory(prefix="playhead-fuzz-lake-") as folder:
        written, before = sound()
        lake = shutil.copytree(written, Path(folder, "lake"))
        random = Random(data[1:])
        for place in range(random.choice((1, 1, 2, 3))):
            _change(lake, _FOLDERS[(data[0] + place) % len(_FOLDERS)], random)
        for path in lake.rglob("*"):  # data files of no manifest count as lost once they are old
            os.utime(path, (0, 0))
        try:
            faults = check_lake(lake)
            after = _rows(lake)
        except (OSError, ValueError):  # typed: DamagedLake, no lake, a damaged manifest, plan or list
            return
        lost = {name: rows for name, rows in before.items() if after.get(name, 0) < rows}
        assert not lost or faults, f"rows vanished without a fault: {lost}"


def _change(lake: Path, folder: str, random: Random) -> None:
    files = sorted(path for path in (lake / folder).rglob("*") if path.is_file())
    if not files:
        return
    path, other = random.choice(files), random.choice(files)
    match random.randrange(5):
        case 0:
            path.unlink()
        case 1:
            shutil.rmtree(lake / folder)
        case 2:
            first, second = path.read_bytes(), other.read_bytes()
            path.write_bytes(second)
            other.write_bytes(first)
        case 3:
            shutil.copyfile(path, path.with_stem(path.stem + random.choice(("2", "-1"))))
        case _:
            _rewrite(path, random)


def _rewrite(path: Path, random: Random) -> None:
    """Change a key, a column or a value."""
    if path.suffix == ".json":
        path.write_text(json.dumps(meaning.other_json(json.loads(path.read_bytes()), random)))
    elif path.suffix == ".parquet":
        try:
            table = pq.read_table(path)
        except pa.ArrowException:
            return
        about = dict(table.schema.metadata or {})
        place = random.randrange(table.num_columns)
        match random.randrange(4):
            case 0 if FACTS in about:
                text = json.dumps(meaning.other_json(json.loads(about[FACTS]), random)).encode()
                table = table.replace_schema_metadata({**about, FACTS: text, FACTS_DIGEST: _sha256(text)})
            case 1:
                table = table.remove_column(place)
            case 2:
                table = table.set_column(place, table.column_names[place], pa.nulls(table.num_rows, pa.int32()))
            case _:
                table = table.slice(1) if random.random() < 0.5 else pa.concat_tables([table, table])
        pq.write_table(table, path)
    else:
        path.write_bytes(path.read_bytes()[:-8])
