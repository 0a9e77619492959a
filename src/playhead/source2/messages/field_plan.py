"""`FieldPlan`: the treatment of each field of a definition by a `FieldReader`."""

from __future__ import annotations

from array import array
from itertools import accumulate

from playhead.runtime import cython
from playhead.source2.messages.wire_decoder import WireDecoder
from playhead.text.json import quoted

if not cython.compiled:
    from playhead.source2.messages.wire_decoder import BYTES, ENUM, MESSAGE, STRING

    # The same numbers as the enums in the .pxd.
    TEXT, IGNORED, VALUE, SPAN, LIST, INSIDE, FLAT = range(7)
    MOST_SLOTS = 128
    ROW_ACTION, ROW_WIRE, ROW_KEPT, ROW_KIND, ROW_PLAIN, ROW_PASSED = 1, 4, 7, 8, 13, 14
    ROW_PLACE, ROW_KINDS = 16, 31


@cython.final
@cython.cclass
class FieldPlan:
    """What happens to each field of a definition: it becomes JSON, unless a method sets something else.

    Args:
        decoder: decoder of the definition.
        text: fields become JSON; False skips them.
    """

    def __init__(self, decoder: WireDecoder, text: bool = True) -> None:
        self._decoder = decoder
        count = len(decoder._names)
        self._actions = array("i", [TEXT if text else IGNORED]) * count
        self._slots = array("i", [-1]) * count
        self._before = array("i", [0]) * count
        self._handles = array("i", [0]) * count
        self._inside = [None] * count
        # Plans that skip the message in a field.
        self._passing = [None] * count
        # The key of each field as JSON, in one byte string, since they are used in this order.
        keys = [f", {quoted(name)}: ".encode() for name in decoder._names]
        self._keys = b"".join(keys)
        self._key_ends = array("i", accumulate(map(len, keys), initial=0))
        self._enums = [
            None if names is None else {number: quoted(name).encode() for number, name in names.items()}
            for names in decoder._enums
        ]
        self._action_of = self._actions.data.as_ints if cython.compiled else self._actions
        self._slot_of = self._slots.data.as_ints if cython.compiled else self._slots
        self._before_of = self._before.data.as_ints if cython.compiled else self._before
        self._handle_of = self._handles.data.as_ints if cython.compiled else self._handles
        self._key_end_of = self._key_ends.data.as_ints if cython.compiled else self._key_ends
        self._text = text
        self._rows = array("i")
        self._tell()

    def _tell(self) -> object:
        """Pack the properties of each field that the reader needs into one number, by field number."""
        decoder: WireDecoder = self._decoder
        number: cython.int
        rows = array("i", [-1]) * decoder._span
        for number in range(decoder._span):
            rows[number] = self._row(decoder._place_of[number])
        self._rows = rows
        self._row_of = self._rows.data.as_ints if cython.compiled else self._rows
        return None

    def _row(self, place: cython.int) -> cython.int:
        """Return the packed properties of a field; -1 without any."""
        decoder: WireDecoder = self._decoder
        if place < 0:
            return -1
        kept: cython.bint = bool(self._before_of[place] or self._handle_of[place])
        passed: cython.bint = self._action_of[place] <= IGNORED and decoder._kind_of[place] != MESSAGE
        return (
            place << ROW_PLACE
            | (passed and not decoder._is_repeated[place]) << ROW_PASSED
            | (self._action_of[place] == VALUE and not kept and not decoder._is_repeated[place]) << ROW_PLAIN
            | decoder._kind_of[place] << ROW_KIND
            | decoder._wire_of[place] << ROW_WIRE
            | kept << ROW_KEPT
            | self._action_of[place] << ROW_ACTION
            | bool(decoder._is_repeated[place])
        )

    def _tell_one(self, place: cython.int) -> object:
        """As `_tell`, of one field."""
        number: cython.int
        for number in range(self._decoder._span):
            if self._decoder._place_of[number] == place:
                self._row_of[number] = self._row(place)
        return None

    @cython.nonecheck(True)
    def inner(self, name: str) -> FieldPlan:
        """Return a plan for the message in a field.

        Raises:
            ValueError: there is no such field, or it is no message.
        """
        decoder = self._decoder._inside[self._decoder._names.index(name)]
        if decoder is None:
            raise ValueError(f"expected a message in field {name} of {self._decoder.name}")
        return FieldPlan(decoder)

    @property
    @cython.nonecheck(True)
    def names(self) -> list[str]:
        """Names of the fields."""
        return list(self._decoder._names)

    @cython.nonecheck(True)
    def store(self, name: str, slot: int, *, before: int = 0, handle: bool = False) -> None:
        """Store a number, or the span of text or bytes, in a slot.

        Args:
            name: name of the field.
            slot: a number below `MOST_SLOTS`.
            before: number of slots right before it whose fields are preferred; if one of them is filled, this
                field also becomes JSON.
            handle: the field also becomes JSON if it is a handle of nothing.

        Raises:
            ValueError: there is no such field or slot, or the field is a message or a list of no numbers.
        """
        place = self._decoder._names.index(name)
        kind = self._decoder._kinds[place]
        repeated = self._decoder._repeated[place]
        if not before <= slot < MOST_SLOTS or kind == MESSAGE or (repeated and kind > ENUM):
            raise ValueError(f"field {name} of {self._decoder.name} cannot be put into slot {slot}")
        self._actions[place] = LIST if repeated else SPAN if kind in (STRING, BYTES) else VALUE
        self._slots[place] = slot
        self._before[place] = before
        self._handles[place] = handle
        self._tell_one(place)

    def enter(self, name: str, plan: FieldPlan, slot: int, *, before: int = 0) -> None:
        """Read the message in a field by its own plan; the slot is filled if the message was sent.

        Raises:
            ValueError: as `store`, or the field is no message.
        """
        place = self._decoder._names.index(name)
        repeated = self._decoder._repeated[place]
        if not before <= slot < MOST_SLOTS or self._decoder._inside[place] is None or repeated:
            raise ValueError(f"field {name} of {self._decoder.name} cannot be entered")
        self._actions[place] = INSIDE
        self._slots[place] = slot
        self._before[place] = before
        self._inside[place] = plan
        self._tell_one(place)

    @cython.nonecheck(True)
    def ignore(self, name: str) -> None:
        """Skip a field."""
        place = self._decoder._names.index(name)
        self._actions[place] = IGNORED
        self._tell_one(place)

    @cython.nonecheck(True)
    def flatten(self, name: str, plan: FieldPlan) -> None:
        """Read the fields of the message in a field as if they were outside.

        Raises:
            ValueError: there is no such field, or it is no message.
        """
        place = self._decoder._names.index(name)
        if self._decoder._inside[place] is None or self._decoder._repeated[place]:
            raise ValueError(f"field {name} of {self._decoder.name} cannot be entered")
        self._actions[place] = FLAT
        self._inside[place] = plan
        self._tell_one(place)
