"""Orders and selections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.blizzard.events.base import Event, Scope, raw
from playhead.blizzard.events.conversions import IN_FINE, NUMBERS, Numbers, Removal, RemovedPlaces, Worded

#: Catalog index of a smart command, which has no ability.
NO_LINK = 0xFFFF
#: Targets of a command; the number is the tag of the choice.
TARGETS = ("none", "point", "unit", "data")
TARGET_POINT, TARGET_UNIT = TARGETS.index("point"), TARGETS.index("unit")
_TARGET_CASES = {"TargetPoint": "point", "TargetUnit": "unit", "Data": "data"}
#: In build 15405 every command has all targets; unused ones are zero.
OLD_TARGET_UNIT = "m_targetUnitTag"
OLD_TARGET_POINT = "m_targetPoint"

#: How a change of a selection gives indices of units; the number is the tag of the choice.
REMOVALS = ("none", "mask", "one_indices", "zero_indices")
NO_REMOVAL, MASK, ONE_INDICES, ZERO_INDICES = range(len(REMOVALS))
#: The cases of that choice with indices.
REMOVAL_CASES = ("Mask", "OneIndices", "ZeroIndices")
REMOVALS_BY_CASE = dict(zip(("None", *REMOVAL_CASES), REMOVALS, strict=True))
#: Where that choice is in the two events that have it.
SELECTION_REMOVAL = "m_delta.m_removeMask"
GROUP_REMOVAL = "m_mask"

#: Actions on a control group; from 36442 on the field has three bits and the last three values.
GROUP_ACTIONS = ("set", "append", "recall", "clear", "steal", "steal_append")
GROUP_SET, GROUP_APPEND, GROUP_RECALL, GROUP_CLEAR, GROUP_STEAL, GROUP_STEAL_APPEND = range(len(GROUP_ACTIONS))

#: Number of the group that is the active selection.
ACTIVE = 10


def old_target(fields: Mapping[str, Any]) -> str:
    """Return the target of a command of build 15405."""
    if fields.get(OLD_TARGET_UNIT):
        return "unit"
    return "point" if any((fields.get(OLD_TARGET_POINT) or {}).values()) else "none"


class CmdEvent(Event):
    """An order, with the values of the table ``commands``.

    `ability_id` is the ability's index in the catalog of the build's data, None for a smart command (a right
    click); `ability` is its name if known. `target_kind` is none, point, unit or data; `x`, `y`, `z` are cells,
    for a unit where the player saw it.
    """

    flags: int = raw("m_cmdFlags", default=0)
    ability_id: int | None = raw("m_abil.m_abilLink", "m_abilLink")
    ability_index: int | None = raw("m_abil.m_abilCmdIndex", "m_abilCmdIndex")
    ability_data: int | None = raw("m_abil.m_abilCmdData", "m_abilCmdData")
    ability: str | None = None
    target_kind: str = "none"
    x: float | None = raw(
        "m_data.TargetPoint.x", "m_data.TargetUnit.m_snapshotPoint.x", "m_targetPoint.x", convert=IN_FINE
    )
    y: float | None = raw(
        "m_data.TargetPoint.y", "m_data.TargetUnit.m_snapshotPoint.y", "m_targetPoint.y", convert=IN_FINE
    )
    z: float | None = raw(
        "m_data.TargetPoint.z", "m_data.TargetUnit.m_snapshotPoint.z", "m_targetPoint.z", convert=IN_FINE
    )
    target_unit: int | None = raw("m_data.TargetUnit.m_tag", "m_targetUnitTag")
    target_unit_type_id: int | None = raw("m_data.TargetUnit.m_snapshotUnitLink", "m_targetUnitSnapshotUnitLink")
    target_player: int | None = raw(
        "m_data.TargetUnit.m_snapshotControlPlayerId",
        "m_data.TargetUnit.m_snapshotPlayerId",
        "m_targetUnitSnapshotPlayerId",
    )
    target_value: int | None = raw("m_data.Data")
    command_number: int | None = raw("m_sequence")
    other_unit: int | None = raw("m_otherUnit")
    unit_group: int | None = raw("m_unitGroup")

    @staticmethod
    def settle(values: dict[str, Any], fields: Mapping[str, Any], scope: Scope) -> None:
        link = values["ability_id"]
        if link == NO_LINK:
            values["ability_id"] = values["ability_index"] = values["ability_data"] = None
        elif link is not None:
            values["ability"] = scope.ability(link, values["ability_index"] or 0)
        data = fields.get("m_data")
        target = old_target(fields) if data is None else _TARGET_CASES.get(next(iter(data), ""), "none")
        values["target_kind"] = target
        if target not in ("point", "unit"):
            values["x"] = values["y"] = values["z"] = None
        if target != "unit":
            values["target_unit"] = values["target_unit_type_id"] = None


class CmdUpdateTargetPointEvent(Event):
    """The user's last order repeated at another point; the game writes it instead of the order. Cells."""

    x: float | None = raw("m_target.x", convert=IN_FINE)
    y: float | None = raw("m_target.y", convert=IN_FINE)
    z: float | None = raw("m_target.z", convert=IN_FINE)


