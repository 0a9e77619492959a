"""Odd matches of CS2: draws, jumps of the score, restarts, ends anywhere, deaths without an event."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from tests.cli.in_process import run
from tests.conftest import CORPUS
from tests.cs2.odd_match import cut, write_odd_match
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match
from tests.samples.source2.cs2_match.state import CsMatch

import playhead
from playhead.cs2.facts.kills import mark_trades
from playhead.cs2.facts.rounds import outcome_of
from playhead.cs2.sources.rounds import Round

pytestmark = pytest.mark.slow_interpreted

Row = dict[str, Any]


def rows(replay: playhead.Replay, name: str, **options: Any) -> list[Row]:
    found: list[Row] = replay.table(name, **options).to_pylist()
    return found


def odd(name: str) -> playhead.Replay:
    path = CORPUS.parent / "odd" / "cs2" / f"{name}.dem.xz"
    if not path.exists():
        pytest.skip(f"no odd recordings at {path.parent}")
    return playhead.open(lzma.decompress(path.read_bytes()))


# -- scores -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("s1", [(1, 0), (1, 1), (1, 2), (1, 3), (2, 3), (2, 3)]),
        ("s2_drawnoend", [(1, 0), (1, 1), (1, 1)]),
        ("s2_jump", [(1, 0), (1, 1), (3, 1)]),
        ("s4", [(1, 0), (2, 0), (3, 0), (3, 1), (3, 2)]),
    ],
)
def test_every_ended_round_has_the_score_of_the_file(name: str, told: list[tuple[int, int]]) -> None:
    replay = odd(name)
    ended = [row for row in rows(replay, "rounds") if row["end_tick"] is not None]
    assert [(row["t_score"], row["ct_score"]) for row in ended] == told
    (match,) = rows(replay, "match")
    assert (match["team_a_score"], match["team_b_score"], match["rounds_played"]) == (*told[-1], len(told))
    assert replay.info.winner_side is None
    assert rows(replay, "periods")
    assert replay.problems == ()


def test_a_round_without_fields_of_scores_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.cs2.sources.rounds._SCORE", "m_iRenamed")
    replay = playhead.open(write_cs2_match(0.3, plan=plan_match(1, 1, overtimes=1)).data)
    ended = [row for row in rows(replay, "rounds") if row["end_tick"] is not None]
    assert len(ended) > 2
    assert {(row["t_score"], row["ct_score"]) for row in ended} == {(None, None)}
    (match,) = rows(replay, "match")
    assert (match["ended"], match["end_reason"], match["winner_side"]) == (True, None, None)
    assert {player.result for player in replay.players} == {None}


def check_odd_match(seed: int, folder: Path) -> None:
    """Read a random match with every table and every verb, and compare its rounds and deaths with the story."""
    written = write_odd_match(seed)
    random = Random(seed)
    data, last = cut(written.data, random) if random.random() < 0.5 else (written.data, 1 << 30)
    path = folder / f"odd{seed}.dem"
    path.write_bytes(data)
    with playhead.open(path) as replay:
        assert replay.read_tables()
        assert replay.info.game == "cs2"
        assert replay.players
        assert not any(each.kind == "FactError" for each in replay.problems)
        assert replay.unfilled
        check_rounds(rows(replay, "rounds"), written, last)
        check_kills(rows(replay, "kills"), written, last)
        end = replay.info.duration_ticks
    for verb, *arguments in VERBS:
        words = [path if word == "FILE" else f"{end}t" if word == "END" else word for word in arguments]
        done = run(verb, *words, cwd=folder)
        assert done.returncode in (0, 1, 3), (seed, verb, done.stderr)
        assert "Traceback" not in done.stderr


#: The verbs that read a recording of CS2, with their arguments.
VERBS = (
    ("info", "FILE", "--check"),
    ("events", "FILE"),
    ("tables", "FILE"),
    ("export", "FILE", "-o", "out", "--format", "csv"),
    ("sql", "select count(*) from rounds", "FILE"),
    ("stats", "FILE"),
    ("source2", "schema", "FILE"),
    ("source2", "messages", "FILE", "--limit", "20"),
    ("diff", "FILE", "FILE"),
    ("verify", "FILE"),
    ("at", "FILE", "END"),
    ("slice", "FILE", "--from", "10t", "--to", "END", "-o", "part.dem"),
    ("source2", "voice", "FILE", "-o", "sound"),
    ("report", "FILE", "-o", "report.html"),
)


def check_rounds(found: list[Row], written: WrittenMatch, last: int) -> None:
    mine = {row["start_tick"]: row for row in found}
    for told in written.story["rounds"]:
        if told["end_tick"] is None or told["end_tick"] > last:
            continue
        row = mine[told["start_tick"]]
        names = ["end_tick", "winner_side", "reason_id"]
        assert [row[name] for name in names] == [told[name] for name in names]
        which = "score" if told["scored_tick"] <= last else "early_score"
        assert (row["t_score"], row["ct_score"]) == (told[f"t_{which}"], told[f"ct_{which}"]), told


def check_kills(found: list[Row], written: WrittenMatch, last: int) -> None:
    told = [row for row in written.story["kills"] if row["tick"] <= last]
    mine = [(row["tick"], row["victim_name"], row["attacker_name"], row["weapon"]) for row in found]
    assert sorted(mine, key=str) == sorted(
        ((row["tick"], row["victim"], row["attacker"], row["weapon"]) for row in told), key=str
    )
    silent = [tick for tick in written.story.get("silent", ()) if tick <= last]
    assert [row["tick"] for row in found if row["known_by"] == "state"] == silent


@pytest.mark.long
@pytest.mark.parametrize("seed", range(500))
@pytest.mark.one_of("seed")
def test_random_matches(seed: int, tmp_path: Path) -> None:
    check_odd_match(seed, tmp_path)


# -- clutches ---------------------------------------------------------------------------------------------


def test_no_clutch_begins_with_the_end_of_the_round_or_between_deaths_of_a_tick() -> None:
    replay = odd("s4")
    assert rows(replay, "clutches") == []
    assert {row["clutches_played"] for row in rows(replay, "player_stats")} == {0}


# -- the unknown ------------------------------------------------------------------------------------------


def kill(attacker: int | None, victim: int | None, sides: str = "t ct", **more: Any) -> Row:
    one, other = (None if side == "-" else side for side in sides.split())
    row = {"tick": 10, "attacker_player": attacker, "victim_player": victim, "attacker_side": one}
    return row | {"victim_side": other, "is_suicide": False, "is_teamkill": one == other} | more


def test_a_trade_is_of_known_players_alone() -> None:
    round_ = Round(0, {})
    unknown = kill(None, 2, "- ct", is_teamkill=None)
    mark_trades([unknown, kill(3, None, "ct -", is_teamkill=None)], [round_] * 2, 100)
    assert (unknown["is_trade"], unknown["victim_traded"]) == (None, None)
    avenged = [kill(1, 2), kill(3, 1, "ct t")]
    mark_trades(avenged, [round_] * 2, 100)
    assert [(row["victim_traded"], row["is_trade"]) for row in avenged] == [(True, False), (False, True)]
    mark_trades(avenged, [None] * 2, 100)
    assert {row["is_trade"] for row in avenged} == {None}


def test_what_is_not_known_of_a_kill_is_null() -> None:
    found = {row["tick"]: row for row in rows(odd("s1"), "kills")}
    gone = found[2150]  # the thrower of the fire had left
    assert (gone["attacker_player"], gone["is_suicide"], gone["is_teamkill"], gone["is_trade"]) == (
        None,
        False,
        None,
        None,
    )
    assert (found[1950]["is_teamkill"], found[450]["is_suicide"], found[250]["is_suicide"]) == (True, True, True)


def test_the_outcome_of_unknown_sides_is_no_tie() -> None:
    values = {"match_num": 1, "counts": True, "phase": "live", "end_tick": 9, "undone": False, "overtime": 0}
    values |= {"round_num": 1, "half": 1, "match_ended": True, "reason": None, "winner_side": "t"}
    round_ = Round(0, values | {"t_score": 1, "ct_score": 0})
    assert outcome_of([round_], {}) == ("t", None, {})


# -- deaths without an event ------------------------------------------------------------------------------


def write_silent(dropped: tuple[str, ...], every: int) -> WrittenMatch:
    """Return a match in which every so many deaths lack these events."""
    number = Counter[str]()
    send = CsMatch.event

    def event(self: CsMatch, name: str, /, **values: Any) -> None:
        dies = name == "player_death" or (name == "player_hurt" and values["health"] == 0)
        number[name] += dies
        if not dies or name not in dropped or number[name] % every:
            send(self, name, **values)

    with patch.object(CsMatch, "event", event):
        return write_cs2_match(2, plan=plan_match(2, 1, overtimes=1, quiet=True), seed=5)


@pytest.mark.parametrize("dropped", [("player_death",), ("player_death", "player_hurt")])
def test_a_death_without_an_event_is_known_by_the_state(dropped: tuple[str, ...]) -> None:
    whole, silent = (playhead.open(write_silent(dropped, every).data) for every in (1 << 30, 3))
    told, found = rows(whole, "kills"), rows(silent, "kills")
    names = ["tick", "victim_player", "victim_side", "victim_x", "victim_health", "round_num"]
    names += ["attacker_player", "weapon", "is_teamkill"] if dropped == ("player_death",) else []
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in told]
    known = Counter(row["known_by"] for row in found)
    assert known == {"event": len(told) - len(told) // 3, "state": len(told) // 3}
    if dropped != ("player_death",):
        unknown = [row for row in found if row["known_by"] == "state"]
        assert {row[name] for row in unknown for name in ("attacker_player", "is_suicide", "is_teamkill")} == {
            None
        }
    for table, column in (("player_stats", "deaths"), ("clutches", "survived"), ("clutches", "tick")):
        mine, theirs = ({row["player"]: row[column] for row in rows(each, table)} for each in (silent, whole))
        assert mine == theirs, (table, column)
    if dropped == ("player_death",):
        for column in ("kills", "kast", "opening_kills"):
            mine, theirs = (
                {row["player"]: row[column] for row in rows(each, "player_stats")} for each in (silent, whole)
            )
            assert column == "kast" or mine == theirs, column


def test_verify_counts_lives_without_a_kill() -> None:
    replay = playhead.open(write_silent(("player_death",), 3).data)
    deaths = replay.table("kills").num_rows
    (lives,) = (each for each in replay.verify() if each.name == "lives")
    assert (lives.passed, lives.failed) == (deaths - deaths // 3, deaths // 3)
    assert sum("player_death" in each.what for each in replay.problems) == deaths // 3
    with playhead.open(write_silent((), 3).data) as whole:
        (lives,) = (each for each in whole.verify() if each.name == "lives")
        assert (lives.passed, lives.failed) == (deaths, 0)


@pytest.mark.parametrize("late", [1, 40])
def test_an_event_that_comes_late_is_of_the_same_death(late: int) -> None:
    send = CsMatch.event

    def event(self: CsMatch, name: str, /, **values: Any) -> None:
        if name == "player_death" and self.playing:
            self.later(late, lambda: send(self, name, **values))
        else:
            send(self, name, **values)

    with patch.object(CsMatch, "event", event):
        written = write_cs2_match(2, plan=plan_match(2, 1, overtimes=0, backup=False, quiet=True), seed=5)
    found = rows(playhead.open(written.data), "kills")
    live = [row for row in written.story["rounds"] if row["phase"] == "live"]
    mine = [row for row in found if row["counts"]]
    told = [row["victim"] for row in written.story["kills"] if row["tick"] >= live[0]["start_tick"]]
    assert [row["victim_name"] for row in mine] == told
    assert {row["known_by"] for row in mine} == {"event"}
