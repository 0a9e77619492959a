"""Events of the game other than orders, selections and the input of a map's triggers."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.base import Event, Scope, raw
from playhead.blizzard.events.conversions import (
    AS_TEXT,
    IN_COARSE,
    IN_FINE,
    KNOWN_TEXT,
    NUMBERS,
    OF_CAMERA,
    PITCH,
    YAW,
    Worded,
)
from playhead.runtime.records import dataclass


class CameraUpdateEvent(Event):
    """A user's camera moved to `x`, `y` (cells). Other fields are None where they did not change.

    `distance` is in cells, `pitch` (down is positive) and `yaw` (0 is east, 90 north) in degrees; by default they
    are 34, 56 and 90.
    """

    x: float | None = raw("m_target.x", convert=OF_CAMERA)
    y: float | None = raw("m_target.y", convert=OF_CAMERA)
    distance: float | None = raw("m_distance", convert=OF_CAMERA)
    pitch: float | None = raw("m_pitch", convert=PITCH)
    yaw: float | None = raw("m_yaw", convert=YAW)
    reason_id: int | None = raw("m_reason")
    follow: bool | None = raw("m_follow")


class CameraSaveEvent(Event):
    """A user saved the camera's place `which`; `x`, `y` in cells."""

    which: int | None = raw("m_which")
    x: float | None = raw("m_target.x", convert=IN_COARSE)
    y: float | None = raw("m_target.y", convert=IN_COARSE)


#: Blizzard's words of ``NNet.ELeaveReason``, by number.
LEAVE_REASONS = (
    *("left", "dropped", "banned", "victory", "defeat", "tied", "desynced", "out_of_time", "we_were_unresponsive"),
    *("we_continued_alone", "replay_desynced", "timeout", "disconnected", "unrecoverable", "catchup_desynced"),
    "take_command_dropped",
)


class GameUserLeaveEvent(Event):
    """A user left the game (from 24764 on); `reason` is known from 34784 on."""

    reason: str | None = raw("m_leaveReason", convert=Worded(LEAVE_REASONS))
    reason_id: int | None = raw("m_leaveReason")


class PlayerLeaveEvent(Event):
    """A user left the game (before 24764)."""


class GameUserJoinEvent(Event):
    """A user joined a running game."""

    observe: int | None = raw("m_observe")
    user_name: str | None = raw("m_name", convert=KNOWN_TEXT)
    account: str | None = raw("m_toonHandle", convert=KNOWN_TEXT)
    clan: str | None = raw("m_clanTag", convert=KNOWN_TEXT)
    hijack: bool | None = raw("m_hijack")
    cloned_user: int | None = raw("m_hijackCloneGameUserId")


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A user who takes over a resumed game."""

    user: int | None
    user_name: str | None
    account: str | None
    clan: str | None
    observe: int | None


def _taken_over(infos: list[dict[str, Any]], scope: Scope) -> tuple[TakenOver, ...]:
    return tuple(
        TakenOver(
            info.get("m_gameUserId"),
            KNOWN_TEXT(info.get("m_name") or b"", scope),
            KNOWN_TEXT(info.get("m_toonHandle") or b"", scope),
            KNOWN_TEXT(info.get("m_clanTag") or b"", scope),
            info.get("m_observe"),
        )
        for info in infos
    )


class HijackReplayGameEvent(Event):
    """From here on a resumed game, played by `users`."""

    users: tuple[TakenOver, ...] = raw("m_userInfos", convert=_taken_over, default=())
    method: int | None = raw("m_method")


class UserFinishedLoadingSyncEvent(Event):
    """A user has loaded the game."""


class UserOptionsEvent(Event):
    """A user's settings; those that the build does not have are None."""

    game_fully_downloaded: bool | None = raw("m_gameFullyDownloaded")
    development_cheats_enabled: bool | None = raw("m_developmentCheatsEnabled")
    test_cheats_enabled: bool | None = raw("m_testCheatsEnabled")
    multiplayer_cheats_enabled: bool | None = raw("m_multiplayerCheatsEnabled")
    sync_checksumming_enabled: bool | None = raw("m_syncChecksummingEnabled")
    is_map_to_map_transition: bool | None = raw("m_isMapToMapTransition")
    use_ai_beacons: bool | None = raw("m_useAIBeacons")
    starting_rally: bool | None = raw("m_startingRally")
    debug_pause_enabled: bool | None = raw("m_debugPauseEnabled")
    use_galaxy_asserts: bool | None = raw("m_useGalaxyAsserts")
    platform_mac: bool | None = raw("m_platformMac")
    camera_follow: bool | None = raw("m_cameraFollow")
    base_build: int | None = raw("m_baseBuildNum")
    build: int | None = raw("m_buildNum")
    version_flags: int | None = raw("m_versionFlags")
    hotkey_profile: str | None = raw("m_hotkeyProfile", convert=KNOWN_TEXT)


