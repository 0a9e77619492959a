"""`SharedDecoder`: decodes each message of a playback once for all handlers."""

from __future__ import annotations

from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.messages.decoded import Message, MessageDecoder, MessageFields
from playhead.source2.messages.definitions import decoder
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.game_events import GameEvent, GameEventList
from playhead.source2.messages.numbers import Engine, message_names
from playhead.source2.messages.wire import unknown_error, unknown_fields
from playhead.source2.messages.wire_decoder import FieldPlan, WireDecoder, unknown_met

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST_COMMON = cython.declare(cython.longlong, 4096)
_EVENT, _EVENT_LIST = "CMsgSource1LegacyGameEvent", "CMsgSource1LegacyGameEventList"
# Fields that real builds send and no published definition has: commands of CS2 clients of 2024 and of Dota 2.
_NAMELESS = {
    "CSGOUserCmdPB": {"8", "base.subtick_moves.6", "base.subtick_moves.7"},
    "CUserCmdBasePB": {"3", "5", "6", "8", "9", "10"},
}


@cython.final
@cython.cclass
class SharedDecoder:
    """Decodes messages and game events of one playback.

    A payload requested again by the next handler is not decoded again, and an undecodable one is reported once.
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
        self._latest_unknown = False
        # Decoders of `contents`, by definition.
        self._inside = {}
        # Names of messages and definitions whose unknown fields have been reported.
        self._told = set()
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
        met = unknown_met()
        try:
            message: Any = self._decoder.decode(tick, number, payload)
        except ReplayError as error:
            message = None
            self.report(error, number)
        self._latest, self._latest_number, self._latest_message = payload, number, message
        self._latest_unknown = unknown_met() != met
        return message

    @cython.nonecheck(True)
    def for_facts(self, tick: int, number: cython.longlong, payload: bytes | memoryview) -> Message | None:
        """As `message`; a field that the definition lacks, or has as another kind, is a problem: an update gave it
        another number or kind, or it is new."""
        message: Any = self.message(tick, number, payload)
        if message is not None and self._latest_unknown and message.fields is not None:
            self._expect_known(message.type, unknown_fields(message.fields))
        return message

    @cython.nonecheck(True)
    def note_unknown(self, tick: int, number: cython.longlong, payload: bytes) -> None:
        """As `for_facts`, for a message with unknown fields that facts have read without this decoder."""
        plan: FieldPlan = self._plan(number)
        if plan is not None and plan._decoder.name not in self._told:
            self.for_facts(tick, number, payload)

    @cython.nonecheck(True)
    def contents(self, definition: str, data: bytes | memoryview) -> MessageFields:
        """Return the fields of a message in a frame, a string table or a field, for facts; as `for_facts`."""
        met = unknown_met()
        found: WireDecoder = self._inside.get(definition)
        if found is None:
            found = self._inside[definition] = decoder(definition, self._game)
        fields: dict = found.decode(data)
        if unknown_met() != met:
            self._expect_known(definition, unknown_fields(fields))
        return fields

    @cython.nonecheck(True)
    def _expect_known(self, definition: str, found: Iterable[str]) -> None:
        """Report the fields that were found and that the definition lacks, once for each definition."""
        if definition in self._told:
            return
        unknown = set(found).difference(_NAMELESS.get(definition, ()))
        if unknown:
            self._told.add(definition)
            self._report(unknown_error(unknown), definition, "the values of these fields")

    @cython.nonecheck(True)
    def event_list(self, payload: bytes) -> GameEventList:
        """Return the game events of the recording, as listed by this message."""
        if payload is not self._latest_list:
            self._latest_list = payload
            try:
                self._expect_known(_EVENT_LIST, self._event_list.read_list(payload))
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
        met = unknown_met()
        try:
            event = self._event_list.decode(tick, payload)
        except ReplayError as error:
            event = None
            self.report(error, Engine.GAME_EVENT)
        if event is not None and unknown_met() != met:
            self.contents(_EVENT, payload)
        self._latest_event = payload, event
        return event
