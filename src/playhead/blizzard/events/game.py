"""Events of the game other than orders, selections and the input of a map's triggers."""

from __future__ import annotations

from typing import Any, Protocol

from playhead.blizzard.events.base import Event, Scope, plain_events, raw
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.conversions import (
    IN_COARSE,
    KNOWN_TEXT,
    NUMBERS,
    OF_CAMERA,
    PITCH,
    YAW,
    Worded,
)
from playhead.blizzard.protocol.tables import GAME
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


class BankSignatureEvent(Event):
    """The end of the bank: its signature as bytes, and the account that it is for."""

    signature: bytes = raw("m_signature", convert=lambda values, _: bytes(values), default=b"")
    account: str | None = raw("m_toonHandle", convert=KNOWN_TEXT)


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


class UnitClickEvent(Event):
    """A user clicked a unit."""

    unit: int | None = raw("m_unitTag")


class HeroTalentTreeSelectedEvent(Event):
    """A talent of Heroes of the Storm was chosen, by its place in the tree."""

    index: int | None = raw("m_index")


#: The other events, as `plain_events` reads them.
_PLAIN = """
UserFinishedLoadingSyncEvent: A user has loaded the game.
BankFileEvent bank:text=m_name: A bank (a map's saved data) of a user begins.
BankSectionEvent section:text=m_name: A section of the bank begins.
BankKeyEvent key:text=m_name type=m_type value:text=m_data: A key of the section, its type and value.
BankValueEvent value_name:text=m_name type=m_type value:text=m_data: A further value of the key.
SaveGameEvent file_name:known=m_fileName automatic=m_automatic overwrite=m_overwrite save_name:known=m_name
    description:known=m_description: The game is being saved.
SaveGameDoneEvent: The game was saved.
LoadGameDoneEvent: A saved game was loaded.
GameCheatEvent x:cells=m_data.m_point.x y:cells=m_data.m_point.y time=m_data.m_time verb:text=m_data.m_verb
    arguments:text=m_data.m_arguments: A cheat; `x`, `y` in cells, `time` as stored.
BroadcastCheatEvent verb:text=m_verb arguments:text=m_arguments: A cheat that is announced to all.
AICommunicateEvent beacon=m_beacon ally=m_ally flags=m_flags build=m_build autocast=m_autocast
    target_unit=m_targetUnitTag target_unit_type_id=m_targetUnitSnapshotUnitLink
    target_player=m_targetUnitSnapshotControlPlayerId|m_targetUnitSnapshotPlayerId x:cells=m_targetPoint.x
    y:cells=m_targetPoint.y z:cells=m_targetPoint.z: A word to an allied computer; `x`, `y`, `z` in cells.
SetAbsoluteGameSpeedEvent speed=m_speed: The game runs at speed `speed` from here on: 0 slower to 4 faster.
AddAbsoluteGameSpeedEvent delta=m_delta: The game runs faster or slower by `delta` steps.
AllianceEvent alliance=m_alliance control=m_control: A player's alliances and shared control, a bit for each
    player.
UnitHighlightEvent unit=m_unitTag flags=m_flags: A user pointed at a unit.
LagMessageEvent lagging_player=m_laggingPlayerId: The game waits for a player.
DecrementGameTimeRemainingEvent decrement_seconds=m_decrementSeconds decrement_ms=m_decrementMs: Less time is
    left for a game with a time limit: seconds from 41743 on, milliseconds before.
AchievementAwardedEvent achievement_link=m_achievementLink: A user got an achievement; `achievement_link` is its
    index in the catalog.
CatalogModifyEvent catalog=m_catalog entry=m_entry field:text=m_field value:text=m_value: The map changed a value
    of its data.
HeroTalentSelectedEvent tier=m_talent.m_tier column=m_talent.m_column hero_id=m_talent.m_heroLink
    talent_id=m_talent.m_talentLink: A talent was chosen, as the first builds write it.
DynamicButtonSwapEvent unit=m_unitTag first_slot=m_buttonSlotA second_slot=m_buttonSlotB: Two buttons of
    abilities changed their places.
HeroTalentTreeSelectionPanelToggledEvent shown=m_shown: The panel of talents was shown or hidden.
SetSyncLoadingTimeEvent sync_time=m_syncTime: A clock of the network layer while loading, as stored.
SetSyncPlayingTimeEvent sync_time=m_syncTime: A clock of the network layer while playing, as stored.
PeerSetSyncLoadingTimeEvent sync_time=m_syncTime: A peer's clock of the network layer while loading, as stored.
PeerSetSyncPlayingTimeEvent sync_time=m_syncTime: A peer's clock of the network layer while playing, as stored.
"""

globals().update(plain_events(__name__, _PLAIN))


class _Source(Protocol):
    def stream(self, name: str) -> EventStream | None:
        """Return a stream of events."""
        ...


def taken_over(source: _Source) -> tuple[int, dict[int, str | None]] | None:
    """Return when the game was resumed from a replay, and the names of its users since then; None if it was not.

    The numbers of users and players stay: in the corpus, a user who resumes a game commands the same player's
    units.
    """
    game = source.stream(GAME)
    if game is None:
        return None
    events = game.of(HijackReplayGameEvent)
    if not len(events):  # as in nearly all replays, for which pyarrow need not be imported
        return None
    _, loop, users, names = events.rows("m_userInfos.m_gameUserId", "m_userInfos.m_name")[0]
    return loop, {user: name or None for user, name in zip(users, names, strict=True)}
