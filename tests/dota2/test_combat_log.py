"""The combat log: against what the sample wrote, and its other forms."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from tests.samples.source2.combat_log import NAMES, UNKNOWN_TYPE
from tests.samples.source2.encoding import GameEventWriter
from tests.samples.source2.match_demo import FILE_HEADER, SERVER_INFO

import playhead
from playhead.dota2.facts.combat_log import VIEWS
from playhead.dota2.facts.shared_log import EntryBatches
from playhead.dota2.sources.combat_log import (
    BULK_MESSAGE,
    ENTRY_COLUMNS,
    ENTRY_DEFINITION,
    ENTRY_MESSAGE,
    OTHER_FIELDS,
    assists,
    from_legacy_event,
)
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import enumeration, fields
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table

TYPES = {
    number: name.removeprefix("DOTA_COMBATLOG_") for name, number in enumeration("DOTA_COMBATLOG_TYPES").items()
}


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def demo(signon: list[InnerMessage], packets: dict[int, list[InnerMessage]]) -> bytes:
    """A recording of nothing else."""
    writer = DemoWriter(FILE_HEADER)
    writer.signon([(40, wire.encode("CSVCMsg_ServerInfo", {**SERVER_INFO, "max_classes": 1})), *signon])
    writer.sync_tick()
    for tick, messages in packets.items():
        writer.packet(tick, messages)
    return writer.finish(max(packets), {"playback_ticks": max(packets)})


def names(*listed: str) -> InnerMessage:
    return create_string_table("CombatLogNames", [(i, name.encode(), None) for i, name in enumerate(listed)])


def entry(**values: Any) -> InnerMessage:
    return ENTRY_MESSAGE, wire.encode(ENTRY_DEFINITION, values)


@pytest.mark.long
def test_every_entry_is_there(sample: Any) -> None:
    rows = rows_of(sample.replay.table("combat_log"))
    written = sample.messages.combat_log.written
    assert len(rows) == len(written) > 100
    for row, (tick, sent) in zip(rows, written, strict=True):
        assert row["tick"] == tick
        assert row["seconds"] == tick / 30
        assert row["log_type"] == TYPES.get(sent["type"], str(sent["type"]))
        for side in ("attacker", "target"):
            number = sent.get(f"{side}_name")
            assert row.get(side) == (NAMES[number] if number else None)
            assert row.get(f"{side}_is_hero") == sent.get(f"is_{side}_hero")
        value = sent.get("value")
        assert row.get("value") == (value - 2**32 if value is not None and value >= 2**31 else value)
        if "timestamp" in sent:
            assert row["server_seconds"] == pytest.approx(sent["timestamp"], abs=1e-3)


def test_unknown_types_are_kept(sample: Any) -> None:
    row = next(row for row in rows_of(sample.replay.table("combat_log")) if row["log_type"] == str(UNKNOWN_TYPE))
    assert (row["form"], row["value"]) == ("bulk", 17)


def test_kills_are_those_of_the_match(sample: Any) -> None:
    rows = [row for row in rows_of(sample.replay.table("unit_deaths")) if row["victim_is_hero"]]
    found = [(row["tick"], row["victim"], row["attacker"]) for row in rows]
    unit = dict(enumerate(NAMES[1:11]))
    assert found == [(kill.tick, unit[kill.victim], unit[kill.killer]) for kill in sample.match.kills]
    assert all(row["assister_players"] and row["x"] is not None for row in rows)
    assert [(row["victim_player"], row["attacker_player"]) for row in rows] == [
        (kill.victim, kill.killer) for kill in sample.match.kills
    ]


def test_tables_cut_from_it(sample: Any) -> None:
    log = rows_of(sample.replay.table("combat_log"))
    for cut in VIEWS:
        rows = rows_of(sample.replay.table(cut.schema.name))
        assert rows, cut.schema.name
        assert len(rows) == sum(row["log_type"] in cut.types for row in log)


def test_bought_items(sample: Any) -> None:
    rows = [row for row in rows_of(sample.replay.table("item_events")) if row["change"] == "purchase"]
    tangos = [row for row in rows if row["item"] == "item_tango"]
    assert [row["hero"] for row in tangos] == list(NAMES[1:11])
    assert [(row["tick"], row["item"]) for row in rows if row not in tangos] == [
        (row["tick"], row["item"]) for row in sample.match.story.purchases
    ]


def test_buybacks_name_the_hero(sample: Any) -> None:
    heroes = {row["player"]: row["hero"] for row in sample.replay.table("player_stats").to_pylist()}
    rows = rows_of(sample.replay.table("buybacks"))
    assert [row["hero"] for row in rows] == [heroes[row["player"]] for row in rows]


def test_gold_has_a_sign_and_a_reason(sample: Any) -> None:
    rows = rows_of(sample.replay.table("gold"))
    assert {(row["gold"], row["reason"], row["reason_id"]) for row in rows} == {
        (-90, "Death", 1),
        (240, "HeroKill", 12),
    }


def test_damage_names_its_kind(sample: Any) -> None:
    rows = rows_of(sample.replay.table("damage"))
    assert {row["damage_type"] for row in rows} == {"physical", "magical"}


def test_every_field_has_a_column() -> None:
    """A field that Valve adds must be found here when the definitions are renewed."""
    known = {column.field for column in ENTRY_COLUMNS} | set(OTHER_FIELDS)
    assert {field.name for field in fields(ENTRY_DEFINITION)} == known


def test_without_the_names_the_numbers_are_kept() -> None:
    packets = {2: [entry(type=4, attacker_name=3, target_name=9)]}
    replay = playhead.open(demo([names("dota_unknown", "a", "b", "c")], packets))
    row = rows_of(replay.table("unit_deaths"))[0]
    assert (row["attacker"], row["victim"]) == ("c", "#9")
    bare = playhead.open(demo([], packets))
    assert rows_of(bare.table("unit_deaths"))[0]["attacker"] == "#3"
    assert rows_of(bare.table("unit_deaths"))[0].get("game_seconds") is None


def test_numbers_beyond_a_column_do_no_harm() -> None:
    most = 2**32 - 1
    values = dict.fromkeys(("value", "networth", "gold_reason", "inflictor_name", "assist_player0"), most)
    replay = playhead.open(demo([], {2: [entry(type=8, **values)]}))
    row = rows_of(replay.table("combat_log"))[0]
    assert (row["value"], row["net_worth"], row["gold_reason_id"]) == (-1, -1, -1)
    assert row["inflictor"] == f"#{most}"
    assert "assister_players" not in row
    assert rows_of(replay.table("gold"))[0]["gold"] == -1


def test_what_kept_the_entries_is_let_go_of_at_once() -> None:
    def kept() -> int:
        return sum(isinstance(each, EntryBatches) for each in gc.get_objects())

    gc.collect()
    gc.disable()  # only then a circle would live on
    try:
        before = kept()
        playhead.open(demo([], {2: [entry(type=8, value=1)]})).table("combat_log")
        assert kept() == before
    finally:
        gc.enable()


def test_fields_that_no_definition_knows_are_in_details() -> None:
    content = wire.encode(ENTRY_DEFINITION, {"type": 1, "value": 5}) + bytes((0xF0, 0x2E, 7))  # field 750: 7
    replay = playhead.open(demo([], {2: [(ENTRY_MESSAGE, content)]}))
    assert json.loads(replay.table("combat_log").to_pylist()[0]["details"]) == {"750": [7]}


def test_a_damaged_entry_is_a_problem_and_the_others_stay() -> None:
    good = entry(type=1, value=5)
    replay = playhead.open(
        demo([], {2: [good, (ENTRY_MESSAGE, b"\x08"), good], 4: [good, (BULK_MESSAGE, b"\xff")]})
    )
    assert replay.table("heals").num_rows == 3
    assert len(replay.problems) == 2


LEGACY = {
    "type": "byte",
    "sourcename": "short",
    "targetname": "short",
    "attackername": "short",
    "inflictorname": "short",
    "attackerillusion": "bool",
    "targetillusion": "bool",
    "value": "short",
    "health": "short",
    "timestamp": "float",
    "odd": "string",
}


def test_legacy_events() -> None:
    events = GameEventWriter({"other": {"x": "short"}, "dota_combatlog": LEGACY})
    values = {
        "type": 0,
        "sourcename": 1,
        "targetname": 2,
        "attackername": 1,
        "inflictorname": 0,
        "attackerillusion": False,
        "targetillusion": True,
        "value": 33,
        "health": 400,
        "timestamp": 12.5,
        "odd": "kept",
    }
    packet = [events.event("other", {"x": 1}), events.event("dota_combatlog", values)]
    unknown = events.event("dota_combatlog", values | {"type": 77})
    replay = playhead.open(demo([names("dota_unknown", "a", "b"), events.event_list()], {2: [*packet, unknown]}))
    first, second = rows_of(replay.table("combat_log"))
    assert first["form"] == "event"
    assert first["log_type"] == "DAMAGE"
    assert (first["attacker"], first["attacker_owner"], first["target"]) == ("a", "a", "b")
    assert "inflictor" not in first
    assert (first["attacker_is_illusion"], first["target_is_illusion"]) == (False, True)
    assert (first["value"], first["health"], first["server_seconds"]) == (33, 400, 12.5)
    assert json.loads(first["details"]) == {"event.odd": "kept"}
    assert second["log_type"] == "77"
    assert replay.table("damage").num_rows == 1


@pytest.mark.parametrize("value", ["text", float("nan"), float("inf"), 2**63, None])
def test_a_legacy_value_of_the_wrong_kind(value: Any) -> None:
    made = from_legacy_event({"value": value, "type": 0})
    assert "value" not in made
    assert made["type"] == "DOTA_COMBATLOG_DAMAGE"


def test_assists_in_either_form() -> None:
    assert assists({"assist_players": [3, -1, 4]}) == [3, 4]
    assert assists({"assist_player0": 2, "assist_player1": 2**32 - 1, "assist_player2": 7}) == [2, 7]
    assert assists({}) is None


@pytest.mark.long
@pytest.mark.parametrize(
    "batch", [7, *(pytest.param(size, marks=pytest.mark.slow_interpreted) for size in (1, 110))]
)
def test_batches_make_no_difference(sample: Any, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("message_rows.table", "tables.message_columns"):
        monkeypatch.setattr(f"playhead.source2.{module}.BATCH", batch)
    replay = playhead.open(sample.data)
    names = ["combat_log", "unit_deaths", "gold", "sounds", "particles", "temp_entities", "orders", "voice"]
    for name, table in replay.read_tables([*names, "user_messages"]).items():
        whole = sample.replay.table(name)
        assert table.schema == whole.schema, name
        assert table.to_pylist() == whole.to_pylist(), name


@pytest.mark.slow_interpreted
@pytest.mark.parametrize(
    "asked",
    [
        ("unit_deaths",),
        ("kills",),
        ("gold", "xp"),
        ("ability_uses", "fights", "fight_players"),
        ("combat_log", "damage"),
    ],
)
def test_tables_asked_for_alone_are_those_of_all(sample: Any, asked: tuple[str, ...]) -> None:
    for name, table in playhead.open(sample.data).read_tables(asked).items():
        assert table.to_pylist() == sample.replay.table(name).to_pylist(), name
