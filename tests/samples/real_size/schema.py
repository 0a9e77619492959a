"""The schema of the match of real size: as many classes and fields as in Dota 2's recordings.

It extends that of the small match: heroes, abilities and items, fields of all units, and fields of single
classes. Names and types are the engine's; the assignment of fields to classes is simplified.
"""

from __future__ import annotations

from tests.samples.real_size.measures import CLASSES, SCHEMA_FIELDS
from tests.samples.source2.match_schema import ABILITIES_A_HERO, HEROES, Schema, build_schema, declare_field

from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField

_MORE_HEROES = tuple(
    "Abaddon AbyssalUnderlord Alchemist AntiMage ArcWarden Bane Bloodseeker Brewmaster Bristleback Centaur "
    "ChaosKnight CrystalMaiden Dark_Willow Dawnbreaker Disruptor Earthshaker EarthSpirit Elder_Titan "
    "EmberSpirit Grimstroke Gyrocopter Hoodwink Invoker KeeperOfTheLight Kez Legion_Commander Lone_Druid "
    "Lycan Magnataur Marci Mars Medusa Meepo MonkeyKing Muerta Naga_Siren Nevermore Nyx_Assassin "
    "Obsidian_Destroyer Ogre_Magi Oracle Pangolier Phoenix PrimalBeast Rattletrap Ringmaster Rubick "
    "Shadow_Demon ShadowShaman Shredder Silencer Skywrath_Mage Slardar Slark Snapfire Spirit_Breaker Techies "
    "Terrorblade Treant Troll_Warlord Tusk Undying Visage VoidSpirit Winter_Wyvern Wisp".split()
)
#: Units without their own class: summoned ones, and carriers of effects.
SUMMONED, THINKER = "CDOTA_BaseNPC_Creep", "CDOTA_BaseNPC"

_ENTITY = """m_flFadeScale float32; m_flNavIgnoreUntilTime float32; m_flGravityScale float32;
m_flTimeScale float32; m_nEntityType uint32; m_nSimulationTick int32; m_hEffectEntity handle;
m_flProxyRandomValue float32; m_bAnimGraphUpdateEnabled bool; m_fadeMinDist float32; m_fadeMaxDist float32;
m_nObjectCulling uint8; m_bAnimatedEveryTick bool"""
_UNIT = """m_flTauntCooldown float32; m_flStartSequenceCycle float32; m_flAttackSpeed float32;
m_nUnitLabelIndex int32; m_iAttackCapabilities int32; m_iBKBChargesUsed int32; m_iBountyXP int32;
m_iBountyGoldMin int32; m_iBountyGoldMax int32; m_flHullRadius float32; m_flCollisionPadding float32;
m_flRingRadius float32; m_flProjectileCollisionSize float32; m_flStaticHeight float32; m_nArmorType int32;
m_bHasInventory bool; m_bIsSummoned bool; m_bIsAncient bool; m_bCanBeDominated bool; m_flRevealRadius float32;
m_iParity int32; m_nOrderSequenceNumber int32; m_flDeathTime GameTime_t; m_colorGemColor Color;
m_flNetworkedControllers float32[32]; m_nHealthBarOffsetOverride int32; m_flLastDamageTime GameTime_t;
m_iCustomValues int32[16]; m_flCustomHealthLabel float32"""
_ABILITY = """m_flLastCastClickTime GameTime_t; m_flCastStartTime GameTime_t; m_bReplicated bool; m_bStolen bool;
m_flAbilityChargeRestoreTimeRemaining float32; m_nHiddenState uint32; m_flCastPoint float32"""
_OWN = ("float32", "int32", "uint32", "float32", "bool", "int32")


def _fields(text: str) -> tuple[SerializerField, ...]:
    return tuple(declare_field(" ".join(entry.split())) for entry in text.split(";"))


def real_schema() -> Schema:
    """Return a schema of `CLASSES` classes and `SCHEMA_FIELDS` fields."""
    tables, names = build_schema()
    more = {"entity": _fields(_ENTITY), "unit": _fields(_UNIT), "ability": _fields(_ABILITY)}
    classes = [_grown(tables.root(name), more) for name in names.values()]
    by_name = {serializer.name: serializer for serializer in classes}
    hero, ability = by_name[f"CDOTA_Unit_Hero_{HEROES[0]}"], by_name[f"CDOTA_Ability_{HEROES[0]}_1"]
    unit = by_name["CDOTA_BaseNPC_Creep_Lane"]
    classes += [unit.replace(name=name) for name in (SUMMONED, THINKER)]
    classes += [hero.replace(name=f"CDOTA_Unit_Hero_{name}") for name in _MORE_HEROES]
    # The other classes are abilities: those of the further heroes, then more of every hero's.
    every = [(name, number) for number in range(1, 99) for name in (*HEROES, *_MORE_HEROES)]
    missing = (name for name in every if name[0] in _MORE_HEROES or name[1] > ABILITIES_A_HERO)
    while len(classes) < CLASSES:
        name, number = next(missing)
        classes.append(ability.replace(name=f"CDOTA_Ability_{name}_{number}"))
    inner = [serializer for serializer in tables if serializer.name not in by_name]
    own = SCHEMA_FIELDS - sum(len(serializer.fields) for serializer in (*inner, *classes))
    each, rest = divmod(own, len(classes))
    classes = [_with_own(serializer, each + (place < rest)) for place, serializer in enumerate(classes)]
    schema = SendTables({(table.name, table.version): table for table in (*inner, *classes)})
    return schema, {number: serializer.name for number, serializer in enumerate(classes)}


def _grown(serializer: Serializer, more: dict[str, tuple[SerializerField, ...]]) -> Serializer:
    """Return a class of the small match with the additional fields of its kind."""
    names = {field.name for field in serializer.fields}
    fields = [*serializer.fields, *more["entity"]]
    if "m_hAbilities" in names:
        fields += more["unit"]
    if "m_iManaCost" in names:
        fields += more["ability"]
    return serializer.replace(fields=tuple(fields))


def _with_own(serializer: Serializer, count: int) -> Serializer:
    """Return a class with that many fields of its own."""
    own = [declare_field(f"m_nOwn{number} {_OWN[number % len(_OWN)]}") for number in range(count)]
    return serializer.replace(fields=(*serializer.fields, *own))
