"""Lists of fields that change together, with values: the traffic of the match of real size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from tests.samples.real_size.measures import Phase

from playhead.source2.schema.encoding import Encoding, Kind, element_encoding_of, encoding_of
from playhead.source2.schema.send_tables import Model, SendTables, Serializer

#: Fields of the story and of an entity's identity, which the traffic does not change.
_STORY_FIELDS = frozenset(
    """m_iHealth m_iMaxHealth m_lifeState m_flMana m_flMaxMana m_iTeamNum m_nPlayerID m_nHeroID m_iLevel m_iXP
    m_iCurrentLevel m_iPlayerOwnerID m_iCurrentCharges m_iRuneType m_flRuneTime m_nCourierState m_iHeroKills
    m_iScore m_iTeamVision m_flStrength m_flAgility m_flIntellect m_iUnitNameIndex m_nSubclassID m_iTreeIndex
    m_nAbilityID m_vecLightDirection m_flCreateTime m_nEntityId CBodyComponent.m_cellX CBodyComponent.m_cellY
    m_iKillerTeam CBodyComponent.m_cellZ CBodyComponent.m_vecX CBodyComponent.m_vecY m_iItemDefinitionIndex
    m_bStanding m_nHeroFacetKey m_bDestroyed m_steamID m_nPlayerOwnerID m_iszPlayerName m_iNetWorth""".split()
)
_TICKS = ("m_flSimulationTime", "m_flAnimTime")
#: Ranges of whole numbers by type: the full range, or the usual one of wide types.
_WHOLE = {
    "int8": (-100, 127),
    "uint8": (0, 255),
    "int16": (-60, 2000),
    "uint16": (0, 60_000),
    "int32": (-60, 2000),
}
_USUAL = (0, 1 << 20)
_LISTS, _VALUES = 4, 12


class _Leaf(NamedTuple):
    """A value for a list: its name, its encoding, and the range of a whole number."""

    name: str
    encoding: Encoding
    whole: tuple[int, int]


_Pool = Mapping[Kind, tuple[_Leaf, ...]]


def _leaves(tables: SendTables, serializer: Serializer, prefix: str = "") -> Iterator[_Leaf]:
    """Yield the values of a class."""
    for field in serializer.fields:
        name = prefix + field.name
        if name in _STORY_FIELDS or field.name.startswith(("m_h", "m_nOwn")):
            continue
        if field.model == Model.SCALAR:
            yield _Leaf(name, encoding_of(field), _WHOLE.get(field.type.base, _USUAL))
        elif field.model == Model.ARRAY and field.type.base != "char":
            encoding, whole = element_encoding_of(field), _WHOLE.get(field.type.base, _USUAL)
            yield from (_Leaf(f"{name}.{number:04}", encoding, whole) for number in range(field.type.count or 0))
        elif field.name in ("CBodyComponent", "m_pCollision"):
            assert field.serializer is not None
            yield from _leaves(tables, tables.serializers[field.serializer], f"{name}.")


class Patterns:
    """Lists of fields of the classes, created on demand.

    Args:
        random: source of the choices.
    """

    def __init__(self, tables: SendTables, random: Random) -> None:
        self._tables = tables
        self._random = random
        self._pools: dict[str, _Pool] = {}
        self._by_leaves: dict[tuple[str, ...], _Pool] = {}
        self._known: dict[tuple[int, int, int], list[tuple[dict[str, Any], tuple[str, ...]]]] = {}

    def draw(self, class_name: str, size: int, phase: Phase) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return values by name, of about `size` fields of a class, and the names of those that hold the time."""
        pool = self._pools.get(class_name)
        if pool is None:
            pool = self._pools[class_name] = self._pool(class_name)
        key = id(pool), size, id(phase)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = [
                (
                    {leaf.name: self._value(leaf) for leaf in fields},
                    tuple(leaf.name for leaf in fields if leaf.name in _TICKS),
                )
                for fields in (self._choose(pool, size, phase) for _ in range(_LISTS))
                for _ in range(_VALUES)
            ]
        return known[int(self._random.random() * len(known))]

    def _pool(self, class_name: str) -> _Pool:
        """Return the fields by encoding; classes with the same fields share the result."""
        leaves = list(_leaves(self._tables, self._tables.root(class_name)))
        names = tuple(leaf.name for leaf in leaves)
        pool = self._by_leaves.get(names)
        if pool is None:
            kinds = {leaf.encoding.kind for leaf in leaves}
            pool = {kind: tuple(leaf for leaf in leaves if leaf.encoding.kind == kind) for kind in sorted(kinds)}
            self._by_leaves[names] = pool
        return pool

    def _choose(self, pool: _Pool, size: int, phase: Phase) -> list[_Leaf]:
        """Choose distinct fields, in the shares of the phase as far as the class has them."""
        left = {kind: list(pool[kind]) for kind in phase.kinds if kind in pool}
        chosen: list[_Leaf] = []
        while left and len(chosen) < size:
            kinds = list(left)
            kind = self._random.choices(kinds, [phase.kinds[kind] for kind in kinds])[0]
            chosen.append(left[kind].pop(int(self._random.random() * len(left[kind]))))
            if not left[kind]:
                del left[kind]
        return chosen

    def _value(self, leaf: _Leaf) -> Any:
        random, encoding = self._random, leaf.encoding
        kind = encoding.kind
        if kind == Kind.BOOL:
            return random.random() < 0.5
        if kind == Kind.QUANTIZED:
            assert encoding.quantized is not None
            return random.uniform(encoding.quantized.low, encoding.quantized.high)
        if kind == Kind.FLOAT:
            place = [random.uniform(-3000.0, 3000.0) for _ in range(encoding.cells)]
            return place[0] if encoding.cells == 1 else tuple(place)
        if kind in (Kind.ANGLES_PRECISE, Kind.PITCH_YAW):
            return 0.0, random.uniform(1.0, 359.0), 0.0
        low, high = leaf.whole
        # Small numbers are as likely as large ones, because most counters are small.
        return max(low, random.randrange(-8, high) >> random.randrange(high.bit_length()))
