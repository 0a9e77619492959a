"""`SharedDecoder`: decodes each message of a playback once for all handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.source2.messages.decoded import Message, MessageDecoder
from playhead.source2.messages.field_plan import FieldPlan
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.game_events import GameEvent, GameEventList
from playhead.source2.messages.numbers import Engine, message_names

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_COMMON = cython.declare(cython.longlong, 4096)


@cython.final
@cython.cclass
class SharedDecoder:
    """Decodes messages and game events of one playback.

    A payload requested again by the next handler is not decoded again, and an undecodable one is reported once.

    Args:
        game: ``dota2``, ``cs2`` or ``deadlock``.
        report: called with an error, its place, and a description of the lost data.
    """

    def __init__(self, game: str, report: Callable[[ReplayError, str, str], None]) -> None:
        self._game = game
        self._decoder = MessageDecoder(game)
        self._report = report
        self._checker = FieldReader(None)
        self._plans = {}
        # Plans in a list by number, for numbers as low as those of known messages.
        self._common = []
        self._event_list = GameEventList()
        self._latest = None
        self._read = None
        self._read_number = -1
        self._latest_number = -1
        self._latest_message = None
        self._latest_list = None
        self._latest_event = None, None

    @cython.nonecheck(True)
    def report(self, error: ReplayError, number: int) -> None:
        """Report an undecodable message of that number."""
        name = message_names(self._game).get(number, f"message {number}")
        self._report(error, name, "the fields of one message")

    def read(self, number: cython.longlong, payload: object) -> cython.int:
        """Note that another decoder has decoded this message."""
        self._read, self._read_number = payload, number
        return 0

    @cython.nonecheck(True)
    def has_fields(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.bint:
        """Return whether a message has a definition and can be decoded; report one that cannot."""
        if payload is self._read and number == self._read_number:
            return True
        plan: FieldPlan = self._plan(number)
        if plan is None:
            return False
        if self._checker.read(plan, payload):
            self.read(number, payload)
            return True
        return self.message(tick, number, payload) is not None

    def _plan(self, number: cython.longlong) -> FieldPlan:
        """Return the plan of messages of that number; None if they have no definition."""
        if 0 <= number < len(self._common) and self._common[number] is not None:
            return self._common[number]
        if number not in self._plans:
            self._plans[number] = self._decoder.plan(number, text=False)
            if 0 <= number < _MOST_COMMON:
                self._common.extend([None] * (number + 1 - len(self._common)))
                self._common[number] = self._plans[number]
        return self._plans[number]

    @cython.nonecheck(True)
    def message(self, tick: int, number: cython.longlong, payload: bytes | memoryview) -> Message | None:
        """Return the decoded message; None, and a problem, if it cannot be decoded."""
        if payload is self._latest and number == self._latest_number:
            return self._latest_message
        try:
            message: Any = self._decoder.decode(tick, number, payload)
        except ReplayError as error:
            message = None
            self.report(error, number)
        self._latest, self._latest_number, self._latest_message = payload, number, message
        return message

    @cython.nonecheck(True)
    def event_list(self, payload: bytes) -> GameEventList:
        """Return the game events of the recording, as listed by this message."""
        if payload is not self._latest_list:
            self._latest_list = payload
            try:
                self._event_list.read_list(payload)
            except ReplayError as error:
                self.report(error, Engine.GAME_EVENT_LIST)
        return self._event_list

    @property
    def event_names(self) -> list[str]:
        """Names of the events that the lists so far describe."""
        return list(self._event_list.names.values())

    @cython.nonecheck(True)
    def event(self, tick: int, payload: bytes | memoryview) -> GameEvent | None:
        """Return the decoded game event; None, and a problem, if it cannot be decoded."""
        known, event = self._latest_event
        if payload is known:
            return event
        try:
            event = self._event_list.decode(tick, payload)
        except ReplayError as error:
            event = None
            self.report(error, Engine.GAME_EVENT)
        self._latest_event = payload, event
        return event
