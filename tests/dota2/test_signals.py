"""Chat wheel, pings, orders, voice, sounds, particles and temporary entities: against what the sample wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.engine import steam_id
from tests.samples.source2.match_demo import FILE_HEADER, SERVER_INFO
from tests.samples.source2.signals import CHAT_WHEEL, ORDERS, VOICE_FRAMES, VOICE_PLAYER, VOICE_TICK

import playhead
from playhead.dota2.facts.messages import Orders, Particles, Sounds, TempEntities
from playhead.dota2.facts.signals import Signals, Voice
from playhead.dota2.sources.message_facts import position
from playhead.source2.messages import wire
from playhead.source2.writing.demo import DemoWriter, InnerMessage

KINDS = (Signals, Orders, Voice, Sounds, Particles, TempEntities)
TABLES = [schema.name for kind in KINDS for schema in kind.schemas]
NUMBERS = sorted({number for kind in KINDS for number in kind.numbers})


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def demo(*messages: InnerMessage) -> bytes:
    writer = DemoWriter(FILE_HEADER)
    writer.signon([(40, wire.encode("CSVCMsg_ServerInfo", {**SERVER_INFO, "max_classes": 1}))])
    writer.sync_tick()
    writer.packet(2, messages)
    return writer.finish(2, {"playback_ticks": 2})


def test_chat_wheel(sample: Any) -> None:
    rows = rows_of(sample.replay.table("chat_wheel"))
    assert [(row["tick"], row["player"], row["phrase_id"]) for row in rows] == list(CHAT_WHEEL)


def test_pings(sample: Any) -> None:
    rows = rows_of(sample.replay.table("pings"))
    assert [(row["tick"], row["kind"], row["player"]) for row in rows] == [
        (160, "ability", 1),
        (162, "confirmation", 1),
        (286, "location", 4),
        (288, "location", 4),
        (612, "location", 6),
    ]
    assert (rows[0]["ping_type"], rows[0]["ability_id"], rows[0]["target_entity"]) == ("COOLDOWN", 5044, 124)
    assert rows[0]["target_entity_name"]
    assert (rows[4]["x"], rows[4]["y"], rows[4]["direct"]) == (3210, -2244, False)
    heroes = {row["player"]: row["hero"] for row in sample.replay.table("player_stats").to_pylist()}
    for name in ("pings", "map_lines", "chat_wheel"):
        assert all(row["hero"] == heroes[row["player"]] for row in rows_of(sample.replay.table(name))), name
    lines = rows_of(sample.replay.table("map_lines"))
    assert [(row["x"], row["y"], row["initial"]) for row in lines] == [(10, -20, True), (90, 35, False)]


def test_orders_name_player_unit_kind_target_and_place(sample: Any) -> None:
    rows = rows_of(sample.replay.table("orders"))
    assert len(rows) == len(ORDERS)
    for row, (tick, player, kind, fields) in zip(rows, ORDERS, strict=True):
        assert (row["tick"], row["player"]) == (tick, player)
        assert kind == f"DOTA_UNIT_ORDER_{row['kind']}"
        assert row["entities"] == [sample.match.heroes[player].index]
        assert row["entity_names"] != [None]
        assert row.get("target_entity") == fields.get("target_index")
        assert row.get("x") == fields.get("position", {}).get("x")
        assert row["queued"] == fields.get("queue", False)
    assert rows[1]["target_entity_name"] == rows[0]["entity_names"][0]
    assert "target_entity_name" not in rows[3]  # a tree


def test_voice_is_kept_as_it_is(sample: Any) -> None:
    (row,) = rows_of(sample.replay.table("voice"))
    assert (row["tick"], row["player"]) == (VOICE_TICK, VOICE_PLAYER)
    assert (row["account"], row["data"]) == (str(steam_id(VOICE_PLAYER)), VOICE_FRAMES)
    assert (row["codec"], row["encoding"]) == ("vaudio_celt", "VOICEDATA_FORMAT_OPUS")
    assert row["packet_offsets"] == [2, 4]


def test_sounds(sample: Any) -> None:
    start, stop, send = rows_of(sample.replay.table("sounds"))
    assert (start["kind"], start["guid"], start["sound_hash"]) == ("start", 9, 0xA1B2C3D4)
    assert (start["entity"], start["parameters"]) == (sample.match.heroes[0].index, b"\x01\x02")
    assert (stop["kind"], stop["guid"]) == ("stop", 9)
    assert (send["kind"], send["sound"]) == ("send", "ui.horn")


def test_particles(sample: Any) -> None:
    create, update, destroy = rows_of(sample.replay.table("particles"))
    assert {row["particle"] for row in (create, update, destroy)} == {77}
    assert (create["kind"], create["resource"]) == ("CREATE", 0xF00DF00DF00DF00D)
    assert create["entity"] == sample.match.heroes[0].index
    assert json.loads(create["details"]) == {"attach_type": 1}
    assert (update["kind"], update["control_point"]) == ("UPDATE_FALLBACK", 1)
    assert (update["x"], update["y"], update["z"]) == (1.5, -2.5, 3.0)
    assert destroy["kind"] == "DESTROY"


def test_temp_entities(sample: Any) -> None:
    projectile, effect = rows_of(sample.replay.table("temp_entities"))
    assert projectile["kind"] == "DOTA_UM_TE_Projectile"
    assert projectile["entity"] == projectile["target_entity"] == sample.match.heroes[0].index
    assert json.loads(projectile["details"]) == {"move_speed": 900, "is_attack": True, "handle": 3}
    assert (effect["x"], effect["y"]) == (5.0, 6.0)


def test_sounds_of_the_engine() -> None:
    sounds = {"sounds": [{"guid": 5, "volume": 100}, {"guid": 6}]}
    replay = playhead.open(
        demo(encode_message("dota2", "svc_Sounds", sounds), encode_message("dota2", "svc_StopSound", {"guid": 5}))
    )
    found = [(row["kind"], row["guid"]) for row in rows_of(replay.table("sounds"))]
    assert found == [("sound", 5), ("sound", 6), ("stop", 5)]


def test_a_speaker_of_old_recordings_is_a_client() -> None:
    message = encode_message("dota2", "svc_VoiceData", {"client_deprecated": 3, "audio": {"voice_data": b"x"}})
    (row,) = rows_of(playhead.open(demo(message)).table("voice"))
    assert (row["client"], row["data"]) == (3, b"x")
    assert "player" not in row


def test_unknown_orders_keep_their_number() -> None:
    message = encode_message("dota2", "CDOTAUserMsg_SpectatorPlayerUnitOrders", {"order_type": 999})
    (row,) = rows_of(playhead.open(demo(message)).table("orders"))
    assert row["kind"] == "999"
    assert "player" not in row


def test_no_entity_is_null() -> None:
    message = encode_message("dota2", "CDOTAUserMsg_PingConfirmation", {"entity_index": 2**32 - 1})
    replay = playhead.open(demo(message))
    (row,) = rows_of(replay.table("pings"))
    assert "target_entity" not in row
    assert "target_entity_name" not in row
    assert not replay.problems


@pytest.mark.parametrize("number", [47, 49])
def test_damage_that_the_engine_does_not_look_at_is_a_problem(number: int) -> None:
    replay = playhead.open(demo((number, b"\xff\xff")))
    assert len(replay.problems) == 1
    with pytest.raises(playhead.ReplayError):
        playhead.open(demo((number, b"\xff\xff")), strict=True).table("voice" if number == 47 else "sounds")


@many(1.5)
@given(messages=st.lists(st.tuples(st.sampled_from(NUMBERS), st.binary(max_size=24)), max_size=12))
def test_any_bytes(messages: list[tuple[int, bytes]]) -> None:
    replay = playhead.open(demo(*messages))
    replay.read_tables(TABLES)
    bad = len(replay.problems)
    again = playhead.open(demo(*messages))
    assert len(again.problems) <= bad


def test_places() -> None:
    assert position(None) == {"x": None, "y": None, "z": None}
    assert position({"y": 2}) == {"x": 0.0, "y": 2.0, "z": 0.0}
