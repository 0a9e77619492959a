"""The match of real size: the shape of real recordings, and a story that is still known."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.opened import open_as
from tests.samples.real_size.demo import write_real_match
from tests.samples.real_size.match import RealMatch
from tests.samples.real_size.measures import (
    A_MINUTE,
    ACTIVE_MODIFIERS,
    BEFORE_HORN,
    CERTAIN_LEAD,
    CLASSES,
    MID_GAME,
    MODIFIER_NAMES,
    SCHEMA_FIELDS,
    Course,
)
from tests.samples.real_size.messages import RealMessages
from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.player_stats import TEAM_DATA_FIELDS
from playhead.dota2.replay import Dota2Replay
from playhead.dota2.sources.combat_log import ENTRY_DEFINITION, ENTRY_MESSAGE
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import message_numbers

pytestmark = pytest.mark.slow_interpreted

MINUTES = 1.0
LAST = 1800
# What places lose by being sent in 12 bits.
NEAR = 0.05


class Real(NamedTuple):
    """The recording and the truth of it."""

    path: Path
    replay: Dota2Replay
    match: RealMatch
    messages: RealMessages


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Real:
    path = tmp_path_factory.mktemp("real") / "match.dem"
    match, messages = write_real_match(path, MINUTES)
    replay = open_as(Dota2Replay, path)
    replay.read_tables(list(TABLES.own()))
    return Real(path, replay, match, messages)


def rows(real: Real, name: str) -> list[dict[str, Any]]:
    """A table's rows without nulls."""
    table = real.replay.table(name).to_pylist()
    return [{key: value for key, value in row.items() if value is not None} for row in table]


def assert_told(found: list[dict[str, Any]], truth: list[dict[str, Any]]) -> None:
    """Every row of the truth stands in the table, in order, with these values; places nearly."""
    assert len(found) == len(truth) > 0
    for row, told in zip(found, truth, strict=True):
        assert ("end_tick" in row) == ("end_tick" in told), row
        for key, value in told.items():
            near = pytest.approx(value, abs=NEAR) if key in ("x", "y") else value
            assert row.get(key) == near, (key, row)


# -- its shape ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_schema(real: Real) -> None:
    assert len(real.replay.recording.class_names) == CLASSES
    assert sum(len(serializer.fields) for serializer in real.replay.recording.send_tables) == SCHEMA_FIELDS
    world = real.replay.at(LAST)
    assert len(world.string_tables["ModifierNames"].items) == MODIFIER_NAMES
    assert len(world.string_tables["ActiveModifiers"].items) > ACTIVE_MODIFIERS


