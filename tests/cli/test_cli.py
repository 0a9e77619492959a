"""The command line as a shell sees it: output, standard error, exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run

import playhead
from playhead.export.folder import MANIFEST
from playhead.registry import list_formats
from playhead.samples import FILES, write_stored

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("samples") / "made"
    outcome = run("sample", folder)
    assert outcome.returncode == 0, outcome.stderr
    return [Path(line) for line in outcome.stdout.splitlines()]


def test_sample_writes_one_replay_of_each_format(samples: list[Path]) -> None:
    assert [path.suffix for path in samples] == [known.suffix for known in list_formats()]
    assert [playhead.open(path).format for path in samples] == [known.name for known in list_formats()]


@pytest.mark.parametrize("game", FILES)
def test_a_game_has_its_samples_alone(game: str, samples: list[Path], tmp_path: Path) -> None:
    outcome = run("sample", tmp_path / "new", "--game", game)
    assert outcome.stdout.split() == [str(tmp_path / "new" / name) for name in FILES[game]]
    recordings = [Path(line) for line in outcome.stdout.split() if not line.endswith(".json")]
    for path in recordings:
        assert playhead.open(path).info.game == game
    of_format = [path for path in samples if path.name == recordings[0].name]
    assert [path.read_bytes() for path in of_format] == [recordings[0].read_bytes() for _ in of_format]


def test_a_broadcast_is_of_one_game(tmp_path: Path) -> None:
    outcome = run("sample", tmp_path, "--broadcast", "--game", "cs2")
    assert (outcome.returncode, "broadcast is that of the Dota 2 match" in outcome.stderr) == (2, True)


def test_samples_have_rows_in_every_table_and_no_problems(samples: list[Path]) -> None:
    for path in samples:
        replay = playhead.open(path)
        assert replay.problems == ()
        assert replay.players
        assert [name for name, table in replay.read_tables().items() if table.num_rows == 0] == []


def test_info(samples: list[Path]) -> None:
    outcome = run("info", *samples)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stderr == ""
    long = run("info", *samples, "--long")
    assert len(re.findall("problems +none", long.stdout)) == len(samples)
    head, *lines = outcome.stdout.splitlines()
    assert head.split() == ["played", "game", "length", "map", "sides,", "score,", "winner,", "file"]
    played = {path: playhead.open(path).info.played_at for path in samples}
    for path, line in zip(sorted(samples, key=lambda path: str(played[path] or "~")), lines, strict=True):
        replay = playhead.open(path)
        assert line.endswith(f" · {path}")
        assert f" {path}\n" in long.stdout
        assert line.startswith("-" if replay.info.played_at is None else f"{replay.info.played_at:%Y-%m-%d %H:%M}")
        winner = replay.presentation.winner(replay.info)
        assert winner is None or f" · {winner} won · " in line
        assert replay.players[0].name
        assert replay.players[0].name in outcome.stdout


def test_info_of_a_player(samples: list[Path], tmp_path: Path) -> None:
    long = write_stored("sample_sc2_7min.SC2Replay", tmp_path)  # played before the short one
    outcome = run("info", *samples, long, "--player", "spindle")
    lines = outcome.stdout.splitlines()[1:]
    assert [line.split()[6:12] for line in lines if " sc2 " in line] == [
        ["LE", "loss", "Spindle", "(Zerg)", "v", "Needle"]
    ] * 2
    assert lines[0].endswith(f" · {long}")
    assert "a DDNet teehistorian, which has no player 'spindle'" in outcome.stderr
    assert "is not a player" in run("info", long, "--player", "nobody").stderr


def test_the_sides_of_a_list_are_in_the_order_of_the_score(tmp_path: Path) -> None:
    run("sample", tmp_path, "--game", "cs2")
    path = next(tmp_path.glob("*.dem"))
    (*_, line) = run("info", path, path).stdout.splitlines()
    replay = playhead.open(path)
    last = [row for row in replay.table("rounds").to_pylist() if row["counts"] and row["end_tick"]][-1]
    clans = {player.side: player.clan for player in replay.players if player.side}
    assert f"{clans['t']} v {clans['ct']} · {last['t_score']}:{last['ct_score']} (T:CT)" in line


def test_info_json(samples: list[Path]) -> None:
    outcome = run("info", "--json", *samples)
    assert outcome.returncode == 0
    facts = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert [fact["source"] for fact in facts] == [str(path) for path in samples]
    for fact, path in zip(facts, samples, strict=True):
        replay = playhead.open(path)
        assert fact["format"] == replay.format
        assert fact["duration_seconds"] == replay.info.duration_seconds
        assert len(fact["players"]) == len(replay.players)
        assert fact["problems"] == []


def test_tables(samples: list[Path]) -> None:
    for path in samples:
        outcome = run("tables", path)
        assert outcome.returncode == 0, outcome.stderr
        names = [line.split()[0] for line in outcome.stdout.splitlines()]
        assert names == list(playhead.open(path).tables)
        described = [json.loads(line) for line in run("tables", "--json", path).stdout.splitlines()]
        assert [(d["table"], d["rows"]) for d in described] == [
            (name, table.num_rows) for name, table in playhead.open(path).read_tables().items()
        ]


@pytest.mark.parametrize("format", ["parquet", "csv", "ndjson"])
def test_export_of_one_file(samples: list[Path], tmp_path: Path, format: str) -> None:
    path = samples[-1]
    outcome = run("export", path, "-o", tmp_path, "--format", format)
    assert outcome.returncode == 0, outcome.stderr
    assert {file.name for file in tmp_path.iterdir()} == {
        MANIFEST,
        *(f"{name}.{format}" for name in playhead.open(path).tables),
    }
    assert outcome.stdout.splitlines() == [
        str(tmp_path / f"{name}.{format}") for name in playhead.open(path).tables
    ]


def test_export_of_several_files_and_chosen_tables(samples: list[Path], tmp_path: Path) -> None:
    outcome = run(
        "export", *samples, samples[0], "-o", tmp_path, "--folders", "--table", "info", "--table", "players"
    )
    assert outcome.returncode == 0, outcome.stderr
    folders = [path.name for path in samples]  # the first was named twice
    assert sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.parquet")) == sorted(
        f"{folder}/{table}.parquet" for folder in folders for table in ("info", "players")
    )
    for path in samples:
        written = pq.read_table(tmp_path / path.name / "players.parquet")
        assert written.column("name").to_pylist() == [player.name for player in playhead.open(path).players]


@pytest.fixture(scope="module")
def exported(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported")
    assert run("export", *samples, "-o", out, "--folders").returncode == 0
    return out


@pytest.fixture(scope="module")
def tables(samples: list[Path]) -> dict[Path, dict[str, pa.Table]]:
    return {path: dict(playhead.open(path).read_tables()) for path in samples}


@pytest.mark.long
@pytest.mark.parametrize("reader", ["duckdb", "polars", "pandas"])
def test_exported_parquet_reads_elsewhere(
    reader: str, exported: Path, tables: dict[Path, dict[str, pa.Table]]
) -> None:
    module = pytest.importorskip(reader, reason=f"{reader} is not installed")
    for path, expected in tables.items():
        for name, table in expected.items():
            file = str(exported / path.name / f"{name}.parquet")
            if reader == "duckdb":
                relation = module.sql(f"select * from '{file}'")
                columns, rows = list(relation.columns), relation.shape[0]
            else:
                frame = module.read_parquet(file)
                columns, rows = list(frame.columns), len(frame)
            assert columns == table.column_names, (path.name, name)
            assert rows == table.num_rows, (path.name, name)


def test_export_of_an_unknown_table_is_a_usage_error(samples: list[Path], tmp_path: Path) -> None:
    outcome = run("export", samples[0], "-o", tmp_path / "out", "--table", "nonsense")
    assert outcome.returncode == 2
    assert "nonsense" in outcome.stderr
    assert "the nearest are " in outcome.stderr
    assert "`playhead tables` list all" in outcome.stderr
    assert not (tmp_path / "out").exists()


def test_export_to_where_nothing_can_be_written(samples: list[Path], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    outcome = run("export", samples[0], "-o", blocked)
    assert outcome.returncode == 1
    assert "playhead: error:" in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize("command", [["info"], ["info", "--json"], ["tables"], ["export", "-o", "{out}"]])
def test_an_unreadable_file_is_status_1(command: list[str], samples: list[Path], tmp_path: Path) -> None:
    picture = tmp_path / "picture.dem"
    picture.write_bytes(b"\xff\xd8\xff\xe0 not a demo")
    command = [part.format(out=tmp_path / "out") for part in command]
    outcome = run(*command, picture)
    assert outcome.returncode == 1
    assert f"playhead: error: {picture}" in outcome.stderr
    assert "JPEG" in outcome.stderr
    if "--json" in command:  # the file has its line there, too
        failed = json.loads(outcome.stdout)
        assert failed.keys() == {"file", "error"}
        assert failed["file"] == str(picture)
    else:
        assert outcome.stdout == ""


def test_the_other_files_are_still_read(samples: list[Path], tmp_path: Path) -> None:
    outcome = run("info", "--json", tmp_path / "missing.dem", samples[0])
    assert outcome.returncode == 1
    assert "missing.dem" in outcome.stderr
    failed, read = map(json.loads, outcome.stdout.splitlines())
    assert (failed["file"], read["file"]) == (str(tmp_path / "missing.dem"), str(samples[0]))


@pytest.mark.long
@pytest.mark.parametrize("command", [["info"], ["tables"], ["export", "-o", "{out}"]])
def test_problems_are_status_3_and_strict_makes_them_errors(
    command: list[str], samples: list[Path], tmp_path: Path
) -> None:
    for path in samples:
        asked = [part.format(out=tmp_path / f"out of {path.stem}") for part in command]
        cut = tmp_path / path.name
        cut.write_bytes(path.read_bytes()[:-5])
        outcome = run(*asked, cut)
        assert outcome.returncode == 3, (outcome.stdout, outcome.stderr)
        assert f"playhead: problem: {cut}: " in outcome.stderr
        assert outcome.stdout
        strict = run(*asked, "--strict", cut)
        assert strict.returncode == 1
        assert "playhead: error:" in strict.stderr


@pytest.mark.parametrize("arguments", [["info"], ["export", "x.dem"], ["nonsense"], ["info", "--nonsense", "x"]])
def test_usage_errors_are_status_2(arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert outcome.returncode == 2
    assert "usage:" in outcome.stderr


def test_version_says_how_the_hot_modules_run() -> None:
    outcome = run("--version")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith(f"playhead {playhead.__version__} (")
    assert any(word in outcome.stdout for word in ("compiled", "interpreted"))


def test_a_recording_is_exported_in_one_process_unless_told(
    samples: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process takes as much memory again; threads share it."""
    given: list[int] = []
    monkeypatch.setattr(playhead.Replay, "export", lambda *_, jobs, **__: given.append(jobs) or [])
    monkeypatch.setattr("playhead.cli.commands.export.cores", lambda: 7)
    demo, server = (next(path for path in samples if path.suffix == end) for end in (".dem", ".teehistorian"))
    for path, options in ((demo, []), (demo, ["--jobs", "3"]), (server, [])):
        assert run("export", path, "-o", tmp_path, *options).returncode == 0
    assert given == [1, 3, 7]
