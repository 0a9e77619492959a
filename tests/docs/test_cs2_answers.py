"""The answers of the CS2 cookbook are those that the story of the written match tells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cs2.conftest import SEED
from tests.cs2.test_fights import clutches_told
from tests.docs.markdown_blocks import python_blocks
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match

pytestmark = pytest.mark.slow_interpreted

PAGE = Path(__file__).parents[2] / "docs/cookbook/cs2.md"
Rows = list[tuple[Any, ...]]
Story = dict[str, Any]


def counted(story: Story, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of the story in rounds that count, with their round."""
    for row in story[table]:
        within = [each for each in story["rounds"] if each["start_tick"] <= row["tick"]]
        if within and within[-1]["counts"]:
            yield row | {"round": within[-1]}


def rounds(story: Story) -> list[dict[str, Any]]:
    return [row for row in story["rounds"] if row["counts"]]


def enemies(story: Story) -> list[dict[str, Any]]:
    kills = counted(story, "kills")
    return [row for row in kills if row["attacker"] is not None and row["attacker_side"] != row["victim_side"]]


def _weapons(story: Story) -> Rows:
    found = Counter((row["attacker"], row["weapon"]) for row in counted(story, "kills"))
    return sorted((*key, count) for key, count in found.items() if key[0] is not None)


def _flashed(story: Story) -> Rows:
    squads = {"Quartz", "Slate", "Talc", "Umber", "Basalt"}
    found: dict[str, list[float]] = defaultdict(list)
    for row in counted(story, "flashes"):
        if row["attacker"] is not None and (row["attacker"] in squads) != (row["victim"] in squads):
            found[row["attacker"]].append(row["duration"])
    return sorted((name, len(each), sum(each)) for name, each in found.items())


def _sides(story: Story) -> Rows:
    found: Counter[tuple[str, str]] = Counter()
    for row in enemies(story):
        found[row["attacker"], row["attacker_side"]] += 1
    return sorted((*key, count) for key, count in found.items())


def _openings(story: Story) -> Rows:
    first: dict[int, Any] = {}
    for row in enemies(story):
        first.setdefault(row["round"]["round_num"], row)
    guns = {number: row for number, row in first.items() if row["weapon"] not in ("hegrenade", "inferno")}
    return [
        (number, row["attacker"], row["victim"], row["attacker_side"] == row["round"]["winner_side"])
        for number, row in guns.items()
    ]


def _sights(story: Story) -> Rows:
    squads = {"Quartz", "Slate", "Talc", "Umber", "Basalt"}
    seen = [row for row in counted(story, "spotted") if (row["player"] in squads) != (row["target"] in squads)]
    return sorted(Counter(row["player"] for row in seen).items())


GRENADES = ("hegrenade", "flashbang", "smokegrenade", "molotov", "incgrenade", "decoy")


def _sprays(story: Story) -> Rows:
    """Return the weapons with the places of their shots in sprays after the first."""
    found: set[tuple[str, int]] = set()
    last: dict[tuple[str, str], tuple[int, int]] = {}
    guns = {row["weapon"] for row in story["shots"]} - {"knife", "knife_t", *GRENADES}
    for row in (each for each in story["shots"] if each["weapon"] in guns):
        tick, place = last.get((row["player"], row["weapon"]), (-1000, 0))
        place = place + 1 if row["tick"] - tick <= 0.3 * story["tick_rate"] else 1
        last[row["player"], row["weapon"]] = (row["tick"], place)
        found |= {(row["weapon"], place)} if place > 1 else set()
    return sorted(found)


def _items(story: Story) -> Rows:
    bought = [row for row in counted(story, "items") if row["change"] == "purchase"]
    return sorted((*key, count) for key, count in Counter((row["player"], row["item"]) for row in bought).items())


def _score(story: Story, squad: str) -> int:
    return [row["squads"][row["winner_side"]] for row in rounds(story)].count(squad)


def _winner(story: Story) -> str:
    return max("Anvil", "Hammer", key=lambda squad: _score(story, squad))


def _clutches(story: Story) -> Rows:
    told = clutches_told(story)
    names = ("name", "side", "opponents", "kills", "won", "survived")
    return [tuple(row[name] for name in names) for row in counted({**story, "told": told}, "told")]


