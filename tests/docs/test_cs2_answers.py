"""The answers of the CS2 cookbook are those that the story of the written match tells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cs2.test_fights import clutches_told
from tests.docs.markdown_blocks import python_blocks

from playhead.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match

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
    return sorted((name, len(each), round(sum(each), 1)) for name, each in found.items())


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
        "name kills",
        lambda story: sorted(Counter(row["attacker"] for row in enemies(story)).items()),
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
    return write_cs2_match(4)


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


def test_there_are_twenty(answers: dict[str, Any]) -> None:
    assert len(answers) == 20
    assert answers.keys() >= EXPECTED.keys()


@pytest.mark.parametrize("question", EXPECTED)
def test_the_answer_is_that_of_the_story(question: str, answers: dict[str, Any], written: WrittenMatch) -> None:
    columns, tell = EXPECTED[question]
    told = tell(written.story)
    assert len(told) > 0
    answer = answers[question].select(columns.split()).rows()
    if question == "Who blinded whom, and for how long?":
        answer = [(name, count, round(seconds, 1)) for name, count, seconds in answer]
    if question in ("How did everybody do?", "Who played better on which side?"):
        answer = [row for row in answer if row[-1]]  # those without a kill
    if question.startswith("Which grenades"):
        answer = [row for row in answer if row[-1] is not None]
    if question == "Who killed whom, and with what?":
        answer = [row for row in answer if row[0] is not None]
    assert sorted(answer, key=str) == sorted(told, key=str)
