"""Names that the game gives its entities: ``npc_dota_hero_axe``, ``item_blink``, ``axe_culling_blade``."""

from __future__ import annotations

from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager

#: Field that `npc_name` reads; under its other names too.
NAME_FIELD = "m_pEntity.m_nameStringTableIndex"

#: String table that it reads.
NAME_TABLE = ENTITY_NAMES


def npc_name(manager: EntityManager, entity: Entity) -> str | None:
    """The entity's own name; None if the recording has none. Classes tell less: many items and abilities share
    CDOTA_Item and CDOTABaseAbility.
    """
    try:
        return manager.npc_name(entity)
    except LookupError:
        return None
