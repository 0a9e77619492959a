"""The base of all events, and declarations of friendly fields from raw ones.

A friendly field is declared once, by `raw`: both the objects and the columns of tables get their values by it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, dataclass_transform

from playhead import events
from playhead.blizzard.events.conversions import (
    AS_STORED,
    AS_TEXT,
    IN_FINE,
    KNOWN_TEXT,
    NUMBERS,
    Called,
    Conversion,
)
from playhead.blizzard.events.record import COMMON, PLAYER_FIELDS, AddedFields, EventRecord, FriendlyField
from playhead.blizzard.events.scope import Convert, Scope

__all__ = ["PLAYER_FIELDS", "Event", "EventRecord", "Scope"]

#: Kinds by Blizzard's names without ``S``, ``Event``, ``Message`` and, unless it separates events, ``Trigger``.
#: All names of one event through the years have the same kind. Other names are kinds already: ``UnitBorn`` is
#: ``unit_born``.
_KINDS = dict(
    pair.split()
    for pair in """
    Cmd command_given, CmdUpdateTargetPoint command_repeated_at_point,
    CmdUpdateTargetUnit command_repeated_at_unit, CommandManagerState command_fired,
    CommandManagerReset command_numbers_reset, CommandError command_failed, SelectionDelta units_selected,
    SelectionSyncCheck selection_checked, ControlGroupUpdate control_group_used, CameraUpdate camera_moved,
    CameraSave camera_saved, CameraMove camera_move_reported, UnitClick unit_clicked,
    UnitHighlight unit_highlighted, TargetModeUpdate target_mode_changed, Chat chat_sent,
    TriggerChatMessage chat_reported, Ping ping_sent, TriggerPing ping_reported, GameUserJoin player_joined,
    GameUserLeave player_left, PlayerLeave player_left, HijackReplayGame game_taken_over,
    UserFinishedLoadingSync player_loaded, UserOptions options_sent, LoadingProgress loading_progressed,
    ServerPing server_pinged, ReconnectNotify connection_changed, LagMessage lag_reported,
    SetSyncLoadingTime loading_clock_set, SetSyncPlayingTime playing_clock_set,
    PeerSetSyncLoadingTime peer_loading_clock_set, PeerSetSyncPlayingTime peer_playing_clock_set,
    BankFile bank_opened, BankSection bank_section_opened, BankKey bank_key_sent, BankValue bank_value_sent,
    BankSignature bank_signed, SaveGame game_save_started, SaveGameDone game_saved, LoadGameDone game_loaded,
    GameCheat cheat_used, BroadcastCheat cheat_announced, ResourceTrade resources_given,
    ResourceRequest resources_requested, ResourceRequestFulfill resource_request_fulfilled,
    ResourceRequestCancel resource_request_cancelled, AICommunicate ally_instructed,
    SetAbsoluteGameSpeed game_speed_set, AddAbsoluteGameSpeed game_speed_changed,
    DecrementGameTimeRemaining game_time_reduced, Alliance alliance_changed, CatalogModify catalog_modified,
    HeroTalentTreeSelected talent_selected, HeroTalentTreeSelectionPanelToggled talent_panel_toggled,
    MouseWheel mouse_wheel_turned, DialogControl dialog_control_used, Skipped sequence_skipped,
    SoundLengthQuery sound_length_queried, SoundLengthSync sound_lengths_synced,
    SoundOffset sound_offset_reported, SoundtrackDone soundtrack_finished,
    TransmissionOffset transmission_offset_reported, TransmissionComplete transmission_finished,
    AnimLengthQueryByName animation_length_queried_by_name,
    AnimLengthQueryByProps animation_length_queried_by_properties, AnimOffset animation_offset_reported,
    MovieFunction movie_function_called, CutsceneEndSceneFired cutscene_finished,
    CutsceneConversationLine cutscene_line_shown, CutsceneConversationLineMissing cutscene_line_missed,
    AbortMission mission_aborted, PurchaseExit shop_left,
    PurchasePanelSelectedPurchaseItemChanged shop_item_selected,
    PurchasePanelSelectedPurchaseCategoryChanged shop_category_selected,
    PlanetPanelCanceled planet_panel_cancelled, PlanetPanelReplay planet_panel_replayed,
    PlanetPanelBirthComplete planet_panel_opened, PlanetPanelDeathComplete planet_panel_closed,
    ResearchPanelExit research_panel_left, ResearchPanelPurchase research_bought,
    ResearchPanelSelectionChanged research_selected, MercenaryPanelExit mercenary_panel_left,
    MercenaryPanelPurchase mercenaries_bought, MercenaryPanelSelectionChanged mercenaries_selected,
    VictoryPanelExit victory_panel_left, VictoryPanelPlayMissionAgain mission_replayed,
    BattleReportPanelExit battle_report_panel_left,
    BattleReportPanelPlayMission battle_report_mission_played,
    BattleReportPanelPlayScene battle_report_scene_played,
    BattleReportPanelSelectionChanged battle_report_selected, PlayerSetup player_set_up,
    PlayerStats player_stats_recorded, UnitInit unit_started, UnitDone unit_finished, UnitDied unit_killed,
    UnitOwnerChange unit_owner_changed, UnitTypeChange unit_type_changed,
    UnitPositions unit_positions_sampled, Upgrade upgrade_finished,
    StatGame statistic_reported, ScoreResult scores_recorded, DynamicButtonSwap button_swapped,
    HeroTalentSelected talent_selected, CommandManagerTargetPoint command_repeated_at_point,
    CommandManagerTargetUnit command_repeated_at_unit, PlayerAnnounce announcement_sent
    """.split(",")
)


@cache
def kind_of(name: str) -> str:
    """Return the kind of an event by its short name: ``SUnitBornEvent`` is ``unit_born``, ``SCmdEvent`` is
    ``command_given``."""
    whole = re.sub(r"^S(?=[A-Z])|(Event|Message)$", "", name)
    stem = whole.removeprefix("Trigger")
    return (
        _KINDS.get(whole)
        or _KINDS.get(stem)
        or re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", stem).lower()
    )


class EventClass(type):
    """Makes each class of events a frozen dataclass whose objects have only the contents of an `EventRecord`.

    `dataclasses` compiles six methods for every class, which takes most of the time to import 120 of them. These
    classes share the methods of `Event`.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], own: dict[str, Any]) -> Any:
        for each in own.get("__annotations__", ()):
            own.setdefault(each, dataclasses.field())  # otherwise the base's attribute would become a default
        # Without a docstring, `dataclass` asks for a signature, which a compiled class may not have.
        made: Any = super().__new__(mcs, name, bases, {"__doc__": name, **own, "__slots__": ()})
        for place, field in enumerate(dataclasses.fields(dataclass(init=False, repr=False, eq=False)(made))):
            if place >= len(COMMON):
                setattr(made, field.name, FriendlyField(place))
        return made


