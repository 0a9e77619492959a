"""Orders and selections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playhead.sc2.encoding.bit_array import BitArray
from playhead.sc2.events.base import Event, Scope, convert_fields, dig, fine, named, numbers, raw
from playhead.sc2.state.selection import GROUP_ACTIONS, REMOVALS

NO_LINK = 0xFFFF
_REMOVALS = dict(zip(("None", "Mask", "OneIndices", "ZeroIndices"), REMOVALS, strict=True))
_CASES = {"TargetPoint": "point", "TargetUnit": "unit", "Data": "data"}


def _old_target(fields: Mapping[str, Any]) -> str:
    """Build 15405 has all targets in every command; those that do not apply are zero."""
    if fields.get("m_targetUnitTag"):
        return "unit"
    return "point" if any((fields.get("m_targetPoint") or {}).values()) else "none"


@dataclass(frozen=True, slots=True)
class CmdEvent(Event):
    """An order. The same values as in the table ``commands``.

    `ability_link` is the ability's index in the catalog of the build's data, None for a smart command (a right
    click); `ability` is its name where a catalog is known. `target` is none, point, unit or data; `x`, `y`, `z`
    are cells, of a unit where the player saw it.
    """

    flags: int = raw("m_cmdFlags", default=0)
    ability_link: int | None = raw("m_abil.m_abilLink", "m_abilLink")
    ability_index: int | None = raw("m_abil.m_abilCmdIndex", "m_abilCmdIndex")
    ability_data: int | None = raw("m_abil.m_abilCmdData", "m_abilCmdData")
    ability: str | None = None
    target: str = "none"
    x: float | None = raw(
        "m_data.TargetPoint.x", "m_data.TargetUnit.m_snapshotPoint.x", "m_targetPoint.x", convert=fine
    )
    y: float | None = raw(
        "m_data.TargetPoint.y", "m_data.TargetUnit.m_snapshotPoint.y", "m_targetPoint.y", convert=fine
    )
    z: float | None = raw(
        "m_data.TargetPoint.z", "m_data.TargetUnit.m_snapshotPoint.z", "m_targetPoint.z", convert=fine
    )
    target_unit: int | None = raw("m_data.TargetUnit.m_tag", "m_targetUnitTag")
    target_unit_link: int | None = raw("m_data.TargetUnit.m_snapshotUnitLink", "m_targetUnitSnapshotUnitLink")
    target_player: int | None = raw(
        "m_data.TargetUnit.m_snapshotControlPlayerId",
        "m_data.TargetUnit.m_snapshotPlayerId",
        "m_targetUnitSnapshotPlayerId",
    )
    data: int | None = raw("m_data.Data")
    sequence: int | None = raw("m_sequence")
    other_unit: int | None = raw("m_otherUnit")
    unit_group: int | None = raw("m_unitGroup")

    @classmethod
    def friendly(cls, fields: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        out = convert_fields(cls, fields, scope)
        if out.get("ability_link") == NO_LINK:
            for name in ("ability_link", "ability_index", "ability_data"):
                out.pop(name, None)
        if "ability_link" in out:
            out["ability"] = scope.ability(out["ability_link"], out.get("ability_index", 0))
        data = fields.get("m_data")
        if data is None:
            out["target"] = _old_target(fields)
        else:
            out["target"] = _CASES.get(next(iter(data), ""), "none")
        if out["target"] not in ("point", "unit"):
            for name in "xyz":
                out.pop(name, None)
        if out["target"] != "unit":
            for name in ("target_unit", "target_unit_link"):
                out.pop(name, None)
        return out


@dataclass(frozen=True, slots=True)
class CmdUpdateTargetPointEvent(Event):
    """The user's last order once more, at another point: the game writes this instead of the order. Cells."""

    x: float | None = raw("m_target.x", convert=fine)
    y: float | None = raw("m_target.y", convert=fine)
    z: float | None = raw("m_target.z", convert=fine)


