"""Input for a map's triggers: clicks and keys, dialogs, sounds, cutscenes, panels of the campaign."""

from __future__ import annotations

from typing import Any

from playhead.sc2.events.base import AS_TEXT, IN_FINE, NUMBERS, Event, event_class, raw


def _only(value: dict[str, Any], _: object) -> Any:
    """Return the value of a choice; texts as text."""
    ((_, held),) = value.items()
    return held.decode("utf-8", "replace") if isinstance(held, bytes) else held


def _case(value: dict[str, Any], _: object) -> str:
    return next(iter(value))


@event_class
class TriggerChatMessageEvent(Event):
    """A line of chat for triggers."""

    text: str = raw("m_chatMessage", convert=AS_TEXT, default="")


@event_class
class TriggerPingEvent(Event):
    """A ping on the map, with the unit that was pinged; cells."""

    x: float | None = raw("m_point.x", convert=IN_FINE)
    y: float | None = raw("m_point.y", convert=IN_FINE)
    unit: int | None = raw("m_unit")
    unit_link: int | None = raw("m_unitLink")
    unit_player: int | None = raw("m_unitControlPlayerId")
    unit_upkeep_player: int | None = raw("m_unitUpkeepPlayerId")
    unit_x: float | None = raw("m_unitPosition.x", convert=IN_FINE)
    unit_y: float | None = raw("m_unitPosition.y", convert=IN_FINE)
    unit_z: float | None = raw("m_unitPosition.z", convert=IN_FINE)
    under_construction: bool | None = raw("m_unitIsUnderConstruction")
    minimap: bool | None = raw("m_pingedMinimap")
    option: int | None = raw("m_option")


@event_class
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


@event_class
class TriggerMouseMovedEvent(Event):
    """The mouse moved; `x`, `y`, `z` are cells."""

    screen_x: int | None = raw("m_posUI.x")
    screen_y: int | None = raw("m_posUI.y")
    x: float | None = raw("m_posWorld.x", convert=IN_FINE)
    y: float | None = raw("m_posWorld.y", convert=IN_FINE)
    z: float | None = raw("m_posWorld.z", convert=IN_FINE)
    flags: int | None = raw("m_flags")


@event_class
class TriggerMouseWheelEvent(Event):
    """The mouse wheel turned."""

    spin: int | None = raw("m_wheelSpin")
    flags: int | None = raw("m_flags")


@event_class
class TriggerKeyPressedEvent(Event):
    """A key was pressed."""

    key: int | None = raw("m_key")
    flags: int | None = raw("m_flags")


@event_class
class TriggerHotkeyPressedEvent(Event):
    """A hotkey went down or up."""

    hotkey: int | None = raw("m_hotkey")
    down: bool | None = raw("m_down")


@event_class
class TriggerButtonPressedEvent(Event):
    """A button was pressed."""

    button: int | None = raw("m_button")


@event_class
class TriggerDialogControlEvent(Event):
    """A control of a dialog was used; `change` is how (None, Checked, ValueChanged, SelectionChanged, TextChanged,
    MouseButton) and `value` the new value."""

    control: int | None = raw("m_controlId")
    event_type: int | None = raw("m_eventType")
    change: str | None = raw("m_eventData", convert=_case)
    value: bool | int | str | None = raw("m_eventData", convert=_only)


@event_class
class TriggerCustomDialogDismissedEvent(Event):
    """A dialog was closed."""

    result: int | None = raw("m_result")


@event_class
class TriggerGameMenuItemSelectedEvent(Event):
    """An item of the menu was chosen."""

    item: int | None = raw("m_gameMenuItemIndex")


@event_class
class TriggerTargetModeUpdateEvent(Event):
    """A user started or stopped choosing a target for an ability."""

    ability_link: int | None = raw("m_abilLink")
    ability_index: int | None = raw("m_abilCmdIndex")
    state: int | None = raw("m_state")


@event_class
class TriggerCommandErrorEvent(Event):
    """An order was impossible; `error` is the game's number of the reason."""

    error: int | None = raw("m_error")
    ability_link: int | None = raw("m_abil.m_abilLink")
    ability_index: int | None = raw("m_abil.m_abilCmdIndex")
    ability_data: int | None = raw("m_abil.m_abilCmdData")


@event_class
class TriggerCameraMoveEvent(Event):
    """The camera moved; the reason as stored."""

    reason: int | None = raw("m_reason")


@event_class
class TriggerReplySelectedEvent(Event):
    """A reply in a conversation was chosen."""

    conversation: int | None = raw("m_conversationId")
    reply: int | None = raw("m_replyId")


@event_class
class TriggerSkippedEvent(Event):
    """A playing sequence was skipped."""


@event_class
class TriggerConversationSkippedEvent(Event):
    """A conversation was skipped."""

    skip_type: int | None = raw("m_skipType")


@event_class
class TriggerSoundLengthQueryEvent(Event):
    """Length of a sound."""

    sound_hash: int | None = raw("m_soundHash")
    length: int | None = raw("m_length")


@event_class
class TriggerSoundLengthSyncEvent(Event):
    """Lengths of sounds."""

    sound_hashes: tuple[int, ...] = raw("m_syncInfo.m_soundHash", convert=NUMBERS, default=())
    lengths: tuple[int, ...] = raw("m_syncInfo.m_length", convert=NUMBERS, default=())


@event_class
class TriggerSoundOffsetEvent(Event):
    """The position in a sound."""

    sound: int | None = raw("m_sound")


@event_class
class TriggerSoundtrackDoneEvent(Event):
    """A soundtrack ended."""

    soundtrack: int | None = raw("m_soundtrack")


@event_class
class TriggerTransmissionOffsetEvent(Event):
    """The position in a transmission."""

    transmission: int | None = raw("m_transmissionId")
    thread: int | None = raw("m_thread")