def _trades(story: Story) -> Rows:
    """Count trades again: the victim killed a teammate of the attacker at most 5.25 s before, in the round."""
    found = []
    kills = list(counted(story, "kills"))
    for row in kills:
        trade = row["attacker_side"] != row["victim_side"] and any(
            each["attacker"] == row["victim"]
            and each["victim_side"] == row["attacker_side"] != each["attacker_side"]
            and each["round"] is row["round"]
            and 0 <= row["tick"] - each["tick"] <= 5.25 * 64
            for each in kills
        )
        if trade or row["thrusmoke"] or row["noscope"]:
            names = ("tick", "attacker", "victim", "weapon", "thrusmoke", "noscope")
            found.append((*(row[name] for name in names), trade))
    return found


def _ten_seconds_in(story: Story) -> Rows:
    """Return who was there, on which side, with the health of the last hit."""
    (first,) = (row for row in rounds(story) if row["round_num"] == 1)
    tick = first["freeze_end_tick"] + 640
    health: dict[str, int] = {}
    for row in story["players"]:
        if row["tick"] <= tick and row["event"] in ("enter", "leave"):
            health.pop(row["player"], None)
            health |= {row["player"]: 100} if row["event"] == "enter" else {}
    for row in story["damage"]:
        if first["start_tick"] <= row["tick"] <= tick and row["victim"] in health:
            health[row["victim"]] = row["health_post"]
    squads = {"Quartz": "Anvil", "Slate": "Anvil", "Talc": "Anvil", "Umber": "Anvil", "Basalt": "Anvil"}
    sides = {squad: side for side, squad in first["squads"].items()}
    return [(name, sides[squads.get(name, "Hammer")], value) for name, value in health.items()]


def _first_sights(story: Story) -> Rows:
    """Return duels whose attacker saw the victim: who saw the other first, times from sight to hit to death."""
    found = []
    for row in enemies(story):
        pair, end = (row["attacker"], row["victim"]), row["tick"]
        if row["weapon"] in ("hegrenade", "inferno", "planted_c4"):
            continue
        hit = end
        for each in reversed(story["damage"]):  # hits of a duel follow each other within 3 s
            if (each["attacker"], each["victim"]) == pair and hit - 192 <= each["tick"] <= hit:
                hit = each["tick"]
        sights = [
            next(
                (
                    each["tick"]
                    for each in story["spotted"]
                    if (each["player"], each["target"]) == two
                    and each["tick"] <= end
                    and (each["end_tick"] or end) >= hit
                ),
                None,
            )
            for two in (pair, pair[::-1])
        ]
        mine, other = sights
        if mine is not None:
            first = True if other is None else None if mine == other else mine < other
            found.append((end, *pair, first, (hit - mine) / 64, (end - hit) / 64))
    return found