@pytest.mark.long
@pytest.mark.parametrize(("busy", "phase"), [(0.0, BEFORE_HORN), (1.0, MID_GAME)])
def test_traffic_is_what_was_measured(real: Real, tool: Any, busy: float, phase: Any) -> None:
    course = Course(MINUTES)
    seconds = [second for second in range(1, 60) if course.activity(second) == course.activity(second + 1) == busy]
    first = seconds[0] * TICKS_PER_SECOND
    traffic = tool("measure_traffic").measure(real.replay, first + 2, len(seconds) * TICKS_PER_SECOND // 2 - 1)
    deltas = sum(traffic.deltas) / traffic.packets
    assert deltas == pytest.approx(phase.deltas, rel=0.1)
    values = sum(traffic.values.values())
    fields = values / sum(traffic.deltas)
    assert sum(traffic.messages) / traffic.packets == pytest.approx(phase.messages + 2.4, rel=0.15)
    if busy:
        assert fields == pytest.approx(5.5, rel=0.1)
        ordered = sorted(traffic.fields)
        assert [ordered[len(ordered) * part // 100] for part in (50, 90, 99)] == [4, 12, 30]
        assert traffic.values["quantized"] / values == pytest.approx(0.22, abs=0.03)
        assert sum(traffic.entity_sizes) / sum(traffic.sizes) == pytest.approx(0.40, abs=0.04)
        assert traffic.bits / values == pytest.approx(33, abs=3)
    else:
        assert fields == pytest.approx(2.0, rel=0.25)
        assert traffic.values["float"] / values == pytest.approx(0.4, abs=0.1)


def test_nothing_is_wrong_with_it(real: Real) -> None:
    checks = list(real.replay.verify())
    assert len(checks) > 5
    assert [check for check in checks if check.failed] == []
    assert real.replay.problems == ()


@pytest.mark.long
def test_the_same_arguments_give_the_same_bytes(tmp_path: Path, step: int) -> None:
    for name in ("a", "b"):
        write_real_match(tmp_path / name, 0.05)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    if step == 1:
        write_real_match(tmp_path / "c", 0.05, seed=8)
        assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


# -- its story ------------------------------------------------------------------------------------------


def test_the_clock(real: Real) -> None:
    horn = int(Course(MINUTES).horn * TICKS_PER_SECOND) // 2 * 2
    assert real.replay.to_tick("0:00") == horn
    assert real.replay.to_tick("0:40") == horn + 40 * TICKS_PER_SECOND


@pytest.mark.parametrize("name", ["wards", "runes", "bosses", "structures"])
def test_the_map(real: Real, name: str) -> None:
    found = rows(real, name)
    if name == "structures":
        found = [row for row in found if "end_tick" in row]
    assert_told(found, getattr(real.match.story, name))


def test_heroes_at_the_end(real: Real) -> None:
    found = [row for row in rows(real, "player_series") if row["tick"] == LAST]
    for row, hero in zip(found, real.match.heroes, strict=True):
        assert (row["net_worth"], row["xp"], row["last_hits"]) == (hero.gold, hero.xp, hero.last_hits)
        assert (row["kills"], row["deaths"], row["level"]) == (hero.kills, hero.deaths, hero.level)
        assert (row["health"], row["mana"]) == (hero.health, pytest.approx(hero.mana, abs=0.1))
        assert (row["x"], row["y"]) == (pytest.approx(hero.x, abs=NEAR), pytest.approx(hero.y, abs=NEAR))


def test_what_players_did(real: Real) -> None:
    found = [row for row in rows(real, "player_series") if row["tick"] == LAST]
    columns = {name: field for name, field in TEAM_DATA_FIELDS.items() if field in A_MINUTE}
    assert len(columns) == len(A_MINUTE)
    for row in found:
        grown = real.match.grown(row["player"], LAST)
        assert {name: row[name] for name in columns} == {
            name: pytest.approx(grown[field]) for name, field in columns.items()
        }
    assert min(row["hero_damage"] for row in found) > 100
    team = rows(real, "team_series")[-1]
    lead = team["net_worth_lead"] / CERTAIN_LEAD / 2
    assert team["tick"] == LAST
    assert team["radiant_win_probability"] == pytest.approx(0.5 + lead)
    assert lead != 0


def test_the_draft(real: Real) -> None:
    found = rows(real, "draft")
    assert_told(
        [{key: value for key, value in row.items() if key != "player"} for row in found],
        [{name: step[name] for name in ("tick", "team", "hero_id")} for step in real.match.drafted],
    )
    names = ("radiant_reserve_seconds", "dire_reserve_seconds")
    assert [[row[name] for name in names] for row in found] == [step["reserves"] for step in real.match.drafted]
    assert [row["active_team"] for row in found] == [step["team"] for step in real.match.drafted]
    assert {row["known_by"] for row in found} == {"file_info"}


def test_day_and_couriers(real: Real) -> None:
    assert {row["at_night_time"] for row in rows(real, "team_series")} == {False}
    assert {row["state"] for row in rows(real, "couriers")} >= {"idle", "moving"}
    assert len({row["player"] for row in rows(real, "couriers")}) == 10


def test_kills(real: Real) -> None:
    found = [row for row in rows(real, "unit_deaths") if row["victim_is_hero"]]
    assert [(row["tick"], row["victim_player"]) for row in found] == [
        (kill.tick, kill.victim) for kill in real.match.kills
    ]


def test_counters_and_smokes(real: Real) -> None:
    last = {(row["player"], row["counter"]): row["value"] for row in rows(real, "player_counters")}
    assert last == real.match.story.counters
    assert [(row["tick"], row["player"]) for row in rows(real, "smoke_uses")] == [
        (row["tick"], row["player"]) for row in real.match.story.smokes
    ]


def test_modifiers(real: Real) -> None:
    # Those of one tick come in the order of their places in the string table.
    order = itemgetter("tick", "player", "modifier", "caster_player")
    truth = sorted([*real.match.story.modifiers, *real.messages.modifiers_told], key=order)
    assert_told(sorted(rows(real, "modifiers"), key=order), truth)
    ends = Counter("end_tick" in row for row in truth)
    assert ends[True] > 100
    assert ends[False] > ACTIVE_MODIFIERS


def test_every_entry_of_the_combat_log(real: Real) -> None:
    sent = [(tick, 0, fields) for tick, fields in real.messages.combat_log.written]
    sent += [(tick, 1, fields) for tick, fields in real.messages.logged()]
    sent.sort(key=lambda entry: entry[:2])
    found = real.replay.table("combat_log").to_pylist()
    assert len(found) == len(sent) > 3000
    for row, (tick, traffic, fields) in zip(found, sent, strict=True):
        assert row["tick"] == tick
        assert row["value"] == (None if "value" not in fields else wire_signed(fields["value"]))
        if traffic:
            seconds = pytest.approx((FIRST_SERVER_TICK + tick) / TICKS_PER_SECOND)
            assert row["server_seconds"] == row["raw_server_seconds"] == seconds
    damage = sum(fields["value"] for _, _, fields in sent if fields["type"] == 0)
    assert sum(row["damage"] for row in rows(real, "damage")) == damage


def test_times_of_entries_leave_out_pauses() -> None:
    match = RealMatch(0.1)
    match.story.pauses.append({"tick": 90, "end_tick": 120})
    said = RealMessages(match, 0.1).at(150, match)
    entries = [wire.decode(ENTRY_DEFINITION, data) for kind, data in said if kind == ENTRY_MESSAGE]
    assert entries
    now = (FIRST_SERVER_TICK + 150) / TICKS_PER_SECOND
    for entry in entries:
        assert entry["timestamp"] == pytest.approx(now - 1.0)
        assert entry["timestamp_raw"] == pytest.approx(now)


def wire_signed(value: int) -> int:
    """A number of 32 bits with its sign."""
    return value - (1 << 32) if value >> 31 else value


def test_every_message(real: Real) -> None:
    numbers = {entry.message: entry.number for entry in message_numbers("dota2").values()}
    sent = list(real.messages.sent())
    counts = Counter(numbers[kind] for _, kind, _ in sent)
    assert counts == real.messages.counts
    assert counts[ENTRY_MESSAGE] == 0
    story = ("CMsgTEEffectDispatch", "CUserMsg_ParticleManager", "CDOTAUserMsg_UnitEvent")
    for kind in story:
        told = [(tick, fields) for tick, name, fields in sent if name == kind]
        assert told
        found = {(message.tick, wire.encode(kind, message.fields)) for message in real.replay.messages(kind)}
        assert {(tick, wire.encode(kind, fields)) for tick, fields in told} <= found


def test_chat(real: Real) -> None:
    found = {(row["tick"], row["player"], row["text"]) for row in rows(real, "chat")}
    assert {(tick, player, text) for tick, player, _, text in real.messages.chat} <= found


def test_kinds_of_entities(real: Real) -> None:
    table = real.replay.table("positions", units=["CDOTA_BaseNPC*", "CDOTA_Unit_Hero_*"], every="5s").to_pylist()
    classes = {row["entity_class"] for row in table}
    assert {"CDOTA_BaseNPC_Creep_Lane", "CDOTA_BaseNPC_Creep_Neutral", "CDOTA_BaseNPC"} <= classes
    heroes = Counter(row["tick"] for row in table if row["entity_class"].startswith("CDOTA_Unit_Hero_"))
    assert max(heroes.values()) > 10, "there are illusions"
