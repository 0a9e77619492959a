"""Lists of fields that change together, with values: what the traffic of the match of real size is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from playhead.samples.source2.real_size.measures import Phase
from playhead.source2.schema.encoding import Encoding, Kind, element_encoding_of, encoding_of
from playhead.source2.schema.send_tables import Model, SendTables, Serializer

#: What the story knows of, or what makes an entity what it is: the traffic leaves it alone.
_TOLD = frozenset(
    """m_iHealth m_iMaxHealth m_lifeState m_flMana m_flMaxMana m_iTeamNum m_nPlayerID m_nHeroID m_iLevel m_iXP
    m_iCurrentLevel m_iPlayerOwnerID m_iCurrentCharges m_iRuneType m_flRuneTime m_nCourierState m_iHeroKills m_iScore
    m_iTeamVision m_flStrength m_flAgility m_flIntellect m_iUnitNameIndex m_nSubclassID m_iTreeIndex m_nAbilityID
    m_vecLightDirection m_flCreateTime m_nEntityId CBodyComponent.m_cellX CBodyComponent.m_cellY m_iKillerTeam
    CBodyComponent.m_cellZ CBodyComponent.m_vecX CBodyComponent.m_vecY m_iItemDefinitionIndex m_bStanding m_nHeroFacetKey
    m_nModelBaseScale m_bDestroyed m_steamID""".split()
)
_TICKS = ("m_flSimulationTime", "m_flAnimTime")
_LISTS, _VALUES = 4, 12


def _leaves(tables: SendTables, serializer: Serializer, prefix: str = "") -> Iterator[tuple[str, Encoding]]:
    """The values of a class that a list may have: names, and their form."""
    for field in serializer.fields:
        name = prefix + field.name
        if name in _TOLD or field.name.startswith(("m_h", "m_nOwn")):
            continue
        if field.model == Model.SCALAR:
            yield name, encoding_of(field)
        elif field.model == Model.ARRAY and field.type.base != "char":
            encoding = element_encoding_of(field)
            yield from ((f"{name}.{number:04}", encoding) for number in range(field.type.count or 0))
        elif field.name in ("CBodyComponent", "m_pCollision"):
            assert field.serializer is not None
            yield from _leaves(tables, tables.serializers[field.serializer], f"{name}.")


class Patterns:
    """Lists of fields of the classes, made as they are needed.

    Args:
        random: where the choices come from.
    """

    def __init__(self, tables: SendTables, random: Random) -> None:
        self._tables = tables
        self._random = random
        self._pools: dict[str, Mapping[Kind, tuple[tuple[str, Encoding], ...]]] = {}
        self._by_leaves: dict[tuple[str, ...], Mapping[Kind, tuple[tuple[str, Encoding], ...]]] = {}
        self._known: dict[tuple[int, int, int], list[tuple[dict[str, Any], tuple[str, ...]]]] = {}

    def draw(self, class_name: str, size: int, phase: Phase) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return values by names, of about `size` fields of a class, and those of them that are the time."""
        pool = self._pools.get(class_name)
        if pool is None:
            pool = self._pools[class_name] = self._pool(class_name)
        key = id(pool), size, id(phase)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = [
                (self._values(fields), tuple(name for name in fields if name in _TICKS))
                for fields in (self._choose(pool, size, phase) for _ in range(_LISTS))
                for _ in range(_VALUES)
            ]
        return known[int(self._random.random() * len(known))]

    def _pool(self, class_name: str) -> Mapping[Kind, tuple[tuple[str, Encoding], ...]]:
        """The fields by their form; classes with the same fields share them."""
        leaves = list(_leaves(self._tables, self._tables.root(class_name)))
        names = tuple(name for name, _ in leaves)
        pool = self._by_leaves.get(names)
        if pool is None:
            kinds = {encoding.kind for _, encoding in leaves}
            pool = {kind: tuple(leaf for leaf in leaves if leaf[1].kind == kind) for kind in sorted(kinds)}
            self._by_leaves[names] = pool
        return pool

    def _choose(
        self, pool: Mapping[Kind, tuple[tuple[str, Encoding], ...]], size: int, phase: Phase
    ) -> dict[str, Encoding]:
        """Fields without repetition, in the shares of the phase as far as the class has such."""
        left = {kind: list(pool[kind]) for kind in phase.kinds if kind in pool}
        chosen: dict[str, Encoding] = {}
        while left and len(chosen) < size:
            kinds = list(left)
            kind = self._random.choices(kinds, [phase.kinds[kind] for kind in kinds])[0]
            name, encoding = left[kind].pop(int(self._random.random() * len(left[kind])))
            chosen[name] = encoding
            if not left[kind]:
                del left[kind]
        return chosen

    def _values(self, fields: Mapping[str, Encoding]) -> dict[str, Any]:
        return {name: self._value(encoding) for name, encoding in fields.items()}

    def _value(self, encoding: Encoding) -> Any:
        random, kind = self._random, encoding.kind
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
        if kind == Kind.SIGNED:
            return random.randrange(-60, 2000)
        return random.randrange(1 << random.randrange(1, 8 if kind == Kind.BYTE else 20))