class CmdUpdateTargetUnitEvent(Event):
    """The user's last order repeated at another unit. `x`, `y`, `z`: where the player saw it, in cells."""

    target_unit: int | None = raw("m_target.m_tag")
    target_unit_type_id: int | None = raw("m_target.m_snapshotUnitLink")
    target_player: int | None = raw("m_target.m_snapshotControlPlayerId")
    x: float | None = raw("m_target.m_snapshotPoint.x", convert=IN_FINE)
    y: float | None = raw("m_target.m_snapshotPoint.y", convert=IN_FINE)
    z: float | None = raw("m_target.m_snapshotPoint.z", convert=IN_FINE)


class CommandManagerTargetPointEvent(Event):
    """The user's last order repeated at another point, as the first builds of Heroes of the Storm write it."""

    x: float | None = raw("m_target.x", convert=IN_FINE)
    y: float | None = raw("m_target.y", convert=IN_FINE)
    z: float | None = raw("m_target.z", convert=IN_FINE)


class CommandManagerTargetUnitEvent(Event):
    """The user's last order repeated at another unit, as the first builds of Heroes of the Storm write it."""

    target_unit: int | None = raw("m_target.m_tag")
    target_unit_type_id: int | None = raw("m_target.m_snapshotUnitLink")
    x: float | None = raw("m_target.m_snapshotPoint.x", convert=IN_FINE)
    y: float | None = raw("m_target.m_snapshotPoint.y", convert=IN_FINE)
    z: float | None = raw("m_target.m_snapshotPoint.z", convert=IN_FINE)


#: Updates of commands, and commands with them.
UPDATE_EVENTS: tuple[type[Event], ...] = (CmdUpdateTargetPointEvent, CmdUpdateTargetUnitEvent)
COMMAND_EVENTS: tuple[type[Event], ...] = (CmdEvent, *UPDATE_EVENTS)


class CommandManagerStateEvent(Event):
    """The result of an update of an order, or without one the user's last order repeated
    (`playhead.sc2.state.orders`): `state` as stored, `command_number` of the last order."""

    state: int | None = raw("m_state")
    command_number: int | None = raw("m_sequence")


class CommandManagerResetEvent(Event):
    """The numbers of orders restart at `command_number`."""

    command_number: int | None = raw("m_sequence")


class SelectionDeltaEvent(Event):
    """A change of the selection (`group` 10) or of a control group.

    `remove` is none, mask, one_indices (both: the removed units) or zero_indices (the remaining units), as indices
    of the units in ascending order of their tags; `added_type_ids` and `added_counts` are the types of the added
    units. `playhead.sc2.state.selections.timeline` applies the changes.
    """

    group: int | None = raw("m_controlGroupId")
    subgroup: int | None = raw("m_delta.m_subgroupIndex")
    remove: str = raw(SELECTION_REMOVAL, convert=Removal(REMOVALS_BY_CASE), default="none")
    remove_indices: tuple[int, ...] = raw(SELECTION_REMOVAL, convert=RemovedPlaces(), default=())
    added_type_ids: tuple[int, ...] = raw("m_delta.m_addSubgroups", convert=Numbers("m_unitLink"), default=())
    added_counts: tuple[int, ...] = raw("m_delta.m_addSubgroups", convert=Numbers("m_count"), default=())
    added_units: tuple[int, ...] = raw("m_delta.m_addUnitTags", convert=NUMBERS, default=())


class ControlGroupUpdateEvent(Event):
    """A use of a control group: `action` is set, append, recall, clear, steal or steal_append."""

    group: int | None = raw("m_controlGroupIndex")
    action: str | None = raw("m_controlGroupUpdate", convert=Worded(GROUP_ACTIONS))
    remove: str = raw(GROUP_REMOVAL, convert=Removal(REMOVALS_BY_CASE), default="none")
    remove_indices: tuple[int, ...] = raw(GROUP_REMOVAL, convert=RemovedPlaces(), default=())


class SelectionSyncCheckEvent(Event):
    """Counts and checksums of a selection, with which the game compares the players' states."""

    group: int | None = raw("m_controlGroupId")
    count: int | None = raw("m_selectionSyncData.m_count")
    subgroup_count: int | None = raw("m_selectionSyncData.m_subgroupCount")
    active_subgroup: int | None = raw("m_selectionSyncData.m_activeSubgroupIndex")
    unit_tags_checksum: int | None = raw("m_selectionSyncData.m_unitTagsChecksum")
    subgroup_indices_checksum: int | None = raw("m_selectionSyncData.m_subgroupIndicesChecksum")
    subgroups_checksum: int | None = raw("m_selectionSyncData.m_subgroupsChecksum")