class BankFileEvent(Event):
    """A bank (a map's saved data) of a user begins."""

    bank: str = raw("m_name", convert=AS_TEXT, default="")


class BankSectionEvent(Event):
    """A section of the bank begins."""

    section: str = raw("m_name", convert=AS_TEXT, default="")


class BankKeyEvent(Event):
    """A key of the section, its type and value."""

    key: str = raw("m_name", convert=AS_TEXT, default="")
    type: int | None = raw("m_type")
    value: str = raw("m_data", convert=AS_TEXT, default="")


class BankValueEvent(Event):
    """A further value of the key."""

    value_name: str = raw("m_name", convert=AS_TEXT, default="")
    type: int | None = raw("m_type")
    value: str = raw("m_data", convert=AS_TEXT, default="")


class BankSignatureEvent(Event):
    """The end of the bank: its signature as bytes, and the account that it is for."""

    signature: bytes = raw("m_signature", convert=lambda values, _: bytes(values), default=b"")
    account: str | None = raw("m_toonHandle", convert=KNOWN_TEXT)


class SaveGameEvent(Event):
    """The game is being saved."""

    file_name: str | None = raw("m_fileName", convert=KNOWN_TEXT)
    automatic: bool | None = raw("m_automatic")
    overwrite: bool | None = raw("m_overwrite")
    save_name: str | None = raw("m_name", convert=KNOWN_TEXT)
    description: str | None = raw("m_description", convert=KNOWN_TEXT)


class SaveGameDoneEvent(Event):
    """The game was saved."""


class LoadGameDoneEvent(Event):
    """A saved game was loaded."""


class GameCheatEvent(Event):
    """A cheat; `x`, `y` in cells, `time` as stored."""

    x: float | None = raw("m_data.m_point.x", convert=IN_FINE)
    y: float | None = raw("m_data.m_point.y", convert=IN_FINE)
    time: int | None = raw("m_data.m_time")
    verb: str = raw("m_data.m_verb", convert=AS_TEXT, default="")
    arguments: str = raw("m_data.m_arguments", convert=AS_TEXT, default="")


class BroadcastCheatEvent(Event):
    """A cheat that is announced to all."""

    verb: str = raw("m_verb", convert=AS_TEXT, default="")
    arguments: str = raw("m_arguments", convert=AS_TEXT, default="")


class ResourceTradeEvent(Event):
    """A player gives resources to another, in the order minerals, vespene, terrazine, custom."""

    recipient: int | None = raw("m_recipientId")
    resources: tuple[int, ...] = raw("m_resources", convert=NUMBERS, default=())


class ResourceRequestEvent(Event):
    """A player asks for resources."""

    resources: tuple[int, ...] = raw("m_resources", convert=NUMBERS, default=())


class ResourceRequestFulfillEvent(Event):
    """A request for resources is fulfilled."""

    request: int | None = raw("m_fulfillRequestId")


class ResourceRequestCancelEvent(Event):
    """A request for resources is withdrawn."""

    request: int | None = raw("m_cancelRequestId")


