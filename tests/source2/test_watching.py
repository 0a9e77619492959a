"""Watchers of fields get the calls that a handler of every operation makes of them by comparing values."""

from __future__ import annotations

from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2 import dota2
from tests.samples.source2.cs2_match.demo import write_cs2_match

from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.replay import Source2Replay

pytestmark = pytest.mark.slow_interpreted

_FIELDS = (("m_iHealth",), ("CBodyComponent.m_cellX", "CBodyComponent.m_cellY"), ("m_lifeState", "m_iHealth"))
_EYES = ("m_angEyeAngles",)
_OPS = (EntityOp.ANY, EntityOp(EntityOp.UPDATED | EntityOp.DELETED), EntityOp.UPDATED)

Calls = list[tuple[int, int, int, int]]


@pytest.fixture(scope="module")
def data() -> bytes:
    return dota2.sample_demo()[0]


class _Comparing:
    """Calls a handler as `FieldWatch` does, of which every operation on an entity is told."""

    def __init__(self, names: tuple[str, ...], calls: Calls, number: int, playback: Any) -> None:
        self._names, self._calls, self._number, self._playback = names, calls, number, playback
        self._known: dict[int, Any] = {}

    def __call__(self, entity: Entity, op: EntityOp) -> None:
        now = tuple(entity.get(name) for name in self._names)
        if op != EntityOp.UPDATED:
            self._known.pop(entity.index, None)
        elif self._known.get(entity.index) == now:
            return
        else:
            self._known[entity.index] = now
        self._calls.append((self._playback.tick, self._number, entity.index, int(op)))


def _calls(data: bytes, *, compares: bool, classes: str, fields: tuple[tuple[str, ...], ...] = _FIELDS) -> Calls:
    playback = open_as(Source2Replay, data).playback()
    calls: Calls = []
    for number, (names, op) in enumerate([(names, op) for names in fields for op in _OPS]):
        compared = _Comparing(names, calls, number, playback)

        def told(entity: Entity, op: EntityOp, number: int = number) -> None:
            calls.append((playback.tick, number, entity.index, int(op)))

        playback.entities.on_entity(compared if compares else FieldWatch(names, told), classes, op)
    playback.run()
    return calls


@pytest.mark.parametrize("classes", ["CDOTA_Unit_Hero_*", "*"])
def test_watchers_are_called_at_changes(data: bytes, classes: str) -> None:
    found = _calls(data, compares=False, classes=classes)
    assert found == _calls(data, compares=True, classes=classes)
    assert len({number for _, number, _, _ in found}) == len(_FIELDS) * len(_OPS)


def test_a_vector_may_change_in_one_part_alone() -> None:
    data = write_cs2_match(0.5).data
    told, compared = (
        _calls(data, compares=compares, classes="CCSPlayerPawn", fields=(_EYES,)) for compares in (False, True)
    )
    assert set(told) >= set(compared)  # the same vector sent again may be told
    assert len(set(compared)) > 1000
