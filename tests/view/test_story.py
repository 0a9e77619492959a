"""The course of a match: the moment to open on, kills, chapters, the lead, builds, and what is hidden."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.samples.dota2_match.recording import write_sample
from tests.samples.games import write_match

import playhead
from playhead.cs2.sources.words import known_title
from playhead.events import PlainEvent
from playhead.presentation import Builds, EventFeed, EventUnit, Kill, Opening, Presentation, map_title, of_kinds
from playhead.view.feed import Openings, densest, sentences
from playhead.view.lines import EventLine
from playhead.view.match import Match
from playhead.view.story import decided
from playhead.web.shelf import open_match


@pytest.fixture(scope="module")
def cs2(tmp_path_factory: pytest.TempPathFactory) -> Match:
    """A written match of CS2 with rounds, grenades and the bomb."""
    (path, *_) = write_match("cs2", tmp_path_factory.mktemp("match"), 6)
    return open_match(path)


def events_of(match: Match) -> Any:
    return match.events(tuple(match.summary()["notable"]))


def test_the_densest_moment() -> None:
    assert densest([5], 10) == 5
    assert densest([0, 100, 104, 109, 200, 205], 10) == 100


def opening_of(*events: tuple[str, int], last: int = 10_000) -> Any:
    """Return the opening of a recording of two players that has these events: kind and tick."""

    def kill(event: Any, unit: Any) -> Kill | None:
        return Kill(event.player, 1 - event.player) if event.kind == "kill" else None

    opens_on = (Opening("fight", of_kinds("kill")), Opening("end", of_kinds("leave"), "last", before=1.0))
    feed = EventFeed(
        opens_on=opens_on, kill=kill, words={"leave": "leaves"}, place=lambda replay: lambda event: "at X"
    )
    players = [SimpleNamespace(player=number, name="AB"[number], team=number) for number in (0, 1)]
    shown = Presentation(title=lambda info: "", feed=feed)
    replay: Any = SimpleNamespace(
        presentation=shown,
        players=players,
        name_of=lambda player, tick: "AB"[player],
        info=SimpleNamespace(ticks_per_second=10.0),
    )
    openings = Openings(replay, EventLine(replay, 10.0))
    for number, (kind, tick) in enumerate(events):
        openings.add(cast("Any", SimpleNamespace(tick=tick, kind=kind, player=number % 3 // 2, payload={})), None)
    return openings.best(5, last)


def test_sentences_name_who_lost_a_unit() -> None:
    """The owner of a unit is the one who lost it, whoever the player of the event is."""
    replay: Any = SimpleNamespace(
        presentation=Presentation(), players=(), name_of=lambda player, tick: {1: "Ann", 2: "Bo"}[player]
    )
    line = EventLine(replay, 10.0)

    def told(kind: str, unit: EventUnit | None = None, **payload: Any) -> str:
        return line.sentence(PlainEvent(5, 0.5, kind, 1, payload), unit)

    probe = EventUnit("Probe", 1)
    assert told("unit_killed", probe, attacker_player=2) == "Bo killed Ann's Probe"
    assert told("unit_killed", probe, attacker_player=1) == told("unit_killed", probe) == "Ann's Probe died"
    assert told("command_repeated_at_point") == "Ann repeated command at point"
    assert told("line_drawn") == "Ann drew line"
    assert told("item_bought", item="Tango", change="purchase") == "Ann bought item: Tango"


def test_openings() -> None:
    """The viewer opens when it shows most of the fight, and says who killed whom, where."""
    assert opening_of() is None
    assert opening_of(("leave", 40), ("leave", 700)) == {"tick": 690, "label": "end: A leaves"}
    assert opening_of(("leave", 700), last=600) == {"tick": 600, "label": "end: A leaves"}
    assert opening_of(("leave", 8)) == {"tick": 5, "label": "end: A leaves"}
    assert opening_of(("kill", 40), ("leave", 700)) == {"tick": 40, "label": "fight: A kills B, at X"}
    kills = [("kill", tick) for tick in (20, 1000, 1100, 1110, 1120, 1199, 5000)]
    assert opening_of(*kills) == {"tick": 1120, "label": "fight: A 3 kills, B 2, at X"}


@pytest.mark.long
def test_cs2_opens_on_its_last_round(cs2: Match) -> None:
    rounds = playhead.open(cs2.moments.source.name).table("rounds").to_pylist()
    opening = cs2.opening()
    last = max(row["end_tick"] for row in rounds if row["end_tick"] is not None)
    assert opening is not None
    assert opening["tick"] == last
    assert opening["label"].startswith("the end of the last round: ")
    chapters = cs2.story()["chapters"]
    counted = [row for row in rounds if row["counts"]]
    assert [each["name"] for each in chapters if each["name"].isdigit()] == [
        str(row["round_num"]) for row in counted
    ]
    sides = {"t": 2, "ct": 3, None: None}
    teams = [each["team"] for each in chapters if each["name"].isdigit()]
    assert teams == [sides[row["winner_side"]] for row in counted]


def test_kills_name_killer_victim_and_weapon(cs2: Match) -> None:
    kills = [kill for kill in events_of(cs2)["columns"]["kill"] if kill]
    rows = playhead.open(cs2.moments.source.name).table("kills").to_pylist()
    assert len(kills) == len(rows) > 10
    sides = {"t": 2, "ct": 3, None: None}
    for (killer, victim, weapon, owner, *teams), row in zip(kills, rows, strict=True):
        assert teams == [sides[row["attacker_side"]], sides[row["victim_side"]]]
        assert (killer, victim, owner) == (row["attacker_player"], row["victim_player"], row["victim_player"])
        title, *notes = weapon.split(", ")
        assert title == known_title(row["weapon"])
        told = {"headshot": "headshot", "is_teamkill": "team kill", "victim_controls_bot": "in the body of a bot"}
        assert notes == [note for name, note in told.items() if row[name]]


def test_the_lead_follows_the_sides_of_the_moment(cs2: Match) -> None:
    lead = cs2.story()["lead"]
    assert lead["teams"] == [2, 3]
    rows = playhead.open(cs2.moments.source.name).table("player_series", every="1s").to_pylist()
    tick = lead["tick"][len(lead["tick"]) // 2]
    for team, side in ((0, "t"), (1, "ct")):
        held = [row["equipment_value"] for row in rows if row["tick"] == tick and row["side"] == side]
        assert lead["values"][team][lead["tick"].index(tick)] == sum(held)


@pytest.mark.long
def test_the_recorded_chance_to_win(tmp_path: Path) -> None:
    (path, *_) = write_sample(tmp_path)
    chance = open_match(path).story()["win_chance"]
    rows = playhead.open(path).table("team_series").to_pylist()
    assert chance == {
        "team": 2,
        "tick": [row["tick"] for row in rows],
        "value": [row["radiant_win_probability"] for row in rows],
    }
    assert len(set(chance["value"])) > 3


def test_grenades_fly_and_the_bomb_lies(cs2: Match) -> None:
    replay = playhead.open(cs2.moments.source.name)
    grenade = replay.table("grenades").to_pylist()[0]
    rows = cs2.motion.rows(grenade["tick"], grenade["detonation_tick"], cs2.step)
    (shot,) = [about for about in rows.directory if about["role"] == "thrown"]
    assert shot["player"] == grenade["thrower_player"]
    places = [
        tuple(rows.numbers[place * 4 : place * 4 + 2])
        for place, thing in enumerate(rows.things)
        if rows.directory[thing] is shot
    ]
    assert places[-1] == pytest.approx((grenade["detonation_x"], grenade["detonation_y"]), abs=40)
    assert len(set(places)) > 3
    planted = next(row for row in replay.table("bomb").to_pylist() if row["event"] == "planted")
    rows = cs2.motion.rows(planted["tick"] + 64, planted["tick"] + 64, cs2.step)
    bombs = [place for place, thing in enumerate(rows.things) if rows.directory[thing]["role"] == "bomb"]
    assert tuple(rows.numbers[bombs[-1] * 4 : bombs[-1] * 4 + 2]) == pytest.approx(
        (planted["x"], planted["y"]), abs=1
    )


def test_builds_are_the_rows_of_their_table(samples: dict[str, Path]) -> None:
    builds = open_match(samples["sc2"]).story()["builds"]
    rows = playhead.open(samples["sc2"]).table("build_order").to_pylist()
    assert builds["label"] == "build order"
    assert builds["total"] == len([row for row in rows if row["player"] is not None])
    for held in builds["players"]:
        mine = [row for row in rows if row["player"] == held["player"]]
        assert held["tick"] == [row["tick"] for row in mine]
        assert held["supply"] == [row["supply"] for row in mine]


def test_equal_steps_in_a_row_are_one_line() -> None:
    notes = {"boosted": {True: "chrono boost"}, "outcome": {"lost": "lost"}}
    names = ("tick", "player", "product", "supply", "boosted", "outcome")
    told = [
        (0, 1, "Probe", 12, True, "finished"),
        (10, 2, "Drone", 12, None, "finished"),
        (30, 1, "Probe", 13, True, "finished"),
        (80, 1, "Probe", 14, True, "finished"),  # within five seconds of the one before
        (90, 1, "Probe", 15, False, "finished"),
        (95, 1, "Pylon", 16, False, "lost"),
        (100, 1, "Probe", 16, False, "finished"),
        (160, 1, "Probe", 17, False, "finished"),
        (170, None, "Probe", 0, False, "finished"),
    ]
    rows = [dict(zip(names, row, strict=True)) for row in told]
    builds = Builds("build_order", "product", "", "supply", notes, grouped=True)
    assert [(line.tick, line.player, line.name + line.more, line.supply) for line in builds.lines(rows, 10)] == [
        (0, 1, "Probe ×3 (chrono boost)", 12),
        (10, 2, "Drone", 12),
        (90, 1, "Probe", 15),
        (95, 1, "Pylon (lost)", 16),
        (100, 1, "Probe", 16),
        (160, 1, "Probe", 17),
    ]
    assert len(list(Builds("items", "product", "").lines(rows, 10))) == len(rows) - 1


def test_bookkeeping_is_hidden_and_counted(samples: dict[str, Path]) -> None:
    match = open_match(samples["sc2"])
    found = events_of(match)
    assert found["hidden"] > 0
    assert not any("Reward" in text for text in found["columns"]["text"])
    lost = [
        text
        for kind, text in zip(*map(found["columns"].get, ("kind", "text")), strict=True)
        if kind == "unit_killed"
    ]
    assert not any(text.startswith("Mineral") for text in lost)


def test_screens_and_orders_are_drawn(samples: dict[str, Path]) -> None:
    """They are all that replays without tracker events have."""
    replay = playhead.open(samples["sc2"])
    for table, role in (("camera", "camera"), ("commands", "order")):
        placed = [
            row for row in replay.table(table).to_pylist() if row["x"] is not None and row["player"] is not None
        ]
        assert placed
        last = placed[-1]
        rows = open_match(samples["sc2"]).motion.rows(last["tick"], last["tick"] + 1, 1)
        (thing,) = [
            number for number, about in enumerate(rows.directory) if about["id"] == f"{role} {last['player']}"
        ]
        place = list(rows.things).index(thing)
        assert rows.numbers[place * 4 : place * 4 + 2].tolist() == pytest.approx([last["x"], last["y"]], abs=1e-3)
        assert rows.seen[place] == last["tick"]
        assert (
            open_match(samples["sc2"]).thing(last["tick"], f"{role} {last['player']}")["fields"]["x"] == last["x"]
        )


def test_formats_without_a_story(samples: dict[str, Path]) -> None:
    match = open_match(samples["teehistorian"])
    told = {
        "chapters": [],
        "scores": [],
        "respawns": [],
        "deaths": [],
        "lead": None,
        "win_chance": None,
        "builds": None,
    }
    run = {"tick": [390], "end": [500], "player": [0], "name": ["0:02.20"], "bands": ["runs"]}
    best = [(351, "0:04.50", "nameless tee & brownbear"), (500, "0:02.20", "nameless tee")]
    assert match.story() == {**told, "best": best, "tasks": run, "problems": 0, "speakers": []}
    assert match.opening() is not None


def test_the_story_counts_problems(samples: dict[str, Path], tmp_path: Path) -> None:
    data = samples["teehistorian"].read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    match = open_match(tmp_path / "cut")
    assert match.story()["problems"] == len(match.problems()) > 0


@pytest.mark.long
def test_the_result_names_a_winner_that_only_the_players_tell(tmp_path: Path) -> None:
    write_sample(tmp_path)
    (path,) = tmp_path.glob("*.dem")
    assert open_match(path).decided()["lines"][0]["text"] == "Dire won; kills 15–13"


def test_heroes_are_told_in_words(samples: dict[str, Path]) -> None:
    match = open_match(samples["hots"])
    columns = events_of(match)["columns"]
    told = {
        (kind, player, text)
        for kind, player, text in zip(columns["kind"], columns["player"], columns["text"], strict=True)
        if "/" in kind
    }
    assert ("statistic_reported/talent", 1, "Winters Reach") in told
    assert ("hero_banned/ban", None, "Alarak · by Blue") in told
    assert ("hero_picked/pick", 2, "Muradin") in told
    said = [text for _, text in sentences(match.whole, match.whole.events("statistic_reported"), everything=False)]
    assert "Needle: talent Winters Reach" in said
    assert "statistic_reported" not in columns["kind"]


def test_a_kill_names_its_victim_and_who_helped(samples: dict[str, Path], cs2: Match) -> None:
    def kills(match: Match) -> list[str]:
        columns = events_of(match)["columns"]
        rows = zip(columns["kind"], columns["text"], strict=True)
        return [text for kind, text in rows if kind == "player_killed"]

    assert kills(open_match(samples["hots"])) == ["→ Spindle · assists Bobbin"]
    assert not any("known by" in text for text in kills(cs2))
    assert any(text.endswith("through smoke") for text in kills(cs2))


def test_no_lead_is_told_of_rounds_or_of_seconds(samples: dict[str, Path], cs2: Match) -> None:
    def rules(match: Match) -> set[str]:
        return {line["rule"] for line in match.decided()["lines"]}

    lead = {"label": "gold", "teams": [2, 3], "tick": [0, 100], "values": [[1, 9], [0, 0]]}
    assert not {"turning point", "who led to the end"} & rules(cs2)
    whole = open_match(samples["hots"]).whole
    assert not {line["rule"] for line in decided(whole, lead)["lines"]} & {"turning point", "who led to the end"}
    longer = {**lead, "tick": [0, 60 * 16]}
    assert {line["rule"] for line in decided(whole, longer)["lines"]} >= {"turning point", "who led to the end"}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("de_nuke", "Nuke"),
        ("workshop/1/de_old_town", "Old Town"),
        ("dl_midtown", "Midtown"),
        ("Lost Temple", "Lost Temple"),
    ],
)
def test_maps_have_titles(name: str, title: str) -> None:
    assert map_title(name) == title