@dataclass(frozen=True, slots=True)
class CmdUpdateTargetUnitEvent(Event):
    """The user's last order once more, at another unit. `x`, `y`, `z`: where the player saw it, in cells."""

    target_unit: int | None = raw("m_target.m_tag")
    target_unit_link: int | None = raw("m_target.m_snapshotUnitLink")
    target_player: int | None = raw("m_target.m_snapshotControlPlayerId")
    x: float | None = raw("m_target.m_snapshotPoint.x", convert=fine)
    y: float | None = raw("m_target.m_snapshotPoint.y", convert=fine)
    z: float | None = raw("m_target.m_snapshotPoint.z", convert=fine)


@dataclass(frozen=True, slots=True)
class CommandManagerStateEvent(Event):
    """What became of orders that wait: `state` as it is stored, `sequence` of the last order."""

    state: int | None = raw("m_state")
    sequence: int | None = raw("m_sequence")


@dataclass(frozen=True, slots=True)
class CommandManagerResetEvent(Event):
    """The numbers of orders start anew at `sequence`."""

    sequence: int | None = raw("m_sequence")


def _removal(fields: Mapping[str, Any], path: tuple[str, ...]) -> tuple[str, tuple[int, ...]]:
    mask = dig(fields, path)
    if isinstance(mask, Mapping):
        ((case, places),) = mask.items()
        word = str(_REMOVALS.get(case, case))
    else:
        # Betas and 1.0: nothing but a mask, which may be empty.
        word, places = ("mask" if mask and mask[0] else "none"), mask
    if isinstance(places, BitArray):
        places = places.indices
    return word, tuple(places or ())


@dataclass(frozen=True, slots=True)
class SelectionDeltaEvent(Event):
    """A change of the selection (`group` 10) or of what a control group holds.

    `remove` is none, mask, one_indices (both: who goes) or zero_indices (who stays), of the units in ascending
    order of their tags; `added_links` and `added_counts` are the types of the added units.
    `playhead.sc2.state.selection` puts the changes together.
    """

    group: int | None = raw("m_controlGroupId")
    subgroup: int | None = raw("m_delta.m_subgroupIndex")
    remove: str = raw(
        "", convert=lambda fields, _: _removal(fields, ("m_delta", "m_removeMask"))[0], default="none"
    )
    remove_indices: tuple[int, ...] = raw(
        "", convert=lambda fields, _: _removal(fields, ("m_delta", "m_removeMask"))[1], default=()
    )
    added_links: tuple[int, ...] = raw(
        "m_delta.m_addSubgroups",
        convert=lambda groups, _: tuple(each.get("m_unitLink") for each in groups),
        default=(),
    )
    added_counts: tuple[int, ...] = raw(
        "m_delta.m_addSubgroups",
        convert=lambda groups, _: tuple(each.get("m_count") for each in groups),
        default=(),
    )
    added_units: tuple[int, ...] = raw("m_delta.m_addUnitTags", convert=numbers, default=())


@dataclass(frozen=True, slots=True)
class ControlGroupUpdateEvent(Event):
    """A use of a control group: `action` is set, append, recall, clear, steal or steal_append."""

    group: int | None = raw("m_controlGroupIndex")
    action: str | None = raw("m_controlGroupUpdate", convert=named(*GROUP_ACTIONS))
    remove: str = raw("", convert=lambda fields, _: _removal(fields, ("m_mask",))[0], default="none")
    remove_indices: tuple[int, ...] = raw(
        "", convert=lambda fields, _: _removal(fields, ("m_mask",))[1], default=()
    )


@dataclass(frozen=True, slots=True)
class SelectionSyncCheckEvent(Event):
    """Counts and checksums of a selection, by which players' games are compared."""

    group: int | None = raw("m_controlGroupId")
    count: int | None = raw("m_selectionSyncData.m_count")
    subgroup_count: int | None = raw("m_selectionSyncData.m_subgroupCount")
    active_subgroup: int | None = raw("m_selectionSyncData.m_activeSubgroupIndex")
    unit_tags_checksum: int | None = raw("m_selectionSyncData.m_unitTagsChecksum")
    subgroup_indices_checksum: int | None = raw("m_selectionSyncData.m_subgroupIndicesChecksum")
    subgroups_checksum: int | None = raw("m_selectionSyncData.m_subgroupsChecksum")
