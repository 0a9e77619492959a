"""Input for a map's triggers: clicks and keys, dialogs, sounds, cutscenes, panels of the campaign."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.base import Event, raw
from playhead.blizzard.events.conversions import AS_TEXT, IN_FINE, NUMBERS


def _only(value: dict[str, Any], _: object) -> Any:
    """Return the value of a choice; texts as text."""
    ((_, held),) = value.items()
    return held.decode("utf-8", "replace") if isinstance(held, bytes) else held


def _case(value: dict[str, Any], _: object) -> str:
    return next(iter(value))


class TriggerChatMessageEvent(Event):
    """A line of chat for triggers."""

    text: str = raw("m_chatMessage", convert=AS_TEXT, default="")


class TriggerPingEvent(Event):
    """A ping on the map, with the unit that was pinged; cells."""

    x: float | None = raw("m_point.x", convert=IN_FINE)
    y: float | None = raw("m_point.y", convert=IN_FINE)
    unit: int | None = raw("m_unit")
    unit_type_id: int | None = raw("m_unitLink")
    unit_player: int | None = raw("m_unitControlPlayerId")
    unit_upkeep_player: int | None = raw("m_unitUpkeepPlayerId")
    unit_x: float | None = raw("m_unitPosition.x", convert=IN_FINE)
    unit_y: float | None = raw("m_unitPosition.y", convert=IN_FINE)
    unit_z: float | None = raw("m_unitPosition.z", convert=IN_FINE)
    under_construction: bool | None = raw("m_unitIsUnderConstruction")
    minimap: bool | None = raw("m_pingedMinimap")
    option: int | None = raw("m_option")


class TriggerMouseClickedEvent(Event):
    """A mouse button went down or up; `x`, `y`, `z` are cells."""

    button: int | None = raw("m_button")
    down: bool | None = raw("m_down")
    screen_x: int | None = raw("m_posUI.x", "m_posXUI")
    screen_y: int | None = raw("m_posUI.y", "m_posYUI")
    x: float | None = raw("m_posWorld.x", "m_posXWorld", convert=IN_FINE)
    y: float | None = raw("m_posWorld.y", "m_posYWorld", convert=IN_FINE)
    z: float | None = raw("m_posWorld.z", "m_posZWorld", convert=IN_FINE)
    flags: int | None = raw("m_flags")


class TriggerMouseMovedEvent(Event):
    """The mouse moved; `x`, `y`, `z` are cells."""

    screen_x: int | None = raw("m_posUI.x")
    screen_y: int | None = raw("m_posUI.y")
    x: float | None = raw("m_posWorld.x", convert=IN_FINE)
    y: float | None = raw("m_posWorld.y", convert=IN_FINE)
    z: float | None = raw("m_posWorld.z", convert=IN_FINE)
    flags: int | None = raw("m_flags")


class TriggerMouseWheelEvent(Event):
    """The mouse wheel turned."""

    spin: int | None = raw("m_wheelSpin")
    flags: int | None = raw("m_flags")


class TriggerKeyPressedEvent(Event):
    """A key was pressed."""

    key: int | None = raw("m_key")
    flags: int | None = raw("m_flags")


class TriggerHotkeyPressedEvent(Event):
    """A hotkey went down or up."""

    hotkey: int | None = raw("m_hotkey")
    down: bool | None = raw("m_down")


class TriggerButtonPressedEvent(Event):
    """A button was pressed."""

    button: int | None = raw("m_button")


class TriggerDialogControlEvent(Event):
    """A control of a dialog was used; `change` is how (None, Checked, ValueChanged, SelectionChanged, TextChanged,
    MouseButton) and `value` the new value."""

    control: int | None = raw("m_controlId")
    event_type: int | None = raw("m_eventType")
    change: str | None = raw("m_eventData", convert=_case)
    value: bool | int | str | None = raw("m_eventData", convert=_only)


class TriggerCustomDialogDismissedEvent(Event):
    """A dialog was closed."""

    result: int | None = raw("m_result")


class TriggerGameMenuItemSelectedEvent(Event):
    """An item of the menu was chosen."""

    item: int | None = raw("m_gameMenuItemIndex")


class TriggerTargetModeUpdateEvent(Event):
    """A user started or stopped choosing a target for an ability."""

    ability_id: int | None = raw("m_abilLink")
    ability_index: int | None = raw("m_abilCmdIndex")
    state: int | None = raw("m_state")


class TriggerCommandErrorEvent(Event):
    """An order was impossible; `error` is the game's number of the reason."""

    error: int | None = raw("m_error")
    ability_id: int | None = raw("m_abil.m_abilLink")
    ability_index: int | None = raw("m_abil.m_abilCmdIndex")
    ability_data: int | None = raw("m_abil.m_abilCmdData")


class TriggerCameraMoveEvent(Event):
    """The camera moved; the reason as stored."""

    reason_id: int | None = raw("m_reason")


class TriggerReplySelectedEvent(Event):
    """A reply in a conversation was chosen."""

    conversation: int | None = raw("m_conversationId")
    reply: int | None = raw("m_replyId")


class TriggerSkippedEvent(Event):
    """A playing sequence was skipped."""


class TriggerConversationSkippedEvent(Event):
    """A conversation was skipped."""

    skip_type: int | None = raw("m_skipType")


class TriggerSoundLengthQueryEvent(Event):
    """Length of a sound."""

    sound_hash: int | None = raw("m_soundHash")
    length: int | None = raw("m_length")


class TriggerSoundLengthSyncEvent(Event):
    """Lengths of sounds."""

    sound_hashes: tuple[int, ...] = raw("m_syncInfo.m_soundHash", convert=NUMBERS, default=())
    lengths: tuple[int, ...] = raw("m_syncInfo.m_length", convert=NUMBERS, default=())


