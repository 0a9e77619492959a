"""Facts of entities: tables against the truth of the synthetic match."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.dota2 import LAST_TICK, SampleMessages
from tests.samples.source2.match_demo import match_demo
from tests.samples.source2.match_names import HERO_NAMES, ability_name
from tests.samples.source2.match_schema import ABILITIES_A_HERO
from tests.samples.source2.signals import FIND, FIND_TICK

import playhead
from playhead.dota2.facts import TABLES
from playhead.dota2.facts.modifiers import Modifiers
from playhead.dota2.sources.entities import integer
from playhead.dota2.sources.lives import pair_nearest
from playhead.source2.messages import wire
from playhead.source2.tables.seldom_columns import numbers_as

pytestmark = pytest.mark.slow_interpreted

# What places lose by being sent in 12 bits.
NEAR = 0.05


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def assert_told(rows: list[dict[str, Any]], truth: list[dict[str, Any]]) -> None:
    """Every row of the truth stands in the table, in order, with these values; places nearly."""
    assert len(rows) == len(truth)
    for row, told in zip(rows, truth, strict=True):
        for key, value in told.items():
            if key in ("x", "y", "end_x", "end_y"):
                assert row[key] == pytest.approx(value, abs=NEAR)
            else:
                assert row.get(key) == value, (key, row)
        if "end_tick" not in told:
            assert "end_tick" not in row


# -- players at an interval -----------------------------------------------------------------------------


def test_series_ends_where_the_match_ends(sample: Any) -> None:
    rows = sample.replay.table("player_series").to_pylist()
    assert [row["player"] for row in rows[-10:]] == list(range(10))
    assert {row["tick"] for row in rows[-10:]} == {3600}
    for row, hero in zip(rows[-10:], sample.match.heroes, strict=True):
        assert row["team"] == hero.team
        assert (row["gold_unreliable"], row["net_worth"], row["xp"]) == (hero.gold, hero.gold, hero.xp)
        assert (row["last_hits"], row["level"]) == (hero.last_hits, hero.level)
        assert (row["kills"], row["deaths"]) == (hero.kills, hero.deaths)
        assert row["alive"] == (hero.dead_until == 0)
        if row["alive"]:
            assert row["x"] == pytest.approx(hero.x, abs=NEAR)
            assert row["y"] == pytest.approx(hero.y, abs=NEAR)
            assert row["cell_x"] == int((row["x"] + 16384) // 128)


@pytest.mark.parametrize("tick", [0, 930, 2550])
def test_series_is_the_state_at_its_ticks(sample: Any, tick: int) -> None:
    table = sample.replay.table("player_series")
    world = sample.replay.at(tick)
    for row in table.filter(pc.equal(table["tick"], tick)).to_pylist():
        hero = world.entities.find_by_class_name(f"CDOTA_Unit_Hero_{sample.match.heroes[row['player']].name}")
        assert (row["health"], row["max_health"]) == (hero["m_iHealth"], hero["m_iMaxHealth"])
        assert row["mana"] == pytest.approx(hero["m_flMana"])
        assert row["alive"] == (hero["m_lifeState"] == 0)
        place = hero["CBodyComponent.m_cellX"] * 128 + hero["CBodyComponent.m_vecX"] - 16384
        assert row["x"] == pytest.approx(place, rel=1e-6)


def test_series_at_another_interval(sample: Any) -> None:
    every = sample.replay.table("player_series")
    tenth = sample.replay.table("player_series", every="10s")
    assert sorted(set(tenth["tick"].to_pylist())) == list(range(0, 3601, 300))
    taken = every.filter(pc.equal(pc.bit_wise_and(every["tick"], 0), 0))
    wanted = [row for row in taken.to_pylist() if row["tick"] % 300 == 0]
    assert tenth.to_pylist() == wanted


def test_options_are_checked(sample: Any) -> None:
    with pytest.raises(TypeError, match="no option 'colour'; its options are: every"):
        sample.replay.table("player_series", colour=1)
    with pytest.raises(TypeError):
        sample.replay.table("wards", every="1s")
    with pytest.raises(ValueError, match="interval"):
        sample.replay.table("player_series", every="soon")
    with pytest.raises(ValueError, match="interval"):
        sample.replay.table("player_series", every=0)


def test_columns_of_a_table_with_options(sample: Any) -> None:
    table = sample.replay.table("player_series", columns=["tick", "xp"], every="60s")
    assert table.column_names == ["tick", "xp"]
    assert table.num_rows == 30


# -- what heroes hold and know --------------------------------------------------------------------------


def test_items_held(sample: Any) -> None:
    rows = rows_of(sample.replay.table("items_held"))
    assert sum(row["tick"] == 0 for row in rows) == 60
    assert {row["part"] for row in rows} == {"inventory"}
    for bought in sample.match.story.purchases:
        (new,) = [
            row
            for row in rows
            if row["player"] == bought["player"] and row["slot"] == bought["slot"] and row["tick"] > 0
        ]
        assert new["item"] == bought["item"]
        assert bought["tick"] <= new["tick"] <= bought["tick"] + 30
        (old,) = [row for row in rows if row.get("end_tick") == new["tick"]]
        assert (old["player"], old["slot"], old["tick"]) == (bought["player"], bought["slot"], 0)


def test_ability_levels(sample: Any) -> None:
    rows = rows_of(sample.replay.table("ability_upgrades"))
    assert [row["ability_level"] for row in rows if row["tick"] == 0] == [1] * 10 * ABILITIES_A_HERO
    told = [(row["tick"], row["player"], row["ability"], row["ability_level"]) for row in rows if row["tick"] > 0]
    story = [
        (row["tick"], row["player"], ability_name(row["player"], row["ability"] + 1), row["ability_level"])
        for row in sample.match.story.levels
        if row["ability_level"] != 1
    ]
    assert told == story
    for row in rows:
        assert row["is_initial"] == (row["tick"] == 0) == ("level" not in row)
        assert row["is_talent"] is False


# -- places ---------------------------------------------------------------------------------------------


def test_positions_are_those_of_the_series(sample: Any) -> None:
    table = sample.replay.table("positions")
    series = {(row["tick"], row["player"]): row for row in sample.replay.table("player_series").to_pylist()}
    heroes = table.filter(table["main"]).to_pylist()
    assert len(heroes) == len(series)
    for row in heroes:
        other = series[row["tick"], row["player"]]
        assert (row["x"], row["y"], row["alive"]) == (other["x"], other["y"], other["alive"])
    others = table.filter(pc.invert(table["main"]))
    assert set(others["entity_class"].to_pylist()) == {"CDOTA_Unit_Courier"}


def test_positions_on_change_leave_nothing_out(sample: Any) -> None:
    moves = sample.replay.table("positions", every=None, units="CDOTA_Unit_Hero_*").to_pylist()
    ticks: dict[int, list[int]] = {}
    for row in moves:
        ticks.setdefault(row["player"], []).append(row["tick"])
    last = {row["player"]: (row["x"], row["y"]) for row in moves}
    for row in sample.replay.table("player_series").to_pylist()[-10:]:
        assert last[row["player"]] == (row["x"], row["y"])
    for own in ticks.values():
        assert all(first < second for first, second in pairwise(own))
        assert len(own) > 500


def test_positions_of_creeps(sample: Any) -> None:
    rows = sample.replay.table("positions", units=["CDOTA_BaseNPC_Creep_*"], every="30s").to_pylist()
    assert {row["entity_class"] for row in rows} >= {"CDOTA_BaseNPC_Creep_Lane", "CDOTA_BaseNPC_Creep_Neutral"}
    assert not any(row["main"] for row in rows)
    assert {row["player"] for row in rows} == {None}


# -- things on the map ----------------------------------------------------------------------------------


def test_wards(sample: Any) -> None:
    rows = rows_of(sample.replay.table("wards"))
    assert_told(rows, sample.match.story.wards)
    assert {row["outcome"] for row in rows} >= {"killed", "expired"}
    assert "attacker" not in next(row for row in rows if row["outcome"] == "expired")


def test_camps_their_creeps_and_stacks(sample: Any) -> None:
    story = sample.match.story
    x, y = story.camp.place
    camps = rows_of(sample.replay.table("camps"))
    assert_told(camps, [{"tick": 0, "entity": story.camp.entity, "size": "small", "x": x, "y": y}])
    creeps = rows_of(sample.replay.table("neutrals"))
    assert_told(creeps, story.camp.neutrals)
    assert [row.get("attacker_player") for row in creeps] == [3] + [None] * 5
    assert_told(rows_of(sample.replay.table("stacks")), story.stacks)


def test_connections(sample: Any) -> None:
    assert_told(rows_of(sample.replay.table("connections")), sample.match.story.connections)


def test_neutral_finds(sample: Any) -> None:
    (row,) = rows_of(sample.replay.table("neutral_finds"))
    assert (row["tick"], row["player"], row["tier"]) == (FIND_TICK, FIND["player_id"], FIND["item_tier"])
    assert (row["item"], row["enhancement"]) == ("item_trusty_shovel", "item_enhancement_brawny")


def test_official_players(sample: Any) -> None:
    rows = rows_of(sample.replay.table("player_stats"))
    assert [row["official_net_worth"] for row in rows] == [hero.gold for hero in sample.match.heroes]
    assert [row["player"] for row in rows if row["official_scepter"]] == [0]


def test_runes(sample: Any) -> None:
    rows = rows_of(sample.replay.table("runes"))
    assert_told(rows, sample.match.story.runes)
    assert [row["rune"] for row in rows] == ["double_damage", "haste", "wisdom", "bounty", "water"]


def test_buildings(sample: Any) -> None:
    rows = rows_of(sample.replay.table("structures"))
    assert len(rows) == 56
    fallen = [row for row in rows if "end_tick" in row]
    assert_told(fallen, sample.match.story.structures)
    assert fallen
    for row in fallen:
        assert row["health"] == 0
        assert row["denied"] is False
        assert row["attacker_team"] != row["team"]
    towers = [row for row in rows if row["kind"] == "tower"]
    for row in towers:  # Radiant's half is south-west of the river, the lanes are at the edges and the diagonal
        assert (row["x"] + row["y"] < 0) == (row["team"] == 2)
        from_middle = abs(row["x"] - row["y"])
        assert row["tier"] == 4 or (from_middle < 1000 if row["lane"] == "mid" else from_middle > 2000)
    assert sorted((row["team"], row["tier"], row["lane"]) for row in towers if row["tier"] < 4) == [
        (team, tier, lane) for team in (2, 3) for tier in (1, 2, 3) for lane in ("bottom", "mid", "top")
    ]


def test_roshan_and_the_aegis(sample: Any) -> None:
    assert_told(rows_of(sample.replay.table("bosses")), sample.match.story.bosses)


def test_objectives(sample: Any) -> None:
    rows = rows_of(sample.replay.table("objective_events"))
    told = [(row["tick"], row["event"], row.get("team")) for row in rows]
    lost = [(row["tick"], row["event"], row["owner_team"]) for row in rows if "owner_team" in row]
    story = sample.match.story
    assert [entry for entry in lost if entry[1] == "structure_destroyed"] == [
        (row["end_tick"], "structure_destroyed", row["team"]) for row in story.structures
    ]
    fallen = list(sample.replay.events("structure_destroyed"))
    assert [entry for entry in told if entry[1] == "structure_destroyed"] == [
        (event.tick, "structure_destroyed", event.attacker_team) for event in fallen
    ]
    (roshan,) = (row for row in rows if row["event"] == "boss_killed")
    boss = next(row for row in sample.replay.table("bosses").to_pylist() if row["attacker"])
    assert boss["attacker_hero"] == boss["attacker"]
    assert roshan["player"] == boss["attacker_player"] == HERO_NAMES.index(boss["attacker"])
    assert [event.attacker_team for event in fallen] == [5 - row["team"] for row in story.structures]
    assert (2250, "glyph_used", 2) in told
    assert (2280, "scan_used", 3) in told
    assert (2400, "boss_killed", 3) in told
    assert [row["tick"] for row in rows] == sorted(row["tick"] for row in rows)


def test_a_courier_dies(sample: Any) -> None:
    dead = [row for row in rows_of(sample.replay.table("couriers")) if row["state"] == "dead"]
    assert_told(dead, sample.match.story.couriers)
    (told,) = sample.match.story.couriers
    (lost,) = sample.replay.events("courier_killed")
    assert (lost.tick, lost.player, lost.payload["owner_team"]) == (
        told["tick"],
        told["attacker_player"],
        told["team"],
    )


def test_smokes(sample: Any) -> None:
    rows = rows_of(sample.replay.table("smoke_uses"))
    truth = [
        row | {"members": [HERO_NAMES[member] for member in row["members"]]} for row in sample.match.story.smokes
    ]
    assert truth
    assert_told(rows, truth)


def test_modifiers(sample: Any) -> None:
    rows = rows_of(sample.replay.table("modifiers"))
    assert sample.match.story.modifiers
    assert_told(rows, sample.match.story.modifiers)
    assert [row["unit_type"] for row in rows] == [HERO_NAMES[row["player"]] for row in rows]


def test_modifiers_with_fields_in_another_order_and_sent_again(
    sample: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, take = "CDOTAModifierBuffTableEntry", Modifiers._take_news

    def take_others(self: Modifiers) -> None:
        others = []
        for tick, change in self._news:
            fields = wire.decode(entry, change.sent)
            backwards = [wire.encode(entry, {name: value}) for name, value in reversed(fields.items())]
            others.append((tick, change._replace(sent=b"".join(backwards))))
            if fields["entry_type"] != "DOTA_MODIFIER_ENTRY_TYPE_REMOVED":
                again = {"serial_num": fields["serial_num"], "stack_count": 700}
                others.append((tick, change._replace(sent=wire.encode(entry, again))))
        self._news = others
        take(self)

    monkeypatch.setattr(Modifiers, "_take_news", take_others)
    found, known = playhead.open(sample.data).table("modifiers"), sample.replay.table("modifiers")
    assert found.drop(["stacks", "most_stacks"]).equals(known.drop(["stacks", "most_stacks"]))
    assert set(found["stacks"].to_pylist()) == set(found["most_stacks"].to_pylist()) == {700}


def test_counters(sample: Any) -> None:
    rows = rows_of(sample.replay.table("player_counters"))
    last = {(row["player"], row["counter"]): row["value"] for row in rows}
    assert last == sample.match.story.counters
    for key, value in last.items():
        assert sum(row["rise"] for row in rows if (row["player"], row["counter"]) == key) == value


def test_kills_have_place_and_level_of_both(sample: Any) -> None:
    rows = rows_of(sample.replay.table("kills"))
    assert [(row["tick"], row["victim_player"], row["attacker_player"]) for row in rows] == [
        (kill.tick, kill.victim, kill.killer) for kill in sample.match.kills
    ]
    series = {
        (row["tick"], row["player"]): row for row in rows_of(sample.replay.table("player_series", every="1t"))
    }
    for row, kill in zip(rows, sample.match.kills, strict=True):
        assert (row["victim_x"], row["victim_y"]) == pytest.approx((kill.x, kill.y), abs=NEAR)
        for who in ("victim", "attacker"):
            state = series[row["tick"], row[f"{who}_player"]]
            assert (row[f"{who}_x"], row[f"{who}_y"]) == pytest.approx((state["x"], state["y"]), abs=NEAR)
            assert row[f"{who}_level"] == state["level"]


# -- fights ---------------------------------------------------------------------------------------------


def test_every_death_is_in_one_fight(sample: Any) -> None:
    fights = rows_of(sample.replay.table("fights"))
    players = rows_of(sample.replay.table("fight_players"))
    kills = sample.match.kills
    assert sum(row["deaths"] for row in fights) == len(kills)
    assert sum(row["deaths"] for row in players) == sum(row["kills"] for row in players) == len(kills)
    for row in fights:
        within = [row["first_death_tick"] <= kill.tick <= row["last_death_tick"] for kill in kills]
        assert sum(within) >= row["deaths"]
        assert row["end_tick"] == min(row["last_death_tick"] + 450, LAST_TICK)
        assert row["deaths"] == row["radiant_deaths"] + row["dire_deaths"]


def test_buybacks_belong_to_the_fight_of_their_time(sample: Any) -> None:
    fights = rows_of(sample.replay.table("fights"))
    bought = [row["tick"] for row in rows_of(sample.replay.table("buybacks"))]
    inside = sum(any(row["tick"] <= tick <= row["end_tick"] for row in fights) for tick in bought)
    assert sum(row["buybacks"] for row in rows_of(sample.replay.table("fight_players"))) == inside > 0


def test_deaths_of_a_fight_lie_together(sample: Any) -> None:
    fights = rows_of(sample.replay.table("fights"))
    for first, second in pairwise(fights):
        near_in_time = second["first_death_tick"] - first["last_death_tick"] <= 450
        apart = hypot(second["x"] - first["x"], second["y"] - first["y"])
        assert not near_in_time or second["first_death_tick"] < first["last_death_tick"] or apart > 1000


def test_parameters_of_fights(sample: Any) -> None:
    replay = sample.replay
    one = replay.table("fights", window="10 min", radius=1e9).to_pylist()
    assert [row["deaths"] for row in one] == [len(sample.match.kills)]
    single = replay.table("fights", window="1t", radius=0.0).num_rows
    assert single == len({(kill.tick, kill.victim) for kill in sample.match.kills})
    assert replay.table("fights", window=20).equals(replay.table("fights", window="20s"))
    large = replay.table("fights", deaths=2).to_pylist()
    assert [row["deaths"] for row in large] == [
        row["deaths"] for row in replay.table("fights").to_pylist() if row["deaths"] >= 2
    ]


def test_damage_in_a_fight_is_that_of_the_log(sample: Any) -> None:
    whole = sample.replay.table("fight_players", window="10 min", radius=1e9).to_pylist()
    damage = [row for row in sample.replay.table("damage").to_pylist() if row["victim_is_hero"]]
    assert sum(row["damage_taken"] for row in whole) == sum(row["damage"] for row in damage)
    by_heroes = sum(row["damage"] for row in damage if row["attacker_is_hero"])
    assert sum(row["damage"] for row in whole) == by_heroes


# -- all of them ----------------------------------------------------------------------------------------


def test_one_pass_gives_what_each_alone_gives(sample: Any) -> None:
    names = list(TABLES.own())
    together = playhead.open(sample.data).read_tables(names)
    for name in ("player_series", "positions", "wards", "fights", "modifiers", "items_held", "player_counters"):
        assert together[name].equals(playhead.open(sample.data).table(name))


def test_a_match_without_names_or_a_log() -> None:
    data, match = match_demo(0.5)
    replay = playhead.open(data)
    tables = replay.read_tables(list(TABLES.own()))
    assert tables["player_series"].num_rows == 310
    assert set(tables["items_held"]["item"].to_pylist()) == {None}
    assert tables["wards"].num_rows == len(match.story.wards)
    assert tables["fights"].num_rows == tables["smoke_uses"].num_rows == tables["modifiers"].num_rows == 0
    assert replay.problems == ()


@pytest.mark.parametrize("part", [0.3, 0.71, 0.97])
def test_a_cut_match_keeps_what_came_before(sample: Any, part: float) -> None:
    cut = playhead.open(sample.data[: int(len(sample.data) * part)])
    table = cut.table("player_series")
    whole = sample.replay.table("player_series")
    assert 0 < table.num_rows < whole.num_rows
    wanted = whole.slice(0, table.num_rows - 10).drop(["game_seconds"])
    assert table.slice(0, table.num_rows - 10).drop(["game_seconds"]).equals(wanted)
    cut.read_tables(list(TABLES.own()))
    assert cut.problems


@pytest.mark.long
def test_a_longer_match() -> None:
    messages = SampleMessages()
    data, match = match_demo(4.2, messages=messages)
    replay = playhead.open(data)
    assert_told(rows_of(replay.table("wards")), match.story.wards)
    assert_told(rows_of(replay.table("runes")), match.story.runes)
    assert_told(rows_of(replay.table("bosses")), match.story.bosses)
    assert_told(
        [row for row in rows_of(replay.table("structures")) if "end_tick" in row],
        match.story.structures,
    )
    pauses = [row for row in rows_of(replay.table("periods")) if row["kind"] == "pause"]
    assert [row["tick"] for row in pauses] == [row["tick"] for row in match.story.pauses]


# -- pairing --------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 400), max_size=12), st.lists(st.integers(0, 400), max_size=12), st.integers(0, 80))
def test_pairs_lie_near_and_none_is_left_that_could_be_paired(
    ends: list[int], told: list[int], within: int
) -> None:
    pairs = pair_nearest(ends, told, within)
    assert len(set(pairs.values())) == len(pairs)
    assert all(abs(ends[at] - told[place]) <= within for at, place in pairs.items())
    for at in set(range(len(ends))) - pairs.keys():
        for place in set(range(len(told))) - set(pairs.values()):
            assert abs(ends[at] - told[place]) > within


# -- schemas that declare something else ----------------------------------------------------------------


class Told:
    """Stands for an entity with one field."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self, _name: str) -> Any:
        return self.value


@pytest.mark.parametrize("value", ["100", b"1", (1.0, 2.0), 1.5, None, 1 << 31, -(1 << 63)])
def test_what_is_no_integer_is_none(value: Any) -> None:
    assert integer(Told(value), "m_iHealth") is None  # type: ignore[arg-type]


def test_columns_of_another_type() -> None:
    text = pa.array(["a", None])
    assert numbers_as(text, pa.int32()).to_pylist() == [None, None]
    assert numbers_as(pa.array([1.5, None]), pa.int32()).to_pylist() == [1, None]
    assert numbers_as(pa.array([True, None]), pa.float64()).to_pylist() == [1.0, None]
    assert numbers_as(pa.array([1 << 40], pa.uint64()), pa.int32()).to_pylist() == [0]