@event_class
class TriggerTransmissionCompleteEvent(Event):
    """A transmission ended."""

    transmission: int | None = raw("m_transmissionId")


@event_class
class TriggerAnimLengthQueryByNameEvent(Event):
    """Length of an animation, requested by name."""

    query: int | None = raw("m_queryId")
    length_ms: int | None = raw("m_lengthMs")
    finish_loop: int | None = raw("m_finishGameLoop")


@event_class
class TriggerAnimLengthQueryByPropsEvent(Event):
    """Length of an animation, requested by properties."""

    query: int | None = raw("m_queryId")
    length_ms: int | None = raw("m_lengthMs")


@event_class
class TriggerAnimOffsetEvent(Event):
    """The position in an animation."""

    query: int | None = raw("m_animWaitQueryId")


@event_class
class TriggerPortraitLoadedEvent(Event):
    """A portrait was loaded."""

    portrait: int | None = raw("m_portraitId")


@event_class
class TriggerMovieFunctionEvent(Event):
    """A movie calls a function."""

    function: str = raw("m_functionName", convert=AS_TEXT, default="")


@event_class
class TriggerMovieStartedEvent(Event):
    """A movie began."""


@event_class
class TriggerMovieFinishedEvent(Event):
    """A movie ended."""


@event_class
class TriggerCutsceneBookmarkFiredEvent(Event):
    """A cutscene reached a bookmark."""

    cutscene: int | None = raw("m_cutsceneId")
    bookmark: str = raw("m_bookmarkName", convert=AS_TEXT, default="")


@event_class
class TriggerCutsceneEndSceneFiredEvent(Event):
    """A cutscene ended."""

    cutscene: int | None = raw("m_cutsceneId")


@event_class
class TriggerCutsceneConversationLineEvent(Event):
    """A line of a conversation in a cutscene."""

    cutscene: int | None = raw("m_cutsceneId")
    line: str = raw("m_conversationLine", convert=AS_TEXT, default="")
    alternative_line: str = raw("m_altConversationLine", convert=AS_TEXT, default="")


@event_class
class TriggerCutsceneConversationLineMissingEvent(Event):
    """A line of a conversation that is missing."""

    cutscene: int | None = raw("m_cutsceneId")
    line: str = raw("m_conversationLine", convert=AS_TEXT, default="")


@event_class
class TriggerGameCreditsFinishedEvent(Event):
    """The credits ended."""


@event_class
class TriggerProfilerLoggingFinishedEvent(Event):
    """The profiler ended."""


@event_class
class TriggerAbortMissionEvent(Event):
    """A mission was aborted."""


@event_class
class TriggerPurchaseMadeEvent(Event):
    """Something was bought."""

    item: int | None = raw("m_purchaseItemId")


@event_class
class TriggerPurchaseExitEvent(Event):
    """The shop was left."""


@event_class
class TriggerPurchasePanelSelectedPurchaseItemChangedEvent(Event):
    """Another item of the shop was chosen."""

    item: int | None = raw("m_purchaseItemId")


@event_class
class TriggerPurchasePanelSelectedPurchaseCategoryChangedEvent(Event):
    """Another category of the shop was chosen."""

    category: int | None = raw("m_purchaseCategoryId")


@event_class
class TriggerPlanetMissionLaunchedEvent(Event):
    """A mission was begun."""

    difficulty: int | None = raw("m_difficultyLevel")


@event_class
class TriggerPlanetMissionSelectedEvent(Event):
    """A mission was chosen."""

    planet: int | None = raw("m_planetId")


@event_class
class TriggerPlanetPanelCanceledEvent(Event):
    """The panel of planets was closed."""


@event_class
class TriggerPlanetPanelReplayEvent(Event):
    """The panel of planets plays again."""


@event_class
class TriggerPlanetPanelBirthCompleteEvent(Event):
    """The panel of planets has opened."""


@event_class
class TriggerPlanetPanelDeathCompleteEvent(Event):
    """The panel of planets has closed."""


@event_class
class TriggerResearchPanelExitEvent(Event):
    """The panel of research was left."""


@event_class
class TriggerResearchPanelPurchaseEvent(Event):
    """Research was bought."""


@event_class
class TriggerResearchPanelSelectionChangedEvent(Event):
    """Other research was chosen."""

    item: int | None = raw("m_researchItemId")


@event_class
class TriggerMercenaryPanelExitEvent(Event):
    """The panel of mercenaries was left."""


@event_class
class TriggerMercenaryPanelPurchaseEvent(Event):
    """Mercenaries were bought."""


@event_class
class TriggerMercenaryPanelSelectionChangedEvent(Event):
    """Other mercenaries were chosen."""

    mercenary: int | None = raw("m_mercenaryId")


@event_class
class TriggerVictoryPanelExitEvent(Event):
    """The panel of victory was left."""


@event_class
class TriggerVictoryPanelPlayMissionAgainEvent(Event):
    """A mission is played again."""

    difficulty: int | None = raw("m_difficultyLevel")


@event_class
class TriggerBattleReportPanelExitEvent(Event):
    """The battle reports were left."""


@event_class
class TriggerBattleReportPanelPlayMissionEvent(Event):
    """A mission is played from the battle reports."""

    report: int | None = raw("m_battleReportId")
    difficulty: int | None = raw("m_difficultyLevel")


@event_class
class TriggerBattleReportPanelPlaySceneEvent(Event):
    """A scene is played from the battle reports."""

    report: int | None = raw("m_battleReportId")


@event_class
class TriggerBattleReportPanelSelectionChangedEvent(Event):
    """Another battle report was chosen."""

    report: int | None = raw("m_battleReportId")
