"""``playhead anonymize`` as a shell sees it."""

from __future__ import annotations

import lzma
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.samples.sc2.replay import sample_bytes
from tests.samples.teehistorian import sample_bytes as teehistorian_bytes

import playhead
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted


def test_a_file_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "Needle vs Spindle.SC2Replay", tmp_path / "out" / "1.SC2Replay"
    source.write_bytes(sample_bytes())
    outcome = run("anonymize", source, "-o", target, "--salt", "secret")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, f"{target}\n", "")
    assert source.read_bytes() == sample_bytes()
    names = [player.name for player in playhead.open(target).players]
    assert len(names) == 2
    assert not {"Needle", "Spindle"} & set(names)
    again = tmp_path / "2.SC2Replay"
    assert run("anonymize", source, "-o", again, "--salt", "secret").returncode == 0
    assert again.read_bytes() == target.read_bytes()
    refused = run("anonymize", source, "-o", source)
    assert (refused.returncode, "add --force to replace it" in refused.stderr) == (1, True)
    assert run("anonymize", source, "-o", source, "--force").returncode == 0
    assert playhead.open(source).players[0].name not in ("Needle", *names)


def test_other_formats_are_refused(tmp_path: Path) -> None:
    for known in list_formats():
        if known.name != "source2":
            continue
        path = known.write_sample(tmp_path)
        outcome = run("anonymize", path, "-o", tmp_path / "out")
        assert outcome.returncode == 2
        assert f"is a {known.title}" in outcome.stderr
        assert not (tmp_path / "out").exists()


def test_a_damaged_file_is_written_as_far_as_it_goes(tmp_path: Path) -> None:
    source, target = tmp_path / "cut.SC2Replay", tmp_path / "out.SC2Replay"
    source.write_bytes(sample_bytes()[:-400])
    outcome = run("anonymize", source, "-o", target)
    assert outcome.returncode == 3
    assert "members were found by scanning" in outcome.stderr
    assert playhead.open(target).problems == ()
    assert run("anonymize", source, "-o", tmp_path / "none", "--strict").returncode == 1
    assert not (tmp_path / "none").exists()


def test_what_cannot_be_opened_or_written(tmp_path: Path) -> None:
    outcome = run("anonymize", tmp_path / "none.SC2Replay", "-o", tmp_path / "out")
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("playhead: error: ")
    source = tmp_path / "x.SC2Replay"
    source.write_bytes(sample_bytes())
    assert run("anonymize", source, "-o", source / "below").returncode == 1
    assert run("anonymize", source).returncode == 2


def run_on(data: bytes, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "playhead", "anonymize", "-", *map(str, arguments)]
    return subprocess.run(command, input=data, capture_output=True, check=False)


def test_names_of_a_stream_are_gone(tmp_path: Path) -> None:
    out, sample = tmp_path / "out", teehistorian_bytes()
    outcome = run_on(lzma.compress(sample), "-o", out)
    assert outcome.returncode == 0
    said = outcome.stderr.decode()
    assert "note: replaced: " in said
    assert "names (7)" in said
    assert "arguments of timeout (2)" in said
    assert "note: removed: " in said
    assert "note: kept: " in said
    assert "sample-code" not in said
    assert outcome.stdout.decode().strip() == str(out)
    assert b"brownbear" in sample
    assert b"brownbear" not in out.read_bytes()
    replay = playhead.open(out)
    assert replay.problems == ()
    places = ["tick", "player", "x", "y"]
    assert replay.table("positions").select(places).equals(playhead.open(sample).table("positions").select(places))


def test_problems_of_a_stream_are_reported(tmp_path: Path) -> None:
    cut = teehistorian_bytes()[:-5]
    assert run_on(cut, "-o", tmp_path / "out").returncode == 3
    assert run_on(cut, "--strict", "-o", tmp_path / "strict").returncode == 1
    assert not (tmp_path / "strict").exists()


def test_a_person_has_one_pseudonym_in_a_folder(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "old").mkdir(parents=True)
    (folder / "a.teehistorian").write_bytes(teehistorian_bytes())
    (folder / "old" / "b.teehistorian.xz").write_bytes(lzma.compress(teehistorian_bytes()))
    (folder / "notes.txt").write_text("no replay")
    outcome = run("anonymize", folder, "-o", out)
    assert outcome.returncode == 0, outcome.stderr
    written = [out / "a.teehistorian", out / "old" / "b.teehistorian"]
    assert sorted(outcome.stdout.split()) == sorted(map(str, written))
    assert len({tuple(player.name for player in playhead.open(path).players) for path in written}) == 1
    assert written[0].read_bytes() == written[1].read_bytes()
    again = tmp_path / "again"
    options = ("--replace-uuid", "--start-time", "2020-12-31T23:59:59+0000", "--port", "1")
    outcome = run("anonymize", folder / "old", "-o", again, *options)
    assert outcome.returncode == 0, outcome.stderr
    (path,) = again.iterdir()
    header = playhead.open(path).info.details
    assert path.stem == header["game_uuid"] != playhead.open(folder / "a.teehistorian").info.details["game_uuid"]
    assert (header["header_start_time"], header["server_port"]) == ("2020-12-31T23:59:59+0000", "1")
    assert run("anonymize", folder, "-o", again, "--start-time", "noon").returncode == 2


def test_damage_is_an_exit_status(tmp_path: Path) -> None:
    source = tmp_path / "cut.teehistorian"
    source.write_bytes(teehistorian_bytes()[:-9])
    assert run("anonymize", source, "-o", tmp_path / "out").returncode == 3
    last = playhead.open(source).info.duration_ticks
    assert run("slice", source, "--from", "0s", "--to", f"{last}t", "-o", tmp_path / "part").returncode == 3


def test_no_note_is_in_two_lists(corpus: Path, tmp_path: Path) -> None:
    folder = corpus / "teehistorian/deb16.4"
    notes = run("anonymize", folder, "-o", tmp_path / "out").stderr
    assert "arguments of kick" in notes
    for replaced, kept in re.findall(
        r"note: replaced: (.*)\n(?:.*note: removed: .*\n)?.*note: kept: (.*);", notes
    ):
        both = [{re.sub(r" \(\d+\)$", "", each) for each in found.split(", ")} for found in (replaced, kept)]
        assert not both[0] & both[1]
