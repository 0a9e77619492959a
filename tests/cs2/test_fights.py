"""Sight, duels, clutches and ratings of the written match, counted again from its story."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import atan2, degrees, hypot
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.samples.source2.cs2_match import sight
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.state import TICKS_PER_SECOND, CsMatch, Player

import playhead
from playhead.cs2.replay import Cs2Replay

pytestmark = pytest.mark.slow_interpreted

Row = dict[str, Any]


@pytest.fixture(scope="module")
def replay(written: WrittenMatch) -> Cs2Replay:
    opened = playhead.open(written.data)
    assert isinstance(opened, Cs2Replay)
    opened.read_tables(["rounds", "kills", "spotted", "duels", "clutches", "player_stats", "damage"])
    return opened


def rows(replay: playhead.Replay, name: str, **options: Any) -> list[Row]:
    found: list[Row] = replay.table(name, **options).to_pylist()
    return found


def by_round(story: dict[str, Any], name: str) -> dict[int, list[Row]]:
    """Return the rows of the story by place of their round."""
    found: dict[int, list[Row]] = defaultdict(list)
    for row in story[name]:
        found[sum(each["start_tick"] <= row["tick"] for each in story["rounds"]) - 1].append(row)
    return found


def test_who_saw_whom_is_what_the_story_tells(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine = [(row["tick"], row["name"], row["target_name"], row["end_tick"]) for row in rows(replay, "spotted")]
    told = [(row["tick"], row["player"], row["target"], row["end_tick"]) for row in written.story["spotted"]]
    assert sorted(mine, key=str) == sorted(told, key=str)
    assert len(told) > 50


def test_the_crosshair_is_where_views_and_places_put_it(replay: Cs2Replay) -> None:
    seen = [row for row in rows(replay, "spotted") if row["distance"] is not None][::7]
    series = rows(replay, "player_series", ticks=sorted({row["tick"] for row in seen}))
    known = {(row["tick"], row["player"]): row for row in series}
    for row in seen:
        one, other = known[row["tick"], row["player"]], known[row["tick"], row["target_player"]]
        x, y, z = (other[axis] - one[axis] for axis in "xyz")
        assert row["distance"] == pytest.approx(hypot(x, y, z), rel=1e-4)
        left = (one["yaw"] - degrees(atan2(y, x)) - row["crosshair_yaw"] + 180) % 360
        assert left == pytest.approx(180, abs=1e-2)
        assert row["crosshair_pitch"] == pytest.approx(one["pitch"] + degrees(atan2(z, hypot(x, y))), abs=1e-2)
        # Both stand on one height and look level, so the angle is that of the turn.
        assert row["crosshair_angle"] == pytest.approx(abs(row["crosshair_yaw"]), abs=0.05)
    assert len(seen) > 8


def test_duels_have_the_sights_and_hits_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    story = written.story
    guns = [
        row
        for row in story["kills"]
        if row["attacker"] is not None
        and row["attacker_side"] != row["victim_side"]
        and row["weapon"] not in ("hegrenade", "inferno", "planted_c4", "world")
    ]
    duels = rows(replay, "duels")
    assert [(row["tick"], row["attacker_name"], row["victim_name"], row["weapon"]) for row in duels] == [
        (row["tick"], row["attacker"], row["victim"], row["weapon"]) for row in guns
    ]
    first: Counter[str] = Counter()
    for row in duels:
        pair = row["attacker_name"], row["victim_name"]
        hits = [
            each
            for each in story["damage"]
            if (each["attacker"], each["victim"]) == pair and row["hit_tick"] <= each["tick"] <= row["tick"]
        ]
        assert (row["attacker_hits"], row["attacker_damage"]) == (len(hits), sum(each["damage"] for each in hits))
        assert row["time_to_kill_seconds"] == (row["tick"] - hits[0]["tick"]) / 64
        for one, other, name in ((*pair, "attacker_sight_tick"), (*pair[::-1], "victim_sight_tick")):
            sights = [
                each["tick"]
                for each in story["spotted"]
                if (each["player"], each["target"]) == (one, other)
                and each["tick"] <= row["tick"]
                and (each["end_tick"] is None or each["end_tick"] >= row["hit_tick"])
            ]
            assert row[name] == (sights[0] if sights else None)
        if row["attacker_sight_tick"] is not None:
            assert row["time_to_damage_seconds"] == (row["hit_tick"] - row["attacker_sight_tick"]) / 64
        if row["first_sight_player"] is not None:
            first["attacker" if row["first_sight_player"] == row["attacker_player"] else "victim"] += 1
    assert min(first["attacker"], first["victim"]) > 5
    moving = [row["attacker_speed"] for row in duels if row["attacker_speed"]]
    assert moving == pytest.approx([225] * len(moving), abs=1)
    assert len(moving) > 10


def put_on_the_radar(match: CsMatch, seen: Player) -> None:
    """Send a mask as servers do: each player's twice a second."""
    wait = -(match.tick + 7 * seen.slot) % (TICKS_PER_SECOND // 2)
    match.later(wait or 1, lambda: PUT(match, seen) if seen.slot in match.sights else None)


PUT = sight._put


@pytest.mark.long
def test_a_sight_of_the_radar_is_late_by_up_to_half_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/cs2.md says by how much."""
    monkeypatch.setattr(sight, "_put", put_on_the_radar)
    written = write_cs2_match(6, seed=7)
    replay = playhead.open(written.data)
    told: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in written.story["spotted"]:
        told[row["player"], row["target"]].append(row["tick"])

    def begun(one: str, other: str, tick: int) -> int | None:
        """Return when the latest sight up to a tick began in truth, in this fight."""
        return max((each for each in told[one, other] if tick - 200 < each <= tick), default=None)

    def milliseconds(ticks: list[int]) -> list[int]:
        return [round(each * 1000 / TICKS_PER_SECOND) for each in (min(ticks), median(ticks), max(ticks))]

    seen = rows(replay, "spotted")
    late = [
        row["tick"] - max(t for t in told[row["name"], row["target_name"]] if t <= row["tick"]) for row in seen
    ]
    assert (len(late), milliseconds(late)) == (159, [16, 250, 484])
    duels, order = rows(replay, "duels"), Counter[bool | None]()
    late, sights = [], 0
    for row in duels:
        names, shown = (
            (row["attacker_name"], row["victim_name"]),
            (row["attacker_sight_tick"], row["victim_sight_tick"]),
        )
        true = [
            begun(*pair, row["tick"] if at is None else at)
            for pair, at in zip((names, names[::-1]), shown, strict=True)
        ]
        late += [at - tick for at, tick in zip(shown, true, strict=True) if at is not None and tick is not None]
        sights += sum(tick is not None for tick in true)
        assert row["sight_known_by"] == (None if shown == (None, None) else "radar")
        if None not in true and true[0] != true[1]:
            mine = row["first_sight_player"]
            order[None if mine is None else (true[0] < true[1]) == (mine == row["attacker_player"])] += 1
    assert (len(duels), sights, len(late), milliseconds(late)) == (94, 157, 63, [16, 109, 375])
    assert order == {None: 28, True: 21, False: 14}


def test_kills_know_the_state_of_the_victim(replay: Cs2Replay, written: WrittenMatch) -> None:
    names = ("tick", "victim_blind", "victim_in_air")
    told = [tuple(row[name] for name in names) for row in written.story["kills"]]
    assert [tuple(row[name] for name in names) for row in rows(replay, "kills")] == told
    assert all(sum(row[at] for row in told) > 2 for at in (1, 2))


def clutches_told(story: dict[str, Any]) -> list[Row]:
    """Count the living again, by the lists of who came, left and died."""
    found: list[Row] = []
    kills = by_round(story, "kills")
    for at, round_ in enumerate(story["rounds"]):
        if round_["phase"] != "live" or round_["end_tick"] is None:
            continue
        squads: dict[str, set[str]] = {"Anvil": set(), "Hammer": set()}
        gone = []
        for row in story["players"]:
            first_five = row["player"] in ("Quartz", "Slate", "Talc", "Umber", "Basalt")
            squad = squads["Anvil" if first_five else "Hammer"]
            if row["event"] == "enter" and row["tick"] <= round_["freeze_end_tick"]:
                squad.add(row["player"])
            elif row["event"] == "leave" and row["tick"] <= round_["freeze_end_tick"]:
                squad.discard(row["player"])
            elif row["event"] == "leave" and row["tick"] <= round_["end_tick"]:
                gone.append({"tick": row["tick"], "victim": row["player"], "attacker": None})
            elif row["event"] == "takeover" and round_["freeze_end_tick"] < row["tick"] <= round_["end_tick"]:
                gone.append({"tick": row["tick"], "victim": row["bot"], "attacker": None, "mind": row["player"]})
        alive = {side: set(squads[name]) for side, name in round_["squads"].items()}
        lost = sorted([*kills[at], *gone], key=lambda row: row["tick"])
        known: dict[str, Row] = {}
        for place, row in enumerate(lost):
            for side, living in alive.items():
                if row["victim"] in living and row.get("mind"):
                    known.pop(side, None)
                    living.add(row["mind"])
                living.discard(row["victim"])
            if row["tick"] in (round_["end_tick"], *[each["tick"] for each in lost[place + 1 :]]):
                continue  # the round ended, or more died at that tick
            for side, other in (("t", "ct"), ("ct", "t")):
                if (
                    row["tick"] < round_["end_tick"]
                    and len(alive[side]) == 1
                    and alive[other]
                    and side not in known
                ):
                    (name,) = alive[side]
                    after = [each for each in lost[place + 1 :] if each["tick"] <= round_["end_tick"]]
                    mine = [each for each in after if each["attacker"] == name and each["victim_side"] != side]
                    known[side] = {
                        "tick": row["tick"],
                        "name": name,
                        "side": side,
                        "opponents": len(alive[other]),
                        "kills": len(mine),
                        "won": round_["winner_side"] == side,
                        "survived": name not in [each["victim"] for each in after],
                    }
        found += known.values()
    return found


def test_clutches_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    told = clutches_told(written.story)
    assert [{name: row[name] for name in told[0]} for row in rows(replay, "clutches")] == told
    assert sum(row["counts"] for row in rows(replay, "clutches")) == sum(
        row["clutches_played"] for row in rows(replay, "player_stats")
    )


def test_ratings_follow_their_published_formulas(replay: Cs2Replay, written: WrittenMatch) -> None:
    counting = [at for at, row in enumerate(written.story["rounds"]) if row["counts"]]
    kills = by_round(written.story, "kills")
    for row in rows(replay, "player_stats"):
        played, name = row["rounds_played"], row["name"]
        per_round = [
            sum(each["attacker"] == name and each["attacker_side"] != each["victim_side"] for each in kills[at])
            for at in counting
        ]
        died = sum(each["victim"] == name for at in counting for each in kills[at])
        assert row["kills"] == sum(per_round)
        several = sum({0: 0, 1: 1, 2: 4, 3: 9, 4: 16}.get(number, 25) for number in per_round)
        first = sum(per_round) / played / 0.679 + 0.7 * (played - died) / played / 0.317 + several / played / 1.277
        assert row["rating_1"] == pytest.approx(first / 2.7, abs=1e-5)
        impact = 2.13 * row["kills"] / played + 0.42 * row["assists"] / played - 0.41
        assert row["impact"] == pytest.approx(impact, abs=1e-5)
        second = 0.0073 * row["kast"] + 0.3591 * row["kills"] / played - 0.5329 * died / played
        second += 0.2372 * impact + 0.0032 * row["adr"] + 0.1587
        assert row["rating_2"] == pytest.approx(second, abs=1e-4)


@pytest.mark.parametrize("by", ["match", "half", "half side", ["side", "round"]])
def test_groups_of_rounds_add_up_to_the_match(replay: Cs2Replay, by: str | list[str]) -> None:
    whole = {row["player"]: row for row in rows(replay, "player_stats")}
    groups = rows(replay, "player_stats", by=by)
    for name in ("rounds_played", "kills", "deaths", "assists", "damage", "clutches_played", "multikill_2k"):
        found: Counter[int] = Counter()
        for row in groups:
            found[row["player"]] += row[name]
        assert found == {player: row[name] for player, row in whole.items()}, name
    for player, row in whole.items():
        mine = [each for each in groups if each["player"] == player]
        mean = sum(each["rating_2"] * each["rounds_played"] for each in mine) / row["rounds_played"]
        assert row["rating_2"] == pytest.approx(mean, abs=1e-4)


def test_rows_of_rounds_name_them(replay: Cs2Replay, written: WrittenMatch) -> None:
    counted = [row["round_num"] for row in written.story["rounds"] if row["counts"]]
    found = rows(replay, "player_stats", by="round", columns=["round_num", "rounds_played"])
    assert sorted({row["round_num"] for row in found}) == sorted(counted)
    assert {row["rounds_played"] for row in found} == {1}
    with pytest.raises(ValueError, match="no group of rounds 'rond'"):
        replay.table("player_stats", by="rond")


def test_a_real_duel(corpus: Path) -> None:
    one, other = rows(playhead.open(corpus / "source2" / "cs2_14090.dem"), "duels")
    assert (one["attacker_sight_tick"], one["victim_sight_tick"], one["first_sight_player"]) == (302, 302, None)
    assert (one["hit_tick"], one["attacker_hits"], one["attacker_damage"], one["victim_damage"]) == (
        344,
        4,
        100,
        78,
    )
    assert one["crosshair_angle"] == pytest.approx(12.46, abs=0.01)
    assert (other["first_sight_player"], other["attacker_speed"]) == (other["victim_player"], 0.0)
