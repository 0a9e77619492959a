"""The report: one file, small, that loads nothing, with the match in it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as run_playhead
from tests.samples.sc2.game import write_game
from tests.samples.source2.match_demo import match_demo
from tests.view.stretch import decoded

import playhead
from playhead.view import write_report
from playhead.view.report import MOST_BYTES, ROWS
from playhead.web.shelf import about, open_match

FORMATS = ("source2", "sc2", "teehistorian")


def packed(path: Path) -> Any:
    """What a report holds, and the size of its moving things."""
    found = re.search(r'id="match">([^<]*)<', path.read_text(encoding="utf-8"))
    assert found is not None
    data = gzip.decompress(base64.b64decode(found[1]))
    size = int.from_bytes(data[:4], "little")
    return {**json.loads(data[4 : 4 + size]), "state": data[4 + size :]}


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_a_report_holds_the_match(samples: dict[str, Path], tmp_path: Path, name: str) -> None:
    replay = playhead.open(samples[name])
    path = tmp_path / "match.html"
    assert write_report(replay, path) == path.stat().st_size < MOST_BYTES
    found = packed(path)
    answers = found["answers"]
    assert answers["summary"]["map"] == (None if replay.info.map == "start" else replay.info.map)
    events = list(replay.events(*answers["summary"]["notable"]))
    shown, ticks = answers["events"]["columns"]["tick"], [event.tick for event in events]
    assert len(shown) + answers["events"]["hidden"] == len(ticks)
    assert shown == ticks or (name != "source2" and set(shown) <= set(ticks))
    for moment in found["moments"][:: max(1, len(found["moments"]) // 5)]:
        assert [row["name"] for row in moment["players"]] == [
            row["name"] for row in replay.at(moment["tick"]).players
        ]
    assert len(found["state"]) > 1000
    for table, held in found["tables"].items():
        if table in replay.tables:
            assert held["whole"] == replay.table(table).num_rows
            assert len(held["rows"]) == held["total"] == min(ROWS, held["whole"])


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_a_report_runs_its_own_script_only(samples: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = tmp_path / "match.html"
    write_report(playhead.open(samples[name]), path)
    text = path.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for tag, source in (("<script>", "script-src"), ("<style>", "style-src")):
        body = text.split(tag)[1].split(tag.replace("<", "</"))[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "connect-src" not in policy[1]  # default-src 'none' holds


def test_a_report_is_the_same_each_time(samples: dict[str, Path], tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.html", "two.html")]
    for path in paths:
        write_report(playhead.open(samples["sc2"]), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.long
def test_a_long_match_fits(tmp_path: Path, step: int) -> None:
    path = tmp_path / "match.html"
    minutes = 20 if step == 1 else 8
    assert write_report(playhead.open(match_demo(minutes)[0]), path) < MOST_BYTES
    assert packed(path)["answers"]["summary"]["last_tick"] == minutes * 1800


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_name_that_is_no_text(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"bad\xff.teehistorian")
    path.write_bytes(samples["teehistorian"].read_bytes())
    write_report(playhead.open(path), tmp_path / "match.html")
    assert "<title>bad\ufffd.teehistorian" in (tmp_path / "match.html").read_text(encoding="utf-8")


def test_a_hostile_name_stays_text(samples: dict[str, Path], tmp_path: Path) -> None:
    recording = tmp_path / "<img src=x onerror=alert(1)>.SC2Replay"
    recording.write_bytes(samples["sc2"].read_bytes())
    path = tmp_path / "match.html"
    write_report(playhead.open(recording), path)
    assert "<img" not in path.read_text(encoding="utf-8").split("<script>")[0]


def test_the_command(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    done = run_playhead("report", str(samples["sc2"]), "-o", str(path))
    assert done.returncode == 0, done.stderr
    assert str(path) in done.stdout
    assert path.read_bytes().startswith(b"<!doctype html>")


def test_a_report_beside_another_game(samples: dict[str, Path], tmp_path: Path) -> None:
    """Measures of each player, and build orders side by side with the players of the same race."""
    pro, path = write_game(tmp_path, 4), tmp_path / "match.html"
    write_report(playhead.open(samples["sc2"]), path, against=playhead.open(pro))
    tables = packed(path)["tables"]
    listed = {each["name"] for each in packed(path)["answers"]["summary"]["tables"]}
    assert {"measures", "steps", "engagements", "injects", "production"} <= tables.keys() & listed
    rows = [dict(zip(tables["steps"]["columns"], row, strict=True)) for row in tables["steps"]["rows"]]
    barracks = next(row for row in rows if row["step"] == "Barracks")
    assert barracks["seconds"] == pytest.approx(640 / 22.4)
    assert barracks["against_seconds"] == pytest.approx(40, abs=0.1)
    assert barracks["later_seconds"] == pytest.approx(barracks["seconds"] - barracks["against_seconds"])
    assert barracks["lead"] == pytest.approx(-barracks["later_seconds"] / 60)
    assert [row["seconds"] for row in rows if row["step"] == "Barracks 2"] == [None]
    measures = [dict(zip(tables["measures"]["columns"], row, strict=True)) for row in tables["measures"]["rows"]]
    workers = {row["player"]: (row["own"], row["against"]) for row in measures if row["measure"] == "workers lost"}
    assert workers == {1: (0, 0), 2: (2, 0)}
    # The player who lost two workers, and the other game's none, did as badly as can be.
    assert [row["lead"] for row in measures if row["measure"] == "workers lost"] == [None, -1]
    assert 'data-place="tab=tables&amp;table=measures"' in path.read_text(encoding="utf-8")


def test_without_another_game_there_are_measures_only(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    write_report(playhead.open(samples["sc2"]), path)
    tables = packed(path)["tables"]
    assert "measures" in tables
    assert "steps" not in tables


def test_the_command_compares(samples: dict[str, Path], tmp_path: Path) -> None:
    pro, path = write_game(tmp_path, 4), tmp_path / "match.html"
    assert run_playhead("report", str(samples["sc2"]), "--against", str(pro), "-o", str(path)).returncode == 0
    assert "steps" in packed(path)["tables"]
    other = run_playhead("report", str(samples["teehistorian"]), "--against", str(pro), "-o", str(path))
    assert other.returncode != 0
    assert "cannot be compared" in other.stderr
    wrong = run_playhead("report", str(samples["sc2"]), "--against", __file__, "-o", str(path))
    assert wrong.returncode == 2
    assert "--against" in wrong.stderr


def test_a_slice_begins_late(samples: dict[str, Path], tmp_path: Path) -> None:
    """The report, the answers of the server and `playhead info` begin with the slice."""
    path = tmp_path / "slice.dem"
    replay = playhead.open(samples["source2"])
    replay.write_slice(path, 1200, 1380)
    rate = replay.info.ticks_per_second
    assert rate == 30
    write_report(playhead.open(path), tmp_path / "match.html")
    found = packed(tmp_path / "match.html")
    summary = found["answers"]["summary"]
    assert (summary["first_tick"], summary["last_tick"]) == (1200, 1380)
    ticks = [moment["tick"] for moment in found["moments"]]
    assert (ticks[0], ticks[-1]) == (1200, 1380)
    assert len(ticks) > 50
    told = about(str(path))
    assert (told["seconds"], told["winner"]) == (6.0, "Radiant")
    match = open_match(path)
    number = 1200 // match.stretch
    assert len(match.state(number)) > 1000
    with pytest.raises(ValueError, match=f"stretch from {number} to"):
        match.state(number - 1)
    facts = dict(line.split(None, 1) for line in run_playhead("info", str(path)).stdout.splitlines())
    assert facts["duration"] == "00:06 (recording time, 180 ticks)"
    assert facts["from"] == "00:40 (tick 1200)"
    data = json.loads(run_playhead("info", "--json", str(path)).stdout)
    assert (data["first_tick"], data["recorded_seconds"]) == (1200, 6.0)
    assert "from" not in run_playhead("info", str(samples["source2"])).stdout.split()


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_a_clip_holds_its_part(samples: dict[str, Path], tmp_path: Path, name: str) -> None:
    path, whole = tmp_path / "clip.html", tmp_path / "match.html"
    replay = playhead.open(samples[name])
    last = replay.info.duration_ticks
    assert last is not None
    first, end = last // 4, last // 2
    arguments = ("report", str(samples[name]), "--from", f"{first}t", "--to", f"{end}t", "-o", str(path))
    assert run_playhead(*arguments).returncode == 0
    found = packed(path)
    summary, events = found["answers"]["summary"], found["answers"]["events"]
    assert (summary["first_tick"], summary["last_tick"]) == (first, end)
    ticks = [moment["tick"] for moment in found["moments"]]
    assert (ticks[0], ticks[-1] <= end) == (first, True)
    assert all(first <= tick <= end for tick in events["columns"]["tick"])
    for key, answer in found["answers"].items():
        if key.startswith("curve:"):
            assert all(first <= tick <= end for line in answer["lines"] for tick in line["tick"])
    for table in found["tables"].values():
        if "tick" in table["columns"]:
            place = table["columns"].index("tick")
            assert all(first <= row[place] <= end for row in table["rows"])
    head, rows = decoded(found["state"])
    assert (head["start"], head["end"]) == (first, end)
    assert all(first <= row["tick"] <= end for row in rows)
    write_report(replay, whole)
    assert path.stat().st_size < whole.stat().st_size
    wrong = run_playhead(
        "report", str(samples[name]), "--from", f"{end}t", "--to", f"{first}t", "-o", str(path), "--force"
    )
    assert wrong.returncode == 2
    assert "t is after " in wrong.stderr


def test_the_viewer_compares_too(samples: dict[str, Path], tmp_path: Path) -> None:
    pro = write_game(tmp_path, 4)
    match = open_match(samples["sc2"], against=pro)
    assert [each["name"] for each in match.summary()["tables"]][:2] == ["measures", "steps"]
    page = match.table("steps", search="Barracks")
    assert [row[page["columns"].index("step")] for row in page["rows"]] == ["Barracks", "Barracks 2"]
    assert b"player" in match.file("measures", "csv")[:20]
    lines: list[object] = []
    assert not open_match(samples["teehistorian"], against=pro, said=lines.append).compared
    (line,) = lines
    assert "not compared" in str(line)
    assert not open_match(samples["sc2"]).compared
