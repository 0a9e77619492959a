"""``playhead events`` as a shell sees it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run as playhead_command

import playhead
from playhead.samples import write_stored
from playhead.view.feed import notable_kinds

run = partial(playhead_command, "events")


def test_json_lines_are_the_events(samples: dict[str, Path]) -> None:
    for path in samples.values():
        outcome = run(path, "--format", "ndjson")
        assert (outcome.returncode, outcome.stderr) == (0, "")
        rows = [json.loads(line) for line in outcome.stdout.splitlines()]
        replay = playhead.open(path)
        expected = replay.table("events").to_pylist()
        assert rows
        assert replay.clock is not None
        for row, there in zip(rows, expected, strict=True):
            payload = json.loads(there["payload"])
            unit = [row["payload"].pop(name, None) for name in ("unit_type", "unit_player") if name not in payload]
            of_unit = replay.format in ("hots", "sc2") and row["kind"] == "unit_killed"
            assert (len(unit) == 2 and unit[0] is not None) == of_unit
            shown = replay.clock.game_seconds(there["tick"])
            assert payload.pop("game_seconds", shown) == pytest.approx(shown)
            assert row == there | {"file": str(path), "game_seconds": shown, "payload": payload}


def test_one_clock_in_a_line_and_its_name_above(samples: dict[str, Path]) -> None:
    labels = {"source2": "game time", "sc2": "game time", "hots": "game time", "teehistorian": "recording time"}
    for format, path in samples.items():
        head, *lines = run(path).stdout.splitlines()
        replay = playhead.open(path)
        assert replay.clock is not None
        assert head.split()[:3] == ["tick", *labels.get(format, "recording time").split()]
        for line in lines:
            tick, time = line.split()[:2]
            assert time == (replay.clock.displayed(int(tick)) or "-")
            assert "game_seconds" not in line
            assert time == "-" or replay.clock.displayed(replay.to_tick(time)) == time
    kill = next(playhead.open(samples["source2"]).events("player_killed"))
    line = run(samples["source2"], "--kind", "player_killed").stdout.splitlines()[1]
    minutes, seconds = divmod(int(kill.payload["game_seconds"]), 60)
    assert line.split()[:2] == [str(kill.tick), f"{minutes}:{seconds:02}"]


def test_text_names_the_players(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    lines = run(samples["sc2"], "--kind", "chat_sent").stdout.splitlines()
    head, *lines = lines
    assert head.split() == ["tick", "game", "time", "event"]
    assert len(lines) == replay.table("chat").num_rows
    first = next(replay.events("chat_sent"))
    name = next(player.name for player in replay.players if player.player == first.player)
    assert lines[0].split()[0] == str(first.tick)
    assert lines[0].split(maxsplit=2)[2] == f"{name}: {first.payload['text']}"


def test_a_line_is_a_sentence_without_bookkeeping(samples: dict[str, Path]) -> None:
    shown = {name: run(path).stdout for name, path in samples.items()}
    assert "Needle killed Spindle's Drone\n" in shown["sc2"]
    assert "Needle started unit: Barracks\n" in shown["sc2"]
    assert "Needle killed Spindle\n" in shown["hots"]
    assert "brownbear finished run in 0:04.50\n" in shown["teehistorian"]
    assert "Fern bought back\n" in shown["source2"]
    for name, path in samples.items():
        everything = run(path, "--all").stdout.splitlines()
        assert len(everything) == playhead.open(path).table("events").num_rows + 1 > len(shown[name].splitlines())
        assert set(shown[name].splitlines()) <= set(everything)


def test_a_death_of_heroes_is_the_kind_of_every_game(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["hots"])
    kills = replay.table("kills").to_pylist()
    found = list(replay.events("player_killed"))
    assert found
    assert [(each.tick, each.player, each.victim_player) for each in found] == [
        (row["tick"], row["attacker_player"], row["victim_player"]) for row in kills
    ]
    assert [event.kind for event in replay.events("player_k*")] == ["player_killed"] * len(kills)


def test_kinds(samples: dict[str, Path]) -> None:
    for path in samples.values():
        lines = run(path, "--kinds").stdout.splitlines()
        shown, others = (lines[: lines.index("")], lines[lines.index("") + 2 :])
        with playhead.open(path) as replay:
            notable = notable_kinds(replay)
            assert [line.split()[0] for line in shown] == notable
            rest = [kind for kind in replay.event_kinds if kind not in notable]
            assert [line.split()[0] for line in others] == rest
    rows = run(samples["source2"], "--kind", "player_killed,ward_*", "--format", "ndjson").stdout.splitlines()
    found = {json.loads(row)["kind"] for row in rows}
    assert "player_killed" in found
    assert all(kind == "player_killed" or kind.startswith("ward_") for kind in found)


def test_a_stretch_of_time(samples: dict[str, Path]) -> None:
    for path in samples.values():
        clock = playhead.open(path).clock
        assert clock is not None
        ticks = [event.tick for event in playhead.open(path).events()]
        first, last = clock.tick_at(2.0), clock.tick_at(4.0)
        rows = run(path, "--from", "2s", "--to", f"{last}t", "--json").stdout.splitlines()
        assert [json.loads(row)["tick"] for row in rows] == [tick for tick in ticks if first <= tick <= last]
    for option in ("--from", "--to"):
        refused = run(samples["sc2"], option, "2")
        assert (refused.returncode, f"error: {option}: expected 12:30" in refused.stderr) == (2, True)


def test_a_kind_that_is_none(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], "--kind", "chatt")
    assert outcome.returncode == 2
    assert "did you mean chat" in outcome.stderr
    outcome = run(samples["hots"], "--kind", "death")  # of this game first, and by meaning
    assert "did you mean player_killed or unit_killed?" in outcome.stderr


def test_what_does_not_count_is_left_out_with_a_note_or_marked(tmp_path: Path) -> None:
    match = write_stored("sample_cs2.dem", tmp_path)
    kills = playhead.open(match).table("kills")["counts"].to_pylist()
    outcome = run(match, "--kind", "player_killed")
    assert len(outcome.stdout.splitlines()) == 1 + kills.count(True)
    assert f"{kills.count(False)} events of warm-up, knife or undone rounds left out: --all" in outcome.stderr
    lines = run(match, "--kind", "player_killed", "--all").stdout.splitlines()
    assert len(lines) == 1 + len(kills)
    for part in ("warm-up", "knife round", "undone round"):
        assert any(line.endswith(f"({part})") for line in lines)
    assert all("knife" in line for line in lines if "knife round" in line)
    assert len(run(match, "--kind", "player_killed", "--json").stdout.splitlines()) == len(kills)


def test_the_start_of_a_round_tells_nothing_of_its_end(tmp_path: Path) -> None:
    match = write_stored("sample_cs2.dem", tmp_path)
    lines = run(match, "--kind", "round_started").stdout.splitlines()[1:]
    assert len(lines) == 8
    assert all(line.endswith("round started") for line in lines)


def test_several_players_and_kinds(samples: dict[str, Path]) -> None:
    path = samples["sc2"]
    needle, spindle = (run(path, "--player", name, "--json").stdout.splitlines() for name in ("Needle", "Spindle"))
    both = run(path, "--player", "Needle", "--player", "Spindle", "--json").stdout.splitlines()
    assert len(needle) < len(both)
    assert set(both) == {*needle, *spindle}
    assert "'nobody' is not a player" in run(path, "--player", "Needle", "--player", "nobody").stderr
    split = run(path, "--kind", "chat_sent", "--kind", "player_left")
    assert split.stdout == run(path, "--kind", "chat_sent,player_left").stdout


def test_nothing_that_fits_is_said(samples: dict[str, Path]) -> None:
    assert "no event fits" in run(samples["sc2"], "--kind", "chat_sent", "--to", "1t").stderr


def test_what_the_map_of_heroes_reports_is_a_sentence(samples: dict[str, Path]) -> None:
    told = [line[26:] for line in run(samples["hots"]).stdout.splitlines()[1:]]
    assert "Needle: talent Winters Reach" in told
    assert "captured Siege Camp by Blue" in told
    assert "destroyed structure of a town by Blue" in told
    assert "ban Alarak by Blue" in told
    assert not [line for line in told if "statistic" in line or "_" in line]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "R3", "--to", "R2"), "--from/--to: R3 is after R2"),
        (("--round", "30"), "--round: there is no round 30: the recording has the rounds 1 to 8"),
    ],
)
def test_stretches_that_are_none_are_said_in_rounds(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    outcome = run(write_stored("sample_cs2.dem", tmp_path), *words)
    assert (outcome.returncode, said in outcome.stderr) == (2, True)


def test_a_game_without_rounds_says_so(samples: dict[str, Path]) -> None:
    assert "a StarCraft II replay, which has no rounds" in run(samples["sc2"], "--round", "3").stderr


def test_what_servers_of_ddnet_leave_out_has_a_reason(samples: dict[str, Path]) -> None:
    for kind, reason in (("chat_sent", "chat out"), ("chat", "chat out"), ("kicked", "sessions.reason")):
        found = run(samples["teehistorian"], "--kind", kind)
        assert (found.stdout, reason in found.stderr) == ("", True), kind
    sql = playhead_command("sql", "select * from chat", samples["teehistorian"])
    assert (sql.returncode, "chat out of a teehistorian" in sql.stderr) == (1, True)


def test_kinds_of_the_own_game_are_suggested(samples: dict[str, Path]) -> None:
    unknown = run(samples["teehistorian"], "--kind", "clicked")
    own = playhead.open(samples["teehistorian"]).event_kinds
    suggested = unknown.stderr.partition("nearest are ")[2].partition(" (")[0]
    assert unknown.returncode == 2
    assert {*suggested.split(", ")} < {*own}
