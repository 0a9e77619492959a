"""Input for a map's triggers: clicks and keys, dialogs, sounds, cutscenes, panels of the campaign."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.base import Event, plain_events, raw
from playhead.blizzard.events.conversions import IN_FINE


def _only(value: dict[str, Any], _: object) -> Any:
    """Return the value of a choice; texts as text."""
    ((_, held),) = value.items()
    return held.decode("utf-8", "replace") if isinstance(held, bytes) else held


def _case(value: dict[str, Any], _: object) -> str:
    return next(iter(value))


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


class TriggerKeyPressedEvent(Event):
    """A key was pressed."""

    key: int | None = raw("m_key")
    flags: int | None = raw("m_flags")


class TriggerDialogControlEvent(Event):
    """A control of a dialog was used; `change` is how (None, Checked, ValueChanged, SelectionChanged, TextChanged,
    MouseButton) and `value` the new value."""

    control: int | None = raw("m_controlId")
    event_type: int | None = raw("m_eventType")
    change: str | None = raw("m_eventData", convert=_case)
    value: bool | int | str | None = raw("m_eventData", convert=_only)


class TriggerPortraitLoadedEvent(Event):
    """A portrait was loaded."""

    portrait: int | None = raw("m_portraitId")


#: The other input, as `plain_events` reads them.
_PLAIN = """
TriggerChatMessageEvent text:text=m_chatMessage: A line of chat for triggers.
TriggerPingEvent x:cells=m_point.x y:cells=m_point.y unit=m_unit unit_type_id=m_unitLink
    unit_player=m_unitControlPlayerId unit_upkeep_player=m_unitUpkeepPlayerId unit_x:cells=m_unitPosition.x
    unit_y:cells=m_unitPosition.y unit_z:cells=m_unitPosition.z under_construction=m_unitIsUnderConstruction
    minimap=m_pingedMinimap option=m_option: A ping on the map, with the unit that was pinged; cells.
TriggerMouseMovedEvent screen_x=m_posUI.x screen_y=m_posUI.y x:cells=m_posWorld.x y:cells=m_posWorld.y
    z:cells=m_posWorld.z flags=m_flags: The mouse moved; `x`, `y`, `z` are cells.
TriggerMouseWheelEvent spin=m_wheelSpin flags=m_flags: The mouse wheel turned.
TriggerHotkeyPressedEvent hotkey=m_hotkey down=m_down: A hotkey went down or up.
TriggerButtonPressedEvent button=m_button: A button was pressed.
TriggerCustomDialogDismissedEvent result=m_result: A dialog was closed.
TriggerGameMenuItemSelectedEvent item=m_gameMenuItemIndex: An item of the menu was chosen.
TriggerTargetModeUpdateEvent ability_id=m_abilLink ability_index=m_abilCmdIndex state=m_state: A user started or
    stopped choosing a target for an ability.
TriggerCommandErrorEvent error=m_error ability_id=m_abil.m_abilLink ability_index=m_abil.m_abilCmdIndex
    ability_data=m_abil.m_abilCmdData: An order was impossible; `error` is the game's number of the reason.
TriggerCameraMoveEvent reason_id=m_reason: The camera moved; the reason as stored.
TriggerReplySelectedEvent conversation=m_conversationId reply=m_replyId: A reply in a conversation was chosen.
TriggerSkippedEvent: A playing sequence was skipped.
TriggerConversationSkippedEvent skip_type=m_skipType: A conversation was skipped.
TriggerSoundLengthQueryEvent sound_hash=m_soundHash length=m_length: Length of a sound.
TriggerSoundLengthSyncEvent sound_hashes:numbers=m_syncInfo.m_soundHash lengths:numbers=m_syncInfo.m_length:
    Lengths of sounds.
TriggerSoundOffsetEvent sound=m_sound: The position in a sound.
TriggerSoundtrackDoneEvent soundtrack=m_soundtrack: A soundtrack ended.
TriggerTransmissionOffsetEvent transmission=m_transmissionId thread=m_thread: The position in a transmission.
TriggerTransmissionCompleteEvent transmission=m_transmissionId: A transmission ended.
TriggerAnimLengthQueryByNameEvent query=m_queryId length_ms=m_lengthMs finish_loop=m_finishGameLoop: Length of an
    animation, requested by name.
TriggerAnimLengthQueryByPropsEvent query=m_queryId length_ms=m_lengthMs: Length of an animation, requested by
    properties.
TriggerAnimOffsetEvent query=m_animWaitQueryId: The position in an animation.
TriggerMovieFunctionEvent function:text=m_functionName: A movie calls a function.
TriggerMovieStartedEvent: A movie began.
TriggerMovieFinishedEvent: A movie ended.
TriggerCutsceneBookmarkFiredEvent cutscene=m_cutsceneId bookmark:text=m_bookmarkName: A cutscene reached a
    bookmark.
TriggerCutsceneEndSceneFiredEvent cutscene=m_cutsceneId: A cutscene ended.
TriggerCutsceneConversationLineEvent cutscene=m_cutsceneId line:text=m_conversationLine
    alternative_line:text=m_altConversationLine: A line of a conversation in a cutscene.
TriggerCutsceneConversationLineMissingEvent cutscene=m_cutsceneId line:text=m_conversationLine: A line of a
    conversation that is missing.
TriggerGameCreditsFinishedEvent: The credits ended.
TriggerProfilerLoggingFinishedEvent: The profiler ended.
TriggerAbortMissionEvent: A mission was aborted.
TriggerPurchaseMadeEvent item=m_purchaseItemId: Something was bought.
TriggerPurchaseExitEvent: The shop was left.
TriggerPurchasePanelSelectedPurchaseItemChangedEvent item=m_purchaseItemId: Another item of the shop was chosen.
TriggerPurchasePanelSelectedPurchaseCategoryChangedEvent category=m_purchaseCategoryId: Another category of the
    shop was chosen.
TriggerPlanetMissionLaunchedEvent difficulty=m_difficultyLevel: A mission was begun.
TriggerPlanetMissionSelectedEvent planet=m_planetId: A mission was chosen.
TriggerPlanetPanelCanceledEvent: The panel of planets was closed.
TriggerPlanetPanelReplayEvent: The panel of planets plays again.
TriggerPlanetPanelBirthCompleteEvent: The panel of planets has opened.
TriggerPlanetPanelDeathCompleteEvent: The panel of planets has closed.
TriggerResearchPanelExitEvent: The panel of research was left.
TriggerResearchPanelPurchaseEvent: Research was bought.
TriggerResearchPanelSelectionChangedEvent item=m_researchItemId: Other research was chosen.
TriggerMercenaryPanelExitEvent: The panel of mercenaries was left.
TriggerMercenaryPanelPurchaseEvent: Mercenaries were bought.
TriggerMercenaryPanelSelectionChangedEvent mercenary=m_mercenaryId: Other mercenaries were chosen.
TriggerVictoryPanelExitEvent: The panel of victory was left.
TriggerVictoryPanelPlayMissionAgainEvent difficulty=m_difficultyLevel: A mission is played again.
TriggerBattleReportPanelExitEvent: The battle reports were left.
TriggerBattleReportPanelPlayMissionEvent report=m_battleReportId difficulty=m_difficultyLevel: A mission is
    played from the battle reports.
TriggerBattleReportPanelPlaySceneEvent report=m_battleReportId: A scene is played from the battle reports.
TriggerBattleReportPanelSelectionChangedEvent report=m_battleReportId: Another battle report was chosen.
"""

globals().update(plain_events(__name__, _PLAIN))