class TriggerSoundOffsetEvent(Event):
    """The position in a sound."""

    sound: int | None = raw("m_sound")


class TriggerSoundtrackDoneEvent(Event):
    """A soundtrack ended."""

    soundtrack: int | None = raw("m_soundtrack")


class TriggerTransmissionOffsetEvent(Event):
    """The position in a transmission."""

    transmission: int | None = raw("m_transmissionId")
    thread: int | None = raw("m_thread")


class TriggerTransmissionCompleteEvent(Event):
    """A transmission ended."""

    transmission: int | None = raw("m_transmissionId")


class TriggerAnimLengthQueryByNameEvent(Event):
    """Length of an animation, requested by name."""

    query: int | None = raw("m_queryId")
    length_ms: int | None = raw("m_lengthMs")
    finish_loop: int | None = raw("m_finishGameLoop")


class TriggerAnimLengthQueryByPropsEvent(Event):
    """Length of an animation, requested by properties."""

    query: int | None = raw("m_queryId")
    length_ms: int | None = raw("m_lengthMs")


class TriggerAnimOffsetEvent(Event):
    """The position in an animation."""

    query: int | None = raw("m_animWaitQueryId")


class TriggerPortraitLoadedEvent(Event):
    """A portrait was loaded."""

    portrait: int | None = raw("m_portraitId")


class TriggerMovieFunctionEvent(Event):
    """A movie calls a function."""

    function: str = raw("m_functionName", convert=AS_TEXT, default="")


class TriggerMovieStartedEvent(Event):
    """A movie began."""


class TriggerMovieFinishedEvent(Event):
    """A movie ended."""


class TriggerCutsceneBookmarkFiredEvent(Event):
    """A cutscene reached a bookmark."""

    cutscene: int | None = raw("m_cutsceneId")
    bookmark: str = raw("m_bookmarkName", convert=AS_TEXT, default="")


class TriggerCutsceneEndSceneFiredEvent(Event):
    """A cutscene ended."""

    cutscene: int | None = raw("m_cutsceneId")


class TriggerCutsceneConversationLineEvent(Event):
    """A line of a conversation in a cutscene."""

    cutscene: int | None = raw("m_cutsceneId")
    line: str = raw("m_conversationLine", convert=AS_TEXT, default="")
    alternative_line: str = raw("m_altConversationLine", convert=AS_TEXT, default="")


class TriggerCutsceneConversationLineMissingEvent(Event):
    """A line of a conversation that is missing."""

    cutscene: int | None = raw("m_cutsceneId")
    line: str = raw("m_conversationLine", convert=AS_TEXT, default="")


class TriggerGameCreditsFinishedEvent(Event):
    """The credits ended."""


class TriggerProfilerLoggingFinishedEvent(Event):
    """The profiler ended."""


class TriggerAbortMissionEvent(Event):
    """A mission was aborted."""


class TriggerPurchaseMadeEvent(Event):
    """Something was bought."""

    item: int | None = raw("m_purchaseItemId")


class TriggerPurchaseExitEvent(Event):
    """The shop was left."""


class TriggerPurchasePanelSelectedPurchaseItemChangedEvent(Event):
    """Another item of the shop was chosen."""

    item: int | None = raw("m_purchaseItemId")


class TriggerPurchasePanelSelectedPurchaseCategoryChangedEvent(Event):
    """Another category of the shop was chosen."""

    category: int | None = raw("m_purchaseCategoryId")


class TriggerPlanetMissionLaunchedEvent(Event):
    """A mission was begun."""

    difficulty: int | None = raw("m_difficultyLevel")


class TriggerPlanetMissionSelectedEvent(Event):
    """A mission was chosen."""

    planet: int | None = raw("m_planetId")


class TriggerPlanetPanelCanceledEvent(Event):
    """The panel of planets was closed."""


class TriggerPlanetPanelReplayEvent(Event):
    """The panel of planets plays again."""


class TriggerPlanetPanelBirthCompleteEvent(Event):
    """The panel of planets has opened."""


class TriggerPlanetPanelDeathCompleteEvent(Event):
    """The panel of planets has closed."""


class TriggerResearchPanelExitEvent(Event):
    """The panel of research was left."""


class TriggerResearchPanelPurchaseEvent(Event):
    """Research was bought."""


class TriggerResearchPanelSelectionChangedEvent(Event):
    """Other research was chosen."""

    item: int | None = raw("m_researchItemId")


class TriggerMercenaryPanelExitEvent(Event):
    """The panel of mercenaries was left."""


class TriggerMercenaryPanelPurchaseEvent(Event):
    """Mercenaries were bought."""


class TriggerMercenaryPanelSelectionChangedEvent(Event):
    """Other mercenaries were chosen."""

    mercenary: int | None = raw("m_mercenaryId")


class TriggerVictoryPanelExitEvent(Event):
    """The panel of victory was left."""


class TriggerVictoryPanelPlayMissionAgainEvent(Event):
    """A mission is played again."""

    difficulty: int | None = raw("m_difficultyLevel")


class TriggerBattleReportPanelExitEvent(Event):
    """The battle reports were left."""


class TriggerBattleReportPanelPlayMissionEvent(Event):
    """A mission is played from the battle reports."""

    report: int | None = raw("m_battleReportId")
    difficulty: int | None = raw("m_difficultyLevel")


class TriggerBattleReportPanelPlaySceneEvent(Event):
    """A scene is played from the battle reports."""

    report: int | None = raw("m_battleReportId")


class TriggerBattleReportPanelSelectionChangedEvent(Event):
    """Another battle report was chosen."""

    report: int | None = raw("m_battleReportId")
