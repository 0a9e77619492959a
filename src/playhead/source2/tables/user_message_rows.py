"""Messages for the game's own code, all of them: as rows of a table, or checked for the problems alone."""

from __future__ import annotations

from typing import Any

from playhead.source2.messages.decoded import MessageDecoder
from playhead.source2.messages.field_reader import FieldPlan, FieldReader
from playhead.source2.messages.json_text import JsonWriter
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.decoding import SharedDecoder
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.nullable_columns import TextColumn

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if not cython.compiled:
    # Game events have a table of their own, and their list of descriptors has no place in any.
    GAME_EVENT_LIST, GAME_EVENT = int(Engine.GAME_EVENT_LIST), int(Engine.GAME_EVENT)


@cython.final
@cython.cclass
class UserMessageRows:
    """The columns of a row for each message, without its seconds and its name.

    Args:
        decoder: of the playback.
        definitions: of the game's messages.

    Attributes:
        ticks, numbers: of the messages.
        fields: as JSON; null for one that cannot be decoded or has no definition.
        raw: the bytes of these.
    """

    # stub: def take(self, tick: int, number: int, payload: bytes) -> None: ...

    def __init__(self, decoder: SharedDecoder, definitions: MessageDecoder) -> None:
        self._decoder = decoder
        self._definitions = definitions
        self._write = JsonWriter().write
        self._plans = {}
        self.ticks = Int32Buffer()
        self.numbers = Int32Buffer()
        self.fields = TextColumn()
        self.raw = TextColumn()
        self._reader = FieldReader(self.fields.data)

    @cython.nonecheck(True)
    def take(self, tick: cython.int, number: cython.longlong, payload: bytes) -> None:
        """Add the row of a message, if it is no game event."""
        plan: FieldPlan
        if number in (GAME_EVENT_LIST, GAME_EVENT):
            return
        self.ticks.append(tick)
        self.numbers.append(number)
        found: object = self._plans.get(number)
        if found is None and number not in self._plans:
            found = self._plans[number] = self._definitions.plan(number)
        if found is not None and payload:
            plan = found
            if self._reader.read(plan, payload):
                self.fields.end(True)
                self.raw.end(False)
                self._decoder.read(payload)
                return
        message: Any = self._decoder.message(tick, number, payload)
        fields: Any = None if message is None else message.fields
        self.fields.append(None if fields is None else self._write(fields).encode())
        self.raw.append(payload if fields is None else None)


@cython.final
@cython.cclass
class UserMessageCheck:
    """Decodes messages for the problems alone.

    Args:
        decoder: of the playback; it reports.
    """

    # stub: def take(self, tick: int, number: int, payload: bytes) -> None: ...

    def __init__(self, decoder: SharedDecoder) -> None:
        self._decoder = decoder

    @cython.nonecheck(True)
    def take(self, tick: Any, number: cython.longlong, payload: bytes) -> None:
        """Report a message that cannot be decoded, if it is no game event."""
        if number not in (GAME_EVENT_LIST, GAME_EVENT):
            self._decoder.check(tick, number, payload)


@cython.final
@cython.cclass
class OneMessageCheck:
    """Decodes the messages of one number for the problems alone.

    Args:
        decoder: of the playback; it reports.
        number: of the messages.
    """

    # stub: def __init__(self, decoder: SharedDecoder, number: int) -> None: ...
    # stub: def take(self, tick: int, payload: bytes) -> None: ...

    def __init__(self, decoder: SharedDecoder, number: cython.longlong) -> None:
        self._decoder = decoder
        self._number = number

    @cython.nonecheck(True)
    def take(self, tick: Any, payload: bytes) -> None:
        """Report a message that cannot be decoded."""
        self._decoder.check(tick, self._number, payload)
