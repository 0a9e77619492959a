"""Fields that facts read and that are declared as another kind of value are a problem."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.samples.patch_day import fields_read
from tests.samples.source2 import dota2
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.deadlock.recording import WrittenMatch
from tests.samples.source2.match_schema import declare_field

import playhead
from playhead.source2.games import GAMES, Game
from playhead.source2.playback.expected import kind_of, kinds_of_name, unmet
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import Serializer

SAMPLES = {
    "cs2": lambda: write_cs2_match(0.25).data,
    "deadlock": lambda: WrittenMatch(0.5).demo(),
    "dota2": lambda: dota2.sample_demo()[0],
}
TYPES = {
    "bool": "bool",
    "float32": "float",
    "uint64": "integer",
    "CUtlString": "string",
    "Vector": "vector",
    "CHandle< CBaseEntity >": "handle",
    "uint32[2]": "several integers",
    "CNetworkUtlVectorBase< CHandle< CBaseEntity > >": "several handles",
}


@pytest.mark.long
@pytest.mark.parametrize("game", SAMPLES)
def test_every_field_as_every_other_kind(game: str) -> None:
    with playhead.open(SAMPLES[game]()) as replay:
        assert isinstance(replay, Source2Replay)
        names = set(fields_read(replay))
        serializers = replay.recording.send_tables.serializers.values()
        kinds = {
            field.name: kind_of(field) for each in serializers for field in each.fields if field.name in names
        }
    assert len(kinds) > 90
    assert all(map(kinds_of_name, names - GAMES[game].former))
    for name, kind in kinds.items():
        assert kind in kinds_of_name(name), name
    changed = {
        (text, 0): Serializer(text, 0, tuple(declare_field(f"{name} {text}") for name in kinds)) for text in TYPES
    }
    tables = SimpleNamespace(serializers=changed)
    recording: Any = SimpleNamespace(class_names={0: "bool"}, send_tables=tables, file_header={})
    found = [str(error) for error, _ in unmet(recording, Game(""), {("C*", name): ("facts",) for name in names})]
    for text, kind in TYPES.items():
        for name in kinds:
            told = any(f" for field {name}, found {kind}: {text}" in each for each in found)
            assert told == (kind not in kinds_of_name(name)), (name, text)