class AICommunicateEvent(Event):
    """A word to an allied computer; `x`, `y`, `z` in cells."""

    beacon: int | None = raw("m_beacon")
    ally: int | None = raw("m_ally")
    flags: int | None = raw("m_flags")
    build: int | None = raw("m_build")
    autocast: int | None = raw("m_autocast")
    target_unit: int | None = raw("m_targetUnitTag")
    target_unit_type_id: int | None = raw("m_targetUnitSnapshotUnitLink")
    target_player: int | None = raw("m_targetUnitSnapshotControlPlayerId", "m_targetUnitSnapshotPlayerId")
    x: float | None = raw("m_targetPoint.x", convert=IN_FINE)
    y: float | None = raw("m_targetPoint.y", convert=IN_FINE)
    z: float | None = raw("m_targetPoint.z", convert=IN_FINE)


class SetAbsoluteGameSpeedEvent(Event):
    """The game runs at speed `speed` from here on: 0 slower to 4 faster."""

    speed: int | None = raw("m_speed")


class AddAbsoluteGameSpeedEvent(Event):
    """The game runs faster or slower by `delta` steps."""

    delta: int | None = raw("m_delta")


class AllianceEvent(Event):
    """A player's alliances and shared control, a bit for each player."""

    alliance: int | None = raw("m_alliance")
    control: int | None = raw("m_control")


class UnitClickEvent(Event):
    """A user clicked a unit."""

    unit: int | None = raw("m_unitTag")


class UnitHighlightEvent(Event):
    """A user pointed at a unit."""

    unit: int | None = raw("m_unitTag")
    flags: int | None = raw("m_flags")


class LagMessageEvent(Event):
    """The game waits for a player."""

    lagging_player: int | None = raw("m_laggingPlayerId")


class DecrementGameTimeRemainingEvent(Event):
    """Less time is left for a game with a time limit: seconds from 41743 on, milliseconds before."""

    decrement_seconds: float | None = raw("m_decrementSeconds")
    decrement_ms: int | None = raw("m_decrementMs")


class AchievementAwardedEvent(Event):
    """A user got an achievement; `achievement_link` is its index in the catalog."""

    achievement_link: int | None = raw("m_achievementLink")


class CatalogModifyEvent(Event):
    """The map changed a value of its data."""

    catalog: int | None = raw("m_catalog")
    entry: int | None = raw("m_entry")
    field: str = raw("m_field", convert=AS_TEXT, default="")
    value: str = raw("m_value", convert=AS_TEXT, default="")


class HeroTalentTreeSelectedEvent(Event):
    """A talent of Heroes of the Storm was chosen, by its place in the tree."""

    index: int | None = raw("m_index")


class HeroTalentSelectedEvent(Event):
    """A talent was chosen, as the first builds write it."""

    tier: int | None = raw("m_talent.m_tier")
    column: int | None = raw("m_talent.m_column")
    hero_id: int | None = raw("m_talent.m_heroLink")
    talent_id: int | None = raw("m_talent.m_talentLink")


class DynamicButtonSwapEvent(Event):
    """Two buttons of abilities changed their places."""

    unit: int | None = raw("m_unitTag")
    first_slot: int | None = raw("m_buttonSlotA")
    second_slot: int | None = raw("m_buttonSlotB")


class HeroTalentTreeSelectionPanelToggledEvent(Event):
    """The panel of talents was shown or hidden."""

    shown: bool | None = raw("m_shown")


class SetSyncLoadingTimeEvent(Event):
    """A clock of the network layer while loading, as stored."""

    sync_time: int | None = raw("m_syncTime")


class SetSyncPlayingTimeEvent(Event):
    """A clock of the network layer while playing, as stored."""

    sync_time: int | None = raw("m_syncTime")


class PeerSetSyncLoadingTimeEvent(Event):
    """A peer's clock of the network layer while loading, as stored."""

    sync_time: int | None = raw("m_syncTime")


class PeerSetSyncPlayingTimeEvent(Event):
    """A peer's clock of the network layer while playing, as stored."""

    sync_time: int | None = raw("m_syncTime")