if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
    class _Declared(EventRecord): ...

else:
    _Declared = EventClass("_Declared", (EventRecord,), {})


class Event(_Declared, events.Event):
    """One event of a replay. An event without a class of its own is an `Event`.

    Attributes:
        tick: game loop.
        seconds: the same in seconds of the clock that the game shows.
        user: index in the lobby's list of users, or, up to 1.5, in its taken slots, from 1; None for the game
            itself (16) and in the tracker.
        player: number as in `Replay.players`; in the tracker, the ``m_playerId`` or ``m_controlPlayerId``, and of
            a death the killer's, ``m_killerPlayerId``.
        name: Blizzard's name after the last dot, ``SCmdEvent``.
        number: of the event in its stream.
        raw: all fields under Blizzard's names; blobs are bytes, bit arrays `BitArray`, choices a dict of one. A
            field that is not in the type table has its number as its name.
    """

    tick: int
    seconds: float
    user: int | None
    player: int | None
    name: str
    number: int
    raw: Mapping[str, Any] = dataclasses.field(repr=False, hash=False)

    if not TYPE_CHECKING:

        def __init__(self, *values: Any, **named: Any) -> None:
            fields = dataclasses.fields(self)
            names = [field.name for field in fields]
            given = dict(zip(names, values, strict=False)) | named
            if len(given) < len(values) + len(named) or not given.keys() <= set(names):
                raise TypeError(f"{type(self).__name__} takes each of {', '.join(names)} once")
            for field in fields:
                value = given.setdefault(field.name, field.default)
                if value is dataclasses.MISSING:
                    raise TypeError(f"{type(self).__name__} needs {field.name}")
            self.hold_fields(given[name] for name in names)

        def __setattr__(self, name: str, value: object) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__getstate__())

    def __getstate__(self) -> list[Any]:
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event) or type(other) is not type(self):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.hash is None))

    @recursive_repr()
    def __repr__(self) -> str:
        shown = (field.name for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @property
    def kind(self) -> str:
        """Word for what happened: ``command_given``, ``chat_sent``, ``unit_born``; see `kind_of`."""
        return kind_of(self.name)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The friendly fields with a value; without friendly fields, all fields under Blizzard's names."""
        return added_fields(type(self)).payload(self.all_fields())  # type: ignore[arg-type]

    @classmethod
    def friendly(cls, fields: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        """Return the fields that this class adds, made from the raw ones; missing ones have their default."""
        plan = added_fields(cls)  # type: ignore[arg-type]
        return dict(zip(plan.names, plan.make(fields, scope), strict=True))

    @staticmethod
    def settle(values: dict[str, Any], fields: Mapping[str, Any], scope: Scope) -> None:
        """Change the fields of a new event, by name, that depend on other fields."""


def _restored(type_: type[Any], values: list[Any]) -> Any:
    """Return an event that was pickled or copied."""
    return type_(*values)


def raw(*paths: str, convert: Callable[[Any, Scope], Any] | None = None, default: Any = None) -> Any:
    """Declare a friendly field. Its value is the first present raw field of these (dotted paths); an empty path is
    all fields."""
    split = tuple(tuple(filter(None, path.split("."))) for path in paths)
    whole = convert if convert is None or isinstance(convert, Conversion) else Called(convert)
    return dataclasses.field(default=default, metadata={"paths": split, "convert": whole})


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """The source of a friendly field's column: `paths` of stored columns and their conversion."""

    paths: tuple[str, ...]
    conversion: Conversion


@cache
def column_sources(type_: type[Any]) -> Mapping[str, ColumnSource]:
    """Return the sources of a class's friendly fields by name, without fields that are made from whole events."""
    out = {}
    for field in dataclasses.fields(type_):
        paths = field.metadata.get("paths", ())
        conversion = field.metadata.get("convert") or AS_STORED
        if paths and all(paths) and conversion.has_column:
            below = (conversion.element,) if conversion.element else ()
            out[field.name] = ColumnSource(tuple(".".join((*path, *below)) for path in paths), conversion)
    return out


@cache
def fields_of(type_: type[Any]) -> tuple[tuple[str, tuple[tuple[str, ...], ...], Convert | None], ...]:
    """Return name, paths and conversion of each friendly field of a class."""
    return tuple(
        (field.name, field.metadata["paths"], field.metadata["convert"])
        for field in dataclasses.fields(type_)
        if "paths" in field.metadata
    )


@cache
def added_fields(type_: type[Any]) -> AddedFields:
    """Return the rules for the fields that a class adds."""
    added = dataclasses.fields(type_)[len(COMMON) :]
    return AddedFields(
        type_,
        tuple(field.name for field in added),
        tuple(field.metadata.get("paths", ()) for field in added),
        tuple(field.metadata.get("convert") for field in added),
        tuple(field.default for field in added),
        None if type_.settle is Event.settle else type_.settle,
    )


#: Arguments of `raw` by the word after the name of a field.
_CONVERSIONS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "text": {"convert": AS_TEXT, "default": ""},
    "known": {"convert": KNOWN_TEXT},
    "cells": {"convert": IN_FINE},
    "numbers": {"convert": NUMBERS, "default": ()},
}


def plain_events(module: str, text: str) -> dict[str, type[Event]]:
    """Return a module's classes by name.

    A line is ``Name field=m_raw other:text=m_first|m_second: Sentence.``: the class, its friendly fields with the
    raw ones that each comes from, and its docstring. The word after a field's name names the conversion:
    ``text``, ``known`` (text, or None if empty), ``cells`` (a coordinate), ``numbers``. An indented line continues
    the one above.
    """
    made = {}
    for line in re.sub(r"\n\s+", " ", text).strip().splitlines():
        declared, _, sentence = line.partition(": ")
        name, *pairs = declared.split()
        own: dict[str, Any] = {"__module__": module, "__doc__": sentence}
        for pair in pairs:
            field, _, paths = pair.partition("=")
            field, _, how = field.partition(":")
            own[field] = raw(*paths.split("|"), **_CONVERSIONS[how])
        own["__annotations__"] = {field: Any for field in own if not field.startswith("__")}
        made[name] = EventClass(name, (Event,), own)
    return made
