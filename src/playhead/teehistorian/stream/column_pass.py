"""One pass over the messages that fills the columns of all wanted tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.tables.column_buffers import Int32Columns
from playhead.teehistorian.stream.extensions import extension_client
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.stream.ticks import InputTracker, PositionTracker

if TYPE_CHECKING:
    from uuid import UUID

    from playhead.teehistorian.stream.messages import Message


if cython.compiled:
    from cython.cimports.playhead.tables.column_buffers import Int32Columns, add_row
    from cython.cimports.playhead.teehistorian.stream.int32 import add_int32
    from cython.cimports.playhead.teehistorian.stream.reader import (
        EXTRA,
        FIRST_NEGATIVE,
        INPUT_DIFF,
        INPUT_DIFF_BYTE,
        INPUT_NEW,
        LAST_TICK,
        LONGEST_FREQUENT,
        NET_MESSAGE,
        PLAYER_DIFF,
        PLAYER_NEW,
        PLAYER_OLD,
        TICK_SKIP,
        TICK_SKIP_BYTE,
        MessageReader,
        packed_int,
    )
    from cython.cimports.playhead.teehistorian.stream.ticks import (
        APPEARED,
        GONE,
        INPUT_LENGTH,
        MAX_CLIENTS,
        MOVED,
        NO_LIMIT,
        NOTHING,
        InputTracker,
        PositionTracker,
    )
else:
    from playhead.teehistorian.stream.int32 import add_int32
    from playhead.teehistorian.stream.reader import (
        EXTRA,
        INPUT_DIFF,
        INPUT_NEW,
        NET_MESSAGE,
        PLAYER_DIFF,
        PLAYER_NEW,
        PLAYER_OLD,
    )
    from playhead.teehistorian.stream.ticks import (
        APPEARED,
        GONE,
        INPUT_LENGTH,
        MAX_CLIENTS,
        MOVED,
        NO_LIMIT,
        NOTHING,
    )

#: Number of columns of messages, positions and inputs.
_MESSAGE_COLUMNS, _POSITION_COLUMNS, _INPUT_COLUMNS = 6, 6, 15


@cython.final
@cython.cclass
class ColumnPass:
    """Drives a `MessageReader` from its position to the end, in stretches, and fills columns.

    Attributes:
        positions, inputs: the state after the last message.
        message_columns: tick, kind (0 for PLAYER_DIFF, else the message id negated), client (below 0: none),
            bytes, code of the extension (-1: none), holder of the slot, or of the tee for a move (-1: nobody).
        position_columns: tick, client, x, y, event (0 appeared, 1 moved, 2 gone),
            holder of the tee (-1: nobody).
        input_columns: tick of action, tick of recording, client, ten numbers, whether the client already had an
            input in that section (0 or 1), holder of the slot (-1: nobody).
        extension_codes: code of every extension by UUID, in order of first appearance.
        stray_positions, stray_inputs: number of records that change a missing tee or input; they add no row.
        first_stray_offset, first_stray_tick: position of the first such record; -1 without one.
        at_limit: the reader is on the first message after the tick of `set_limit`, which is not processed yet.
    """

    _reader: MessageReader
    positions = cython.declare(PositionTracker, visibility="readonly")
    inputs = cython.declare(InputTracker, visibility="readonly")
    message_columns = cython.declare(Int32Columns, visibility="readonly")
    position_columns = cython.declare(Int32Columns, visibility="readonly")
    input_columns = cython.declare(Int32Columns, visibility="readonly")
    extension_codes = cython.declare(dict, visibility="readonly")
    at_limit = cython.declare(cython.bint, visibility="readonly")
    stray_positions = cython.declare(cython.longlong, visibility="readonly")
    stray_inputs = cython.declare(cython.longlong, visibility="readonly")
    first_stray_offset = cython.declare(cython.longlong, visibility="readonly")
    first_stray_tick = cython.declare(cython.longlong, visibility="readonly")
    _listener: object
    _row: cython.int[6]
    _input_ticks: cython.int[128]
    _left_out: cython.bint[128]
    _holder: cython.int[128]
    _tee_holder: cython.int[128]
    _limit: cython.int
    _running: cython.bint

    def __init__(
        self,
        reader: MessageReader,
        *,
        messages: bool = False,
        positions: bool = False,
        inputs: bool = False,
        listener: Callable[[int, Message], object] | None = None,
    ) -> None:
        """`listener` is called with (tick, message) of rare messages: all except PLAYER_DIFF, PLAYER_OLD,
        INPUT_DIFF, INPUT_NEW, TICK_SKIP.
        """
        self._reader = reader
        self.positions = PositionTracker()
        self.inputs = InputTracker()
        self.message_columns = Int32Columns(_MESSAGE_COLUMNS) if messages else None
        self.position_columns = Int32Columns(_POSITION_COLUMNS) if positions else None
        self.input_columns = Int32Columns(_INPUT_COLUMNS) if inputs else None
        self.extension_codes: dict[UUID, int] = {}
        self._listener = listener
        self.stray_positions = self.stray_inputs = 0
        self.first_stray_offset = self.first_stray_tick = -1
        self.at_limit = self._running = False
        self._limit = NO_LIMIT
        if not cython.compiled:
            self._row = [0] * _MESSAGE_COLUMNS
            self._input_ticks = [0] * MAX_CLIENTS
            self._left_out = [False] * MAX_CLIENTS
            self._holder = [-1] * MAX_CLIENTS
            self._tee_holder = [-1] * MAX_CLIENTS
        i: cython.int
        for i in range(MAX_CLIENTS):
            self._input_ticks[i] = self._holder[i] = self._tee_holder[i] = -1

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def run(self, count: cython.longlong) -> cython.bint:
        """Process up to `count` messages; return False after the last one. Errors are those of `MessageReader`."""
        if self._reader is None:
            raise ValueError("this pass has no reader: its __init__ did not run")
        if self._running:
            raise ValueError("expected one thread, found another that runs this pass")
        self._running = True
        try:
            return self._run(count)
        except ReplayError as error:
            self._reader.locate(error)
            raise
        finally:
            self._running = False

    def keep_rows_of(self, clients: Iterable[int]) -> None:
        """Append only rows of these clients to positions and inputs; the state still covers all clients."""
        kept = set(clients)
        for cid in range(MAX_CLIENTS):
            self._left_out[cid] = cid not in kept

    def set_holder(self, cid: int, holder: int, of_tee: bool) -> None:
        """Set the holder of a slot's inputs from now on, and of its positions: with `of_tee` those of the present
        tee too, else from the next tee on.
        """
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        self._holder[cid] = holder
        if of_tee:
            self._tee_holder[cid] = holder

    def holder(self, cid: int) -> tuple[int, int]:
        """Return the holders of a slot and of its present or last tee; -1 for nobody."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        return self._holder[cid], self._tee_holder[cid]

    def set_limit(self, tick: int) -> None:
        """Let `run` stop after the last message of `tick`.

        The reader decodes the first message after it, and the first `run` with a later limit processes that
        message.
        """
        self._limit = tick

    def run_to(self, tick: int) -> None:
        """Process all messages up to the end of `tick`. Errors are those of `MessageReader`."""
        self.set_limit(tick)
        while self.run(1 << 30):
            pass

    def input_tick(self, cid: int) -> int:
        """Return the tick in whose section the client's last input is recorded; -1 without one."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        return self._input_ticks[cid]

    def set_input(self, cid: int, tick: int, values: Sequence[int]) -> None:
        """Restore an input that was recorded in the section of `tick`."""
        self.inputs.replace(cid, values)
        self._input_ticks[cid] = tick

    def longest(self) -> int:
        """Return the number of rows of the longest of the three column sets."""
        sets = (self.message_columns, self.position_columns, self.input_columns)
        return max([len(columns) for columns in sets if columns is not None], default=0)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _run(self, count: cython.longlong) -> cython.bint:
        before: cython.ulonglong = self._reader.end_offset()
        while count > 0:
            if cython.compiled and not self.at_limit and self._is_frequent():
                done: cython.longlong = self._run_frequent(count)
                if done:
                    count -= done
                    before = self._reader.end_offset()
                    continue
            if self.at_limit:
                before = self._reader.start_offset()
            elif not self._reader.step():
                return False
            if self._reader.tick > self._limit:
                self.at_limit = True
                return False
            self.at_limit = False
            count -= 1
            kind: cython.int = self._reader.kind
            if self.message_columns is not None:
                after: cython.ulonglong = self._reader.end_offset()
                self._begin_message(kind, after - before)
                before = after
                self._take(kind)
                self._end_message()
            else:
                self._take(kind)
        return True

    if cython.compiled:

        @cython.cfunc
        @cython.exceptval(check=False)
        def _is_frequent(self) -> cython.bint:
            """Return whether the next message may be one for `_run_frequent`."""
            if self._reader._next + LONGEST_FREQUENT > self._reader._size or self._reader.finished:
                return False
            byte: cython.int = self._reader._reader._data[self._reader._next]
            return byte < FIRST_NEGATIVE or byte in (INPUT_DIFF_BYTE, TICK_SKIP_BYTE)

        @cython.cfunc
        @cython.exceptval(check=False)
        def _run_frequent(self, count: cython.longlong) -> cython.longlong:
            """Process up to `count` PLAYER_DIFF, INPUT_DIFF and TICK_SKIP; return how many.

            A twin of the rest of `_run`, without the interpreter's lock: threads share a recording. It takes
            two thirds of its time. It ends before every other message, a change of something missing, an error,
            the tick of `set_limit`, a full column and the last bytes; the rest of `_run` processes these.
            """
            reader: MessageReader = self._reader
            data: cython.p_const_uchar = reader._reader._data
            last: cython.ulonglong = reader._size - LONGEST_FREQUENT
            done: cython.longlong = 0
            positions: cython.bint = self.position_columns is not None
            inputs: cython.bint = self.input_columns is not None
            messages: cython.bint = self.message_columns is not None
            with cython.nogil:
                while done < count and reader._messages_left and reader._next <= last:
                    pos: cython.ulonglong = reader._next + 1
                    tick: cython.int = reader.tick
                    cid: cython.int = data[pos - 1]
                    if cid < FIRST_NEGATIVE:
                        kind: cython.int = PLAYER_DIFF
                        tick += cid <= reader._last
                        if not self.positions._present[cid]:
                            break
                        if positions and self.position_columns._size == self.position_columns._capacity:
                            break
                    elif cid == INPUT_DIFF_BYTE:
                        kind = INPUT_DIFF
                        cid = packed_int(data, cython.address(pos))
                        if cid < 0 or cid >= MAX_CLIENTS or not self.inputs._known[cid]:
                            break
                        if inputs and self.input_columns._size == self.input_columns._capacity:
                            break
                    elif cid == TICK_SKIP_BYTE:
                        kind, cid = TICK_SKIP, -1
                        i: cython.int = packed_int(data, cython.address(pos))
                        if i < 0 or i >= LAST_TICK - tick:
                            break
                        tick += i + 1
                    else:
                        break
                    if tick > self._limit or tick >= LAST_TICK:
                        break
                    if messages and self.message_columns._size == self.message_columns._capacity:
                        break
                    if kind == PLAYER_DIFF:
                        reader._last = cid
                        self.positions.x[cid] = add_int32(
                            self.positions.x[cid], packed_int(data, cython.address(pos))
                        )
                        self.positions.y[cid] = add_int32(
                            self.positions.y[cid], packed_int(data, cython.address(pos))
                        )
                        if positions and not self._left_out[cid]:
                            row: cython.Py_ssize_t = self.position_columns._size
                            self.position_columns._size = row + 1
                            self._put_position(row, tick, cid, MOVED)
                    elif kind == INPUT_DIFF:
                        first: cython.int = INPUT_LENGTH * cid
                        for i in range(INPUT_LENGTH):
                            self.inputs.values[first + i] = add_int32(
                                self.inputs.values[first + i], packed_int(data, cython.address(pos))
                            )
                        if inputs and not self._left_out[cid]:
                            row = self.input_columns._size
                            self.input_columns._size = row + 1
                            self._put_input(row, tick, cid, self._input_ticks[cid] == tick)
                        self._input_ticks[cid] = tick
                    else:
                        reader._last = -1
                    if messages:
                        row = self.message_columns._size
                        self.message_columns._size = row + 1
                        self.message_columns._data[0][row] = tick
                        self.message_columns._data[1][row] = -kind
                        self.message_columns._data[2][row] = cid
                        self.message_columns._data[3][row] = cython.cast(cython.int, pos - reader._next)
                        self.message_columns._data[4][row] = NOTHING
                        i = self._tee_holder[cid] if kind == PLAYER_DIFF else -1
                        self.message_columns._data[5][row] = self._holder[cid] if i < 0 <= cid else i
                    reader._messages_left -= 1
                    reader.tick, reader.kind, reader.cid = tick, kind, cid
                    reader._start, reader._next = reader._next, pos
                    done += 1
                reader._reader._pos = reader._next
            return done

        @cython.cfunc
        @cython.nogil
        @cython.inline
        @cython.exceptval(check=False)
        def _put_position(
            self, row: cython.Py_ssize_t, tick: cython.int, cid: cython.int, event: cython.int
        ) -> cython.void:
            self.position_columns._data[0][row] = tick
            self.position_columns._data[1][row] = cid
            self.position_columns._data[2][row] = self.positions.x[cid]
            self.position_columns._data[3][row] = self.positions.y[cid]
            self.position_columns._data[4][row] = event
            self.position_columns._data[5][row] = self._tee_holder[cid]

        @cython.cfunc
        @cython.nogil
        @cython.inline
        @cython.exceptval(check=False)
        def _put_input(
            self, row: cython.Py_ssize_t, tick: cython.int, cid: cython.int, replaces: cython.bint
        ) -> cython.void:
            i: cython.int
            self.input_columns._data[0][row] = tick + 1
            self.input_columns._data[1][row] = tick
            self.input_columns._data[2][row] = cid
            for i in range(INPUT_LENGTH):
                self.input_columns._data[3 + i][row] = self.inputs.values[INPUT_LENGTH * cid + i]
            self.input_columns._data[3 + INPUT_LENGTH][row] = replaces
            self.input_columns._data[4 + INPUT_LENGTH][row] = self._holder[cid]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take(self, kind: cython.int) -> cython.int:
        if kind == PLAYER_NEW:
            # The listener first: this may be the first message of a client that stayed over a map change.
            if self._listener is not None:
                self._listener(self._reader.tick, self._reader.message())
            self._add_position(kind)
            return 0
        if kind in (PLAYER_DIFF, PLAYER_OLD):
            self._add_position(kind)
        elif kind in (INPUT_DIFF, INPUT_NEW):
            self._add_input(kind)
            return 0
        if self._listener is not None and kind <= NET_MESSAGE:
            self._listener(self._reader.tick, self._reader.message())
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _begin_message(self, kind: cython.int, size: cython.ulonglong) -> cython.int:
        self._row[0] = self._reader.tick
        self._row[1] = -kind
        self._row[2] = self._reader.cid
        self._row[3] = cython.cast(cython.int, size)
        self._row[4] = NOTHING
        if kind == EXTRA:
            extra = self._reader.message()
            client = extension_client(extra)
            self._row[2] = NOTHING if client is None else client
            self._row[4] = self.extension_codes.setdefault(extra.uuid, len(self.extension_codes))
        cid: cython.int = self._row[2]
        self._row[5] = -1
        if 0 <= cid < MAX_CLIENTS:
            self._row[5] = self._tee_holder[cid] if kind in (PLAYER_DIFF, PLAYER_OLD) else self._holder[cid]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_message(self) -> cython.int:
        """Append the row; a message that occupies an empty slot belongs to the new session."""
        cid: cython.int = self._row[2]
        if self._row[5] < 0 and 0 <= cid < MAX_CLIENTS:
            self._row[5] = self._holder[cid]
        self.message_columns.append(self._row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add_position(self, kind: cython.int) -> cython.int:
        cid: cython.int = self._reader.cid
        if kind == PLAYER_DIFF:
            # `PositionTracker.move` inlined, for the most frequent message; the reader has checked the client.
            if not self.positions._present[cid]:
                self.stray_positions += 1
                return self._stray()
            self.positions.x[cid] = add_int32(self.positions.x[cid], self._reader.values[0])
            self.positions.y[cid] = add_int32(self.positions.y[cid], self._reader.values[1])
            event: cython.int = MOVED
        elif kind == PLAYER_NEW:
            self.positions.appear(cid, self._reader.values[1], self._reader.values[2])
            self._tee_holder[cid] = self._holder[cid]
            event = APPEARED
        else:
            if not self.positions.vanish(cid):
                self.stray_positions += 1
                return self._stray()
            event = GONE
        if self.position_columns is None or self._left_out[cid]:
            return 0
        if cython.compiled:
            self._put_position(add_row(self.position_columns), self._reader.tick, cid, event)
        else:
            x, y = self.positions.x[cid], self.positions.y[cid]
            self.position_columns.append([self._reader.tick, cid, x, y, event, self._tee_holder[cid]])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add_input(self, kind: cython.int) -> cython.int:
        cid: cython.int = self._reader.cid
        if kind == INPUT_NEW:
            self.inputs.set(cid, self._reader.values)
        elif not self.inputs.add(cid, self._reader.values):
            self.stray_inputs += 1
            return self._stray()
        tick: cython.int = self._reader.tick
        replaces: cython.bint = self._input_ticks[cid] == tick
        self._input_ticks[cid] = tick
        if self.input_columns is None or self._left_out[cid]:
            return 0
        if cython.compiled:
            self._put_input(add_row(self.input_columns), tick, cid, replaces)
        else:
            first = INPUT_LENGTH * cid
            values = self.inputs.values[first : first + INPUT_LENGTH]
            self.input_columns.append([tick + 1, tick, cid, *values, replaces, self._holder[cid]])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _stray(self) -> cython.int:
        if self.first_stray_offset < 0:
            self.first_stray_offset = self._reader.offset
            self.first_stray_tick = self._reader.tick
        return 0
