"""A lake as a data set for others: no names, one schema a folder, parts by replay; and files of others."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as playhead_command
from tests.samples.sc2.game import write_game

import playhead
from playhead.corpus.publish import NamesForOthers, small_parts

run = partial(playhead_command, "lake")
_TABLES = "info,players,chat,build_order,slots,player_stats,kills,sessions"


@pytest.fixture(scope="module")
def lake(samples: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of three games, two of one game of the same people, and a file that cannot be read."""
    folder = tmp_path_factory.mktemp("games")
    write_game(folder, 3)
    write_game(folder, 4)
    for name, data in ("a.dem", samples["source2"]), ("b.teehistorian", samples["teehistorian"]):
        (folder / name).write_bytes(data)
    for name, data in ("c.SC2Replay", samples["sc2"]), ("d.SC2Replay", samples["sc2"][:40]):
        (folder / name).write_bytes(data)
    target = folder / "lake"
    playhead.scan(str(folder)).export(str(target), tables=_TABLES.split(","), jobs=0)
    return target


def texts(value: Any) -> list[str]:
    """Return the texts in a value of a cell."""
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def test_a_data_set_for_others(lake: Path, tmp_path: Path) -> None:
    target = tmp_path / "published"
    done = run("publish", lake, "-o", target, "--json", "--train", "0.5", "--validation", "0.25")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["failed"] == {"truncated": 1}
    assert sum(report["replays"].values()) == 5
    held = playhead.open_lake(lake)
    people = [name for column in ("name", "clan", "account") for name in held.table("players")[column].to_pylist()]
    people += held.table("chat")["text"].to_pylist()
    secrets = {each for each in people if each}
    assert {"Needle", "Spindle"} <= secrets
    parts: dict[str, set[str]] = {}
    rows: dict[str, int] = {}
    for path in sorted(target.rglob("*.parquet")):
        table = pq.read_table(path)
        game, name = path.parent.parent.name, path.parent.name
        rows[f"{game}/{name}"] = rows.get(f"{game}/{name}", 0) + table.num_rows
        for replay in table["replay"].to_pylist():
            parts.setdefault(replay, set()).add(path.stem)
        assert not secrets.intersection(text for column in table for text in texts(column.to_pylist()))
        schema = json.loads((path.parent / "schema.json").read_text())
        assert list(schema["properties"]) == schema["required"] == table.column_names
        assert all(each["description"] for each in schema["properties"].values())
    assert rows == report["rows"]
    assert all(len(each) == 1 for each in parts.values())
    assert not parts.keys() & set(held.replays)
    card = (target / "README.md").read_text()
    files = re.findall(r"^    path: (.+)$", card, re.MULTILINE)
    assert sorted(files) == sorted(str(path.relative_to(target)) for path in target.rglob("*.parquet"))
    assert re.findall(r"config_name: (\w+)", card) == [name.replace("/", "_") for name in rows]
    # A row of the data set is one of the lake but for its names.
    players = [pq.read_table(path).to_pylist() for path in sorted(target.glob("data/sc2/players/*.parquet"))]
    kept = sorted((row["player"], row["race"], row["result"]) for part in players for row in part)
    own = held.filter(game="sc2").table("players").to_pylist()
    assert kept == sorted((row["player"], row["race"], row["result"]) for row in own)
    assert run("publish", lake, "-o", target).returncode == 1  # it is not empty
    assert run("check", target, "--schema").stdout.strip() == "every column fits the vocabulary"


def test_a_part_without_replays_is_a_warning(lake: Path, tmp_path: Path) -> None:
    target = tmp_path / "published"
    done = run("publish", lake, "-o", target, "--json", "--train", "0.9", "--validation", "0.1")
    report = json.loads(done.stdout)
    assert report["replays"]["validation"] == 0
    (warning,) = report["warnings"]
    assert warning.startswith("validation has 0 of 5 replays, 10% would be 0.5: ")
    assert f"warning: {warning}" in done.stderr
    assert warning in (target / "README.md").read_text()


def test_parts_with_less_than_half_of_their_share() -> None:
    shares = {"train": 0.8, "validation": 0.1, "test": 0.1}
    assert list(small_parts({"train": 80, "validation": 15, "test": 5}, shares)) == []
    (warning,) = small_parts({"train": 82, "validation": 14, "test": 4}, shares)
    assert warning.startswith("test has 4 of 100 replays, 10% would be 10.0")
    assert (
        list(small_parts({"train": 9, "validation": 1, "test": 0}, shares | {"validation": 0.2, "test": 0})) == []
    )


def test_pseudonyms_of_a_match_and_of_a_key() -> None:
    match, again, key = NamesForOthers(None), NamesForOthers(None), NamesForOthers(b"k" * 16)
    one, other = (match.text(replay, "player", "Needle") for replay in ("a", "b"))
    assert len({one, other, again.text("a", "player", "Needle")}) == 3
    assert one == match.text("a", "player", "Needle")
    assert key.text("a", "player", "Needle") == NamesForOthers(b"k" * 16).text("b", "player", "Needle")
    assert key.text("a", "player", "Needle, Spindle").split(", ") == [
        key.text("a", "player", name) for name in ("Needle", "Spindle")
    ]
    assert key.number("a", "account", 7) == key.number("b", "account", 7) != match.number("a", "account", 7)
    assert key.number("a", "account", 0) == 0


def test_files_of_others(tmp_path: Path) -> None:
    """Parquet of another program: a tick of the wrong type, and a column that two tables use in two ways."""
    for name, columns in (
        ("kills", {"tick": pa.array([1], pa.int64()), "victim_player": pa.array([2], pa.int32()), "own": [1.5]}),
        ("shots", {"tick": pa.array([1], pa.int32()), "weapon": ["ak47"], "own": ["far"]}),
    ):
        (tmp_path / name / "game=cs2").mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / name / "game=cs2" / "part.parquet")
    done = run("check", tmp_path, "--schema", "--json")
    assert done.returncode == 1
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["file"] for each in told] == ["kills/game=cs2/part.parquet", None]
    assert told[0]["what"].startswith("kills.tick: int64")
    assert told[1]["what"].startswith("shots.own: kills has a column of that name too")
    assert run("check", tmp_path / "shots", "--schema").returncode == 0
    (tmp_path / "empty").mkdir()
    assert run("check", tmp_path / "empty", "--schema").returncode == 1


def test_the_status_says_why_inputs_failed(lake: Path) -> None:
    counts = playhead.open_lake(lake).reasons()
    assert sum(counts.values()) == 1
    (reason,) = counts
    assert f"1 failed, 0 hung or crashed: 1 {reason}" in run("status", lake).stdout
