"""Messages for the game's own code: as rows of a table, or only checked for problems."""

from __future__ import annotations

from typing import Any

from playhead.runtime import cython
from playhead.source2.messages.decoded import MessageDecoder
from playhead.source2.messages.field_reader import FieldPlan, FieldReader
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.dispatch import MessageSink
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.nullable_columns import TextColumn
from playhead.text.json import to_json

if cython.compiled:
    from cython.cimports.playhead.source2.playback.dispatch import MessageSink
else:
    # Game events have a table of their own, and their list of descriptors has no place in any.
    GAME_EVENT_LIST, GAME_EVENT = int(Engine.GAME_EVENT_LIST), int(Engine.GAME_EVENT)


_MOST_COMMON = cython.declare(cython.longlong, 4096)


@cython.final
@cython.cclass
class UserMessageRows(MessageSink):
    """Columns with a row for each message, without its seconds and its name.

    Args:
        decoder: decoder of the playback.
        definitions: definitions of the game's messages.

    Attributes:
        ticks, numbers: ticks and numbers of the messages.
        fields: fields as JSON; null for a message that cannot be decoded or has no definition.
        raw: bytes of the messages whose `fields` is null.
    """

    def __init__(self, decoder: SharedDecoder, definitions: MessageDecoder) -> None:
        self._decoder = decoder
        self._definitions = definitions
        self._plans = {}
        # Plans in a list by number, for numbers as low as those of known messages.
        self._common = []
        self.ticks = Int32Buffer()
        self.numbers = Int32Buffer()
        self.fields = TextColumn()
        self.raw = TextColumn()
        self._reader = FieldReader(self.fields.data)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Append the row of a message, unless it is a game event."""
        if number in (GAME_EVENT_LIST, GAME_EVENT):
            return 0
        self.ticks.append(tick)
        self.numbers.append(cython.cast(cython.int, number))
        plan: FieldPlan = self._plan(number)
        if plan is not None and payload and self._reader.read(plan, payload):
            self.fields.end(True)
            self.raw.end(False)
            self._decoder.read(payload)
            return 0
        message: Any = self._decoder.message(tick, number, payload)
        fields: Any = None if message is None else message.fields
        self.fields.append(None if fields is None else to_json(fields).encode())
        self.raw.append(payload if fields is None else None)
        return 0

    def _plan(self, number: cython.longlong) -> FieldPlan:
        """Return the plan of messages of that number; None if they have no definition."""
        if 0 <= number < len(self._common) and self._common[number] is not None:
            return self._common[number]
        if number not in self._plans:
            self._plans[number] = self._definitions.plan(number)
            if 0 <= number < _MOST_COMMON:
                self._common.extend([None] * (number + 1 - len(self._common)))
                self._common[number] = self._plans[number]
        return self._plans[number]


@cython.final
@cython.cclass
class DecodingCheck(MessageSink):
    """Decodes messages only to report problems.

    Args:
        decoder: decoder of the playback; it reports problems.
    """

    def __init__(self, decoder: SharedDecoder) -> None:
        self._decoder = decoder

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Report a message that cannot be decoded, unless it is a game event."""
        if number not in (GAME_EVENT_LIST, GAME_EVENT):
            self._decoder.check(tick, number, payload)
        return 0
