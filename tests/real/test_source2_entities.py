"""Entities of the real Source 2 demos: self-checks, golden counts, agreement with gem-dota, the fragments of
2015.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2.encoding import encode_class_names

import playhead
from playhead import ReplayError
from playhead.errors import FieldTypeError
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine, message_names
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.patches import patched
from playhead.source2.schema.send_tables import SendTables, read_send_tables
from playhead.source2.string_tables.tables import COMPRESSED_VALUES
from playhead.source2.writing.demo import DemoWriter, create_string_table
from playhead.source2.writing.entities import encode_state

pytestmark = pytest.mark.slow_interpreted

# file -> entity messages, creations, updates, entities at the end, values of fields
GOLDEN = {
    "dota2_build9912_10bots.dem": (407, 883, 13595, 883),
    "cs2_14065.dem": (185, 264, 1867, 264),
    "cs2_14132.dem": (125, 187, 2614, 187),
    "cs2_14155.dem": (161, 176, 3372, 176),
    "deadlock_10423.dem": (50, 681, 1945, 681),
}


def _open(corpus: Path, name: str, **options: Any) -> Source2Replay:
    return open_as(Source2Replay, corpus / "source2" / name, **options)


@pytest.mark.parametrize("name", GOLDEN)
def test_every_message_is_decoded_to_its_last_bit(corpus: Path, name: str) -> None:
    replay = _open(corpus, name, strict=True)
    checks = {check.name: (check.passed, check.failed) for check in replay.verify()}
    assert all(failed == 0 for _, failed in checks.values())
    assert checks["entity messages"][0] == GOLDEN[name][0]
    assert checks["full packets"] == (1, 0)
    assert checks["baselines"][0] > 30
    playback = replay.playback()
    playback.run()
    entities = playback.entities
    counted = (entities.messages, entities.creates, entities.updates, len(entities))
    assert counted == GOLDEN[name]
    assert (entities.skipped, entities.unknown_deletes, entities.missing_baselines) == (0, 0, 0)


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_seeking_leads_where_playing_does(corpus: Path, name: str) -> None:
    replay = _open(corpus, name)
    last = replay.info.duration_ticks
    assert last is not None
    for tick in (0, 1, last // 3, last):
        played, sought = replay.playback(None), replay.playback(None)
        played.advance(tick)
        sought.seek(tick)
        assert list(played.entities.differences(sought.entities)) == []
        assert [list(table) for table in played.string_tables] == [list(table) for table in sought.string_tables]


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_the_writer_writes_the_state_of_real_recordings(corpus: Path, name: str) -> None:
    replay = _open(corpus, name)
    playback = replay.playback()
    playback.run()
    bits = int(replay.recording.server_info["max_classes"]).bit_length()
    other = EntityManager(replay.recording.send_tables)
    other.on_server_info(replay.recording.server_info)
    other.on_class_info(replay.recording.class_names)
    other.apply(encode_state(playback.entities, bits)[1])
    assert list(playback.entities.differences(other)) == []


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", [*GOLDEN, "dota2_pov.dem"])
def test_handlers_of_entity_messages_get_every_one(corpus: Path, name: str) -> None:
    replay = _open(corpus, name)
    counts = replay.message_counts()
    for asked in (Engine.PACKET_ENTITIES, Engine.UPDATE_STRING_TABLE, Engine.NET_TICK):
        payloads: list[bytes] = []
        playback = replay.playback(())
        playback.on_message(asked, lambda _tick, payload, found=payloads: found.append(payload), full_packets=True)
        playback.run()
        assert len(payloads) == counts.get(message_names(replay.recording.game)[asked], 0), asked


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_updates_without_fields_reach_handlers(corpus: Path, name: str) -> None:
    replay = _open(corpus, name)
    calls = 0

    def count(_entity: Entity, _op: EntityOp) -> None:
        nonlocal calls
        calls += 1

    playback = replay.playback(())
    playback.entities.on_entity(count, op=EntityOp.UPDATED)
    playback.run()
    assert calls == playback.entities.updates


@pytest.mark.long
@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_a_stretch_of_a_real_recording(corpus: Path, tmp_path: Path, name: str) -> None:
    whole = _open(corpus, name)
    last = whole.info.duration_ticks or 0
    start, end = last // 3, 2 * last // 3
    whole.write_slice(tmp_path / "cut.dem", start, end)
    cut = open_as(Source2Replay, tmp_path / "cut.dem")
    assert cut.problems == ()
    for tick in (start, start + 1, (start + end) // 2, end):
        assert list(whole.at(tick).entities.differences(cut.at(tick).entities)) == []


def test_heroes_of_the_dota_recording(corpus: Path) -> None:
    replay = _open(corpus, "dota2_build9912_10bots.dem")
    world = replay.at(20.0)
    heroes = world.entities.find_all_by_class_name("CDOTA_Unit_Hero_*")
    assert len(heroes) == 10
    knight = world.entities.find_by_npc_name("npc_dota_hero_dragon_knight")
    assert knight is world.entities.find_by_class_name("CDOTA_Unit_Hero_DragonKnight")
    assert knight is not None
    assert (knight["m_iHealth"], knight["m_iCurrentLevel"], round(knight["m_flMaxMana"])) == (582, 1, 291)
    owner = world.entities.find_by_handle(knight["m_hOwnerEntity"])
    assert owner is not None
    assert owner.class_name == "CDOTAPlayerController"
    table = replay.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth"], every="1s")
    assert table.num_rows == 10 * 28
    assert table.column("m_iHealth").null_count == 0


def test_names_of_entities_in_a_default_playback(corpus: Path) -> None:
    playback = _open(corpus, "dota2_build9912_10bots.dem").playback()
    playback.run()
    heroes = playback.entities.find_all_by_class_name("CDOTA_Unit_Hero_*")
    names = [playback.entities.npc_name(hero) for hero in heroes]
    assert len(set(names)) == 10
    for hero, name in zip(heroes, names, strict=True):
        assert name is not None
        assert name.startswith("npc_dota_hero_")
        assert playback.entities.find_by_npc_name(name) is hero


@pytest.mark.parametrize(
    ("name", "build", "classes", "bits"),
    [
        ("dota2_build9912_10bots.dem", None, 1594, 11),
        ("dota2_pov.dem", 5361, 1468, 11),
        ("cs2_14155.dem", None, 211, 8),
    ],
)
def test_classes_and_build(corpus: Path, name: str, build: int | None, classes: int, bits: int) -> None:
    playback = _open(corpus, name).playback()
    playback.run()
    entities = playback.entities
    assert (entities.game_build, len(entities.classes_by_id), entities.class_id_size) == (build, classes, bits)
    for entity in entities:
        info = entity.class_info
        assert entities.classes_by_id[info.class_id] is entities.classes_by_name[entity.class_name] is info
    assert [info.name for info in entities.classes_by_id.values()] == list(entities.classes_by_name)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dota2_build9912_10bots.dem", {"int": 42749, "bool": 17265, "float": 14896, "vector": 2705, "str": 667}),
        ("cs2_14065.dem", {"int": 25102, "float": 12043, "bool": 3880, "vector": 1924, "str": 293}),
    ],
)
def test_every_field_has_the_type_of_one_accessor(corpus: Path, name: str, expected: dict[str, int]) -> None:
    playback = _open(corpus, name).playback()
    playback.run()
    counts: Counter[str] = Counter()
    owners = 0
    for entity in playback.entities:
        for field, value in entity.to_dict().items():
            fitting = []
            for kind in expected:
                with contextlib.suppress(FieldTypeError):
                    assert repr(getattr(entity, f"get_{kind}")(field)) == repr(value)
                    fitting.append(kind)
            assert len(fitting) == 1
            counts[fitting[0]] += 1
        owner = entity.get_handle("m_hOwnerEntity")
        owners += owner is not None and playback.entities.find_by_handle(owner) is not None
    assert counts == expected
    assert owners > 20


# Fields that gem-dota 0.14 decodes differently, and why ours is right.
DIFFERENT = {
    "m_flMana": "gem takes a game folder without a build for a build before 955 and patches the range of mana",
    "m_flMaxMana": "the same",
    "m_iItemID": "a 64-bit number of which gem keeps 32 bits",
    "m_unMatchID64": "the same",
    "iSpawnerEntIndex": "a signed number, which gem reads unsigned; ours are the indices of the neutral spawners",
}


@pytest.mark.long
def test_agreement_with_gem_dota(corpus: Path) -> None:
    parser = pytest.importorskip("gem.parser", reason="gem-dota is not installed: nothing to compare with")
    path = corpus / "source2" / "dota2_build9912_10bots.dem"
    gem = parser.ReplayParser(path)
    gem.parse()
    manager = next(value for value in vars(gem).values() if type(value).__name__ == "EntityManager")
    theirs = {entity.index: entity for entity in manager.entities if entity is not None}
    playback = _open(corpus, path.name).playback()
    playback.run()
    assert theirs.keys() == {entity.index for entity in playback.entities}
    compared, odd = 0, set()
    for entity in playback.entities:
        other = theirs[entity.index]
        assert (entity.class_name, entity.serial) == (other.cls.name, other.serial)
        fields = other.to_map()
        for name, value in fields.items():
            compared += 1
            if not _same(entity.get(name), value):
                odd.add(name.rpartition(".")[2])
        # Fields in gem's list, and those only in ours: pointers, lengths, and the second of two fields of one
        # name.
        for name, value in entity.to_dict().items():
            assert name in fields or isinstance(value, bool | int) or "~" in name
    assert compared == 75211
    assert odd == DIFFERENT.keys()


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(theirs, float):  # gem computes quantized floats in double precision
        return bool(ours == pytest.approx(theirs, rel=1e-5, abs=1e-4, nan_ok=True))
    return bool(ours == theirs)


@pytest.mark.long
@pytest.mark.parametrize("name", ["dota2_build9912_10bots.dem", "cs2_14155.dem"])
@pytest.mark.parametrize("part", [0.3, 0.5, 0.8, 0.97])
def test_a_cut_recording_keeps_its_state(corpus: Path, name: str, part: float) -> None:
    data = (corpus / "source2" / name).read_bytes()
    replay = open_as(Source2Replay, data[: int(len(data) * part)])
    whole = _open(corpus, name)
    playback = replay.playback()
    playback.run()
    expected = whole.playback()
    expected.advance(playback.tick)
    assert list(playback.entities.differences(expected.entities)) == []
    assert {problem.kind for problem in replay.problems} <= {"TruncatedReplay", "CorruptReplay"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["dota2_build9912_10bots.dem", "deadlock_10423.dem"])
def test_flipped_bits_give_problems_and_never_other_errors(corpus: Path, step: int, name: str) -> None:
    data = bytearray((corpus / "source2" / name).read_bytes())
    for at in range(5000, len(data), len(data) * step // 25):
        data[at] ^= 1 << at % 8
        try:
            replay = open_as(Source2Replay, bytes(data))
            replay.playback().run()
            replay.table("entities:*Player*", every="1s")
        except (ReplayError, KeyError):  # a broken schema has no such class
            pass
        data[at] ^= 1 << at % 8


# -- 2015 -------------------------------------------------------------------------------------------------------


def _fragments(corpus: Path) -> tuple[Path, SendTables, dict[int, str]]:
    folder = corpus / "source2" / "dota2_2015_fragments"
    lines = (folder / "class_ids.tsv").read_text().splitlines()
    names = {int(number): name for number, name in (line.split("\t") for line in lines)}
    return folder, read_send_tables((folder / "send_tables" / "01.pbmsg").read_bytes()), names


def _manager_of_2015(corpus: Path, build: int) -> EntityManager:
    folder, send_tables, names = _fragments(corpus)
    manager = EntityManager(patched(send_tables, build))
    manager.on_server_info({"max_classes": 1000, "tick_interval": 1 / 30})
    manager.on_class_info(names)
    numbers = {name: number for number, name in names.items()}
    for path in sorted((folder / "instancebaseline").glob("*.raw")):
        manager.on_baseline_updated(str(numbers[path.stem]), path.read_bytes())
    return manager


def test_baselines_and_states_of_2015(corpus: Path) -> None:
    """Sixty complete states of one match and six deltas; only the patches of early builds make them readable."""
    manager = _manager_of_2015(corpus, 960)
    assert list(manager.check_baselines()) == []
    paths = sorted((corpus / "source2" / "dota2_2015_fragments" / "packet_entities").glob("*.raw"))
    assert len(paths) == 66
    for path in paths:  # the last six are deltas
        _, kind, entries, _ = path.stem.split("_")
        updated = int(entries.removesuffix("updated"))
        content = {
            "updated_entries": updated,
            "legacy_is_delta": kind == "partial",
            "entity_data": path.read_bytes(),
        }
        manager.apply(wire.encode("CSVCMsg_PacketEntities", content))
        assert kind == "partial" or len(manager) == updated
    assert (manager.messages, manager.updates, manager.skipped) == (66, 19, 0)
    heroes = manager.find_all_by_class_name("CDOTA_Unit_Hero_*")
    assert len(heroes) == 10
    assert all(0 <= hero["m_iHealth"] <= hero["m_iMaxHealth"] <= 5000 for hero in heroes)


def _recording_of_2015(corpus: Path) -> bytes:
    """Return the fragments as a recording: the schema, the baselines, the complete states as packets at their
    ticks.
    """
    folder, _, names = _fragments(corpus)
    numbers = {name: number for number, name in names.items()}
    baselines = [
        (place, str(numbers[path.stem]).encode(), path.read_bytes())
        for place, path in enumerate(sorted((folder / "instancebaseline").glob("*.raw")))
    ]
    server_info = {"max_classes": 1000, "tick_interval": 1 / 30, "game_dir": "/dota_v960/dota", "max_clients": 24}
    writer = DemoWriter({"demo_file_stamp": "PBDEMS2\0", "game_directory": "/dota_v960/dota"})
    writer.signon([create_string_table("instancebaseline", baselines, flags=COMPRESSED_VALUES)])
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server_info))])
    writer.frame(SEND_TABLES, -1, (folder / "send_tables" / "01.pbmsg").read_bytes())
    writer.frame(CLASS_INFO, -1, encode_class_names(names))
    writer.sync_tick()
    last = 0
    for path in sorted((folder / "packet_entities").glob("*_full_*.raw")):
        tick, _, entries, _ = path.stem.split("_")
        updated, last = int(entries.removesuffix("updated")), int(tick)
        state = {"updated_entries": updated, "legacy_is_delta": False, "entity_data": path.read_bytes()}
        writer.packet(last, [(Engine.PACKET_ENTITIES, wire.encode("CSVCMsg_PacketEntities", state))])
    return writer.finish(last, {"playback_ticks": last, "playback_time": last / 30})


@pytest.mark.long
def test_the_tables_of_a_match_of_2015(corpus: Path) -> None:
    """The players, from arrays by player as in 2015."""
    replay = playhead.open(_recording_of_2015(corpus))
    stats = replay.table("player_stats").to_pylist()
    assert [(row["player"], row["team"], row["slot"]) for row in stats] == [
        (player, 2 + player // 5, player % 5) for player in range(10)
    ]
    assert all(row["name"] and int(row["account"]) >> 32 == 0x01100001 for row in stats)
    assert stats[6]["hero_id"] == 92
    assert not any(row["bot"] for row in stats)
    series = replay.table("player_series", every="60s").to_pylist()
    assert {row["player"] for row in series} == set(range(10))
    assert replay.clock is not None
    # The recording's state at 52 minutes: m_iTotalEarnedGold of CDOTA_PlayerResource, m_iReliableGold of
    # CDOTA_DataRadiant and CDOTA_DataDire, m_iNetWorth of CDOTA_DataSpectator.
    players = replay.at(99_005).players
    wanted = ("gold_earned", "gold_reliable", "net_worth", "last_hits", "kills", "alive")
    assert [tuple(players[number][name] for name in wanted) for number in (0, 1, 6)] == [
        (20047, 143, 13833, 179, 10, True),
        (21617, 1637, 14965, 149, 18, False),
        (25525, 3069, 23069, 214, players[6]["kills"], True),
    ]
    rows = [row for row in series if row["player"] == 6]
    assert [row["gold_earned"] for row in rows] == sorted(row["gold_earned"] for row in rows)
    assert {row["player"] for row in replay.table("positions", every="60s").to_pylist()} >= set(range(10))


def test_without_the_patches_2015_cannot_be_read(corpus: Path) -> None:
    assert len(list(_manager_of_2015(corpus, 1000).check_baselines())) > 80