#: For each question: columns of the answer, and what the story says of them.
EXPECTED: dict[str, tuple[str, Callable[[Story], Rows]]] = {
    "Who won each round, and how?": (
        "round_num winner_side t_score ct_score half overtime bomb_site",
        lambda story: [
            tuple(row[name] for name in "round_num winner_side t_score ct_score half overtime bomb_site".split())
            for row in rounds(story)
        ],
    ),
    "How did everybody do?": (
        "name kills deaths",
        lambda story: [
            (name, kills, sum(row["victim"] == name for row in counted(story, "kills")))
            for name, kills in Counter(row["attacker"] for row in enemies(story)).items()
        ],
    ),
    "Who killed whom, and with what?": ("attacker_name weapon kills", _weapons),
    "How much did each player spend, and on what?": ("name item bought", _items),
    "What did the sides buy in each round?": (
        "round_num t_equipment_value ct_equipment_value",
        lambda story: [
            (row["round_num"], row["t_equipment_value"], row["ct_equipment_value"]) for row in rounds(story)
        ],
    ),
    "Which grenades did the players throw, and how long did they fly?": (
        "thrower_name kind flight",
        lambda story: [
            (row["player"], row["kind"], (row["detonation_tick"] - row["tick"]) / 64)
            for row in counted(story, "grenades")
            if row["detonation_tick"] is not None
        ],
    ),
    "Who blinded whom, and for how long?": ("attacker_name enemies duration_seconds", _flashed),
    "What happened to the bomb?": (
        "round_num event name",
        lambda story: [(row["round"]["round_num"], row["event"], row["player"]) for row in counted(story, "bomb")],
    ),
    "Which kills were trades, through smoke or without scope?": (
        "tick attacker_name victim_name weapon thrusmoke noscope is_trade",
        _trades,
    ),
    "Where was everybody ten seconds into a round, and with what in the hands?": (
        "name side health",
        _ten_seconds_in,
    ),
    "Who saw the other first, and how long until the kill?": (
        "tick attacker_name victim_name saw_first time_to_damage_seconds time_to_kill_seconds",
        _first_sights,
    ),
    "Who won the match?": (
        "team_a_name team_a_score team_b_name team_b_score winner",
        lambda story: [
            ("Anvil", _score(story, "Anvil"), "Hammer", _score(story, "Hammer"), _winner(story)),
        ],
    ),
    "Which clutches were there, and who won them?": ("name side opponents kills won survived", _clutches),
    "Who played better on which side?": ("name side kills", _sides),
    "Who took the first kill of each round, and did it win the round?": (
        "round_num attacker_name victim_name won",
        _openings,
    ),
    "Whose crosshair was nearest to the head when an enemy came into sight?": ("name sights", _sights),
    "Which victims were blinded or in the air?": (
        "tick victim_name victim_blind victim_in_air assist_flash",
        lambda story: [
            (row["tick"], row["victim"], row["victim_blind"], row["victim_in_air"], row["assist_flash"])
            for row in counted(story, "kills")
            if row["victim_blind"] or row["victim_in_air"]
        ],
    ),
    "What did attacker and victim have at a kill?": (
        "tick attacker_name victim_name",
        lambda story: [(row["tick"], row["attacker"], row["victim"]) for row in counted(story, "kills")],
    ),
    "How near did each weapon's sprays stay to their first shot?": ("weapon shot", _sprays),
    "Who wrote in the chat?": (
        "tick name text",
        lambda story: [(row["tick"], row["player"], row["text"]) for row in story["chat"]],
    ),
    "Who spoke, and how much?": (
        "name packets bytes",
        lambda story: [
            (name, count, 20 * count) for name, count in Counter(row["player"] for row in story["voice"]).items()
        ],
    ),
}


@pytest.fixture(scope="module")
def written() -> WrittenMatch:
    return write_cs2_match(4, seed=int(SEED or 7))


@pytest.fixture(scope="module")
def answers(written: WrittenMatch) -> dict[str, Any]:
    """The answer to each question."""
    pytest.importorskip("polars", reason="the cookbook uses polars")
    start, *recipes = python_blocks(PAGE)
    names: dict[str, Any] = {"path": written.data}
    start.run(names)
    found = {}
    for recipe in recipes:
        recipe.run(names)
        found[recipe.heading] = names.pop("answer")
    return found


@pytest.mark.long
def test_there_are_twenty_one(answers: dict[str, Any]) -> None:
    assert len(answers) == 21
    assert answers.keys() == EXPECTED.keys()


@pytest.mark.parametrize("question", EXPECTED)
def test_the_answer_is_that_of_the_story(question: str, answers: dict[str, Any], written: WrittenMatch) -> None:
    columns, tell = EXPECTED[question]
    told = tell(written.story)
    assert len(told) > 0
    answer = answers[question].select(columns.split()).rows()
    if question in ("How did everybody do?", "Who played better on which side?"):
        kills = columns.split().index("kills")
        answer = [row for row in answer if row[kills]]  # those without a kill
    if question.startswith("Which grenades"):
        answer = [row for row in answer if row[-1] is not None]
    if question == "Who killed whom, and with what?":
        answer = [row for row in answer if row[0] is not None]
    assert len(answer) == len(told)
    for mine, row in zip(sorted(answer, key=str), sorted(told, key=str), strict=True):
        assert mine == tuple(pytest.approx(one, abs=0.01) if isinstance(one, float) else one for one in row)
