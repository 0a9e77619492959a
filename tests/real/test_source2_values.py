"""Values whose encoding the declaration does not show, in recordings of Counter-Strike 2 and Deadlock."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as

from playhead.source2.playback.playback import Playback
from playhead.source2.replay import Source2Replay

#: Rounds of a full magazine, and -1 of a weapon without one.
FULL_CLIPS = {"CWeaponHKP2000": 13, "CWeaponGlock": 20, "CKnife": -1, "CC4": -1}

#: Heroes of the twelve players of the broadcast, by the abilities their pawns hold.
ABRAMS, LASH = 6, 31


def played(path: Path) -> Playback:
    replay = open_as(Source2Replay, path)
    playback = replay.playback()
    playback.run()
    return playback


def values(playback: Playback, class_name: str, field: str) -> list[Any]:
    return [entity.get(field) for entity in playback.entities.find_all_by_class_name(class_name)]


def test_clips_are_full_in_freeze_time(corpus: Path) -> None:
    playback = played(corpus / "source2" / "cs2_14155.dem")
    for name, rounds in FULL_CLIPS.items():
        assert set(values(playback, name, "m_iClip1")) == {rounds}, name


def test_heroes_of_deadlock_are_unsigned(corpus: Path) -> None:
    playback = played(corpus / "source2" / "deadlock_broadcast")
    heroes = Counter(values(playback, "CCitadelPlayerPawn", "m_nHeroID"))
    assert {ABRAMS, LASH} <= heroes.keys()
    assert min(heroes) > 0


def test_bodies_face_where_their_eyes_look(corpus: Path) -> None:
    playback = played(corpus / "source2" / "deadlock_broadcast")
    pawns = playback.entities.find_all_by_class_name("CCitadelPlayerPawn")
    assert len(pawns) == 12
    turns = []
    for pawn in pawns:
        body, eyes = pawn.get("CBodyComponent.m_angRotation"), pawn.get("m_angEyeAngles")
        turns.append(abs((body[1] - eyes[1] + 180.0) % 360.0 - 180.0))
    # A body lags its eyes while it turns: by half a turn, none would be near.
    assert sorted(turns)[6] == pytest.approx(0.0, abs=2.0)
    assert max(turns) < 90.0


def test_fields_under_a_node_answer_to_their_full_names(corpus: Path) -> None:
    path = corpus / "source2" / "cs2_14090.dem"
    named = renamed = 0
    for class_name in ("CCSPlayerPawn", "CWeaponGlock", "CCSGameRulesProxy"):
        for entity in played(path).entities.find_all_by_class_name(class_name):
            for slot in entity.class_info.slots():
                assert entity.get(slot.full_name) == entity.get(slot.name), slot
                named += 1
                renamed += slot.full_name != slot.name
    assert named > renamed > 300
    view = ("m_vecViewOffset.m_vecZ", "m_vecZ~2")
    moves = ("m_vecVelocity.m_vecX", "m_vecX")
    cells = ("CBodyComponent.m_skeletonInstance.m_vecOrigin.m_cellX", "CBodyComponent.m_cellX")
    replay = open_as(Source2Replay, path)
    asked = replay.entity_table(
        "CCSPlayerPawn", fields=[full for full, _ in (view, moves, cells)], every="32 ticks"
    )
    today = replay.entity_table(
        "CCSPlayerPawn", fields=[name for _, name in (view, moves, cells)], every="32 ticks"
    )
    for full, name in (view, moves, cells):
        assert asked.column(full).equals(today.column(name))
        assert asked.column(full).null_count == 0
    # A pattern of full names gives columns by the names of today.
    fitting = replay.entity_table("CCSPlayerPawn", fields=["m_vecVelocity.*"], every="32 ticks")
    assert fitting.column_names[-3:] == ["m_vecX", "m_vecY", "m_vecZ"]
    assert fitting.column("m_vecX").equals(today.column("m_vecX"))
