"""Sums, clutches, trades and sights of one round, from a few rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from playhead.cs2.facts.duels import _sight
from playhead.cs2.facts.kills import mark_trades
from playhead.cs2.facts.player_stats import _add_round, clutches_of

Row = dict[str, Any]
#: Players 0 to 4 are Terrorists, 5 to 9 are Counter-Terrorists.
SIDES = {player: "t" if player < 5 else "ct" for player in range(10)}
RATE = 64.0


def round_of(winner: str | None, end: int = 900) -> Any:
    values = {"end_tick": end, "winner_side": winner, "reason": "t_win"}
    return SimpleNamespace(values=values, begin=0)


def kill(tick: int, attacker: int | None, victim: int, **more: Any) -> Row:
    same = attacker is not None and SIDES[attacker] == SIDES[victim]
    return {
        "tick": tick,
        "attacker_player": attacker,
        "attacker_side": None if attacker is None else SIDES[attacker],
        "victim_player": victim,
        "victim_side": SIDES[victim],
        "headshot": False,
        "assister_player": None,
        "assister_side": None,
        "assist_flash": False,
        "is_trade": False,
        "victim_traded": False,
        "is_suicide": attacker == victim,
        "is_teamkill": same and attacker != victim,
        **more,
    }


def sums(kills: list[Row], winner: str = "t", **rows: list[Row]) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    none: list[Row] = []
    given = dict.fromkeys(("damage", "flashes", "grenades", "left"), none) | rows
    _add_round(found, SIDES, round_of(winner), {"kills": kills, **given}, RATE)
    return found


def last_man(opponents: int) -> list[Row]:
    """Return the deaths of four Terrorists and of all but some of their opponents, then of these by player 0."""
    kills = [kill(10 + number, 9, 1 + number) for number in range(4)]
    gone = [kill(5 + number, 1, 5 + number) for number in range(5 - opponents)]
    return [*gone, *kills, *(kill(100 + player, 0, player) for player in range(10 - opponents, 10))]


@pytest.mark.parametrize("opponents", range(1, 6))
def test_a_clutch_is_counted_by_its_opponents(opponents: int) -> None:
    found = sums(last_man(opponents))
    won = {name: number for name, number in found[0].items() if name.startswith("clutch") and number}
    assert won == {"clutches_played": 1, "clutches_won": 1, f"clutch_1v{opponents}": 1}
    lost = sums(last_man(opponents), winner="ct")[0]
    assert (lost["clutches_played"], lost["clutches_won"], lost[f"clutch_1v{opponents}"]) == (1, 0, 0)


def test_a_clutch_has_the_kills_after_its_begin() -> None:
    (clutch,) = [each for each in clutches_of(SIDES, last_man(3), [], round_of("t")) if each["side"] == "t"]
    assert (clutch["tick"], clutch["player"], clutch["opponents"]) == (13, 0, 3)
    assert (clutch["kills"], clutch["won"], clutch["survived"]) == (3, True, True)


def test_who_leaves_is_as_dead() -> None:
    kills = [kill(10 + number, 9, 1 + number) for number in range(3)]
    left = [{"tick": 20, "victim_player": 4}]
    (clutch,) = clutches_of(SIDES, kills, left, round_of("ct"))
    assert (clutch["tick"], clutch["player"], clutch["won"]) == (20, 0, False)


def test_counts_of_a_round() -> None:
    kills = [
        kill(10, 0, 5, headshot=True, assister_player=1, assister_side="t"),
        kill(20, 0, 6, assister_player=7, assister_side="ct"),  # its own side's help is none
        kill(30, 8, 0, victim_traded=True),
        kill(40, 1, 8),
        kill(50, 2, 3),  # a friend
        kill(60, None, 9),
    ]
    damage = [
        {"attacker_player": a, "attacker_side": SIDES[a], "victim_side": SIDES[v], "damage": n, "weapon": weapon}
        for a, v, n, weapon in ((0, 5, 70, "ak47"), (0, 6, 30, "hegrenade"), (0, 1, 50, "ak47"), (8, 0, 99, "awp"))
    ]
    flashes = [
        {
            "tick": 12,
            "attacker_player": 3,
            "attacker_side": "t",
            "victim_player": victim,
            "victim_side": SIDES[victim],
            "duration_seconds": 2.0,
        }
        for victim in (6, 1)
    ]
    thrown = [
        {"kind": kind, "thrower_player": who}
        for kind, who in (("flashbang", 3), ("smoke", 3), ("flashbang", None))
    ]
    found = sums(kills, damage=damage, flashes=flashes, grenades=thrown)

    def of(name: str) -> dict[int, float]:
        return {player: counts[name] for player, counts in found.items() if counts[name]}

    assert of("kills") == {0: 2, 1: 1, 8: 1}
    assert of("headshot_kills") == {0: 1}
    assert of("assists") == {1: 1, 3: 1}
    assert of("flash_assists") == {3: 1}
    assert of("deaths") == dict.fromkeys((5, 6, 0, 8, 3, 9), 1)
    assert of("traded_deaths") == {0: 1}
    assert of("opening_kills") == {0: 1}
    assert of("opening_deaths") == {5: 1}
    assert of("multikill_2k") == {0: 1}
    assert of("multikill_1k") == {1: 1, 8: 1}
    assert of("rounds_played") == dict.fromkeys(range(10), 1)
    # All but those who died without a kill, an assist or a revenge.
    assert of("kast_rounds") == dict.fromkeys((0, 1, 2, 3, 4, 7, 8), 1)
    assert of("damage") == {0: 100, 8: 99}
    assert of("utility_damage") == {0: 30}
    assert of("enemies_flashed") == {3: 1}
    assert of("enemies_flashed_seconds") == {3: 2.0}
    assert of("flashes_thrown") == {3: 1}


def trades(*kills: Row) -> list[tuple[bool, bool]]:
    rows = list(kills)
    mark_trades(rows, [round_of("t")] * len(rows), 100)
    return [(row["is_trade"], row["victim_traded"]) for row in rows]


def test_a_trade_avenges_a_friend_in_time() -> None:
    assert trades(kill(10, 5, 0), kill(110, 1, 5)) == [(False, True), (True, False)]
    assert trades(kill(10, 5, 0), kill(111, 1, 5)) == [(False, False)] * 2  # late
    assert trades(kill(10, 5, 0), kill(20, 1, 6)) == [(False, False)] * 2  # of somebody else
    assert trades(kill(10, 1, 5), kill(20, 1, 6)) == [(False, False)] * 2
    assert trades(kill(10, 5, 0), kill(20, 6, 5)) == [(False, False)] * 2  # by the killer's own side
    assert trades(kill(10, 5, 0), kill(20, 5, 5)) == [(False, False)] * 2  # by itself
    assert trades(kill(10, 5, 7), kill(20, 6, 5)) == [(False, False)] * 2  # all of one side
    two = trades(kill(10, 5, 0), kill(20, 5, 2), kill(30, 1, 5))
    assert two == [(False, True), (False, False), (True, False)]  # the first of the deaths in time


def test_a_trade_is_within_one_round() -> None:
    rows = [kill(10, 5, 0), kill(20, 1, 5)]
    mark_trades(rows, [round_of("t"), round_of("ct")], 100)
    assert [row["is_trade"] for row in rows] == [False, False]


@pytest.mark.parametrize(
    ("begin", "end", "is_found"),
    [
        (50, 60, True),
        (50, None, True),
        (100, None, True),  # with the kill
        (101, None, False),
        (10, 49, False),  # over before the first hit
        (10, 50, True),
    ],
)
def test_the_sight_of_a_duel_holds_at_the_first_hit(begin: int, end: int | None, is_found: bool) -> None:
    sight = {"tick": begin, "end_tick": end}
    assert _sight([sight], 50, 100) is (sight if is_found else None)
