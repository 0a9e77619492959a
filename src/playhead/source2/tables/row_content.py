"""What goes into a column of a row that is made of a message."""

from __future__ import annotations

from enum import IntEnum


class Content(IntEnum):
    """For `playhead.source2.tables.message_rows`, whose .pxd has the same numbers.

    Attributes:
        NOTHING: null.
        NUMBER: a number as it is.
        NOT_NEGATIVE: a number; null for one below 0.
        NOT_ZERO: a number; null for 0.
        HANDLE: the index in a handle; null if it means nothing.
        CODE: the same text in every row.
        CODE_OF: the text that stands for a number.
        NAME: the name of the entity of a number, which is `NUMBER`, `NOT_ZERO` or `HANDLE`.
        AXIS: a coordinate of a vector.
        BYTES: bytes.
        STRING: text.
        OTHERS: all fields that are in no column, as JSON.
        NUMBERS: a list of numbers.
        NAMES: the names of the entities of a list of numbers.
        PLAYERS: a list of numbers without those below 0; null for none.
        CALL: what a function makes of a number.
        FIELD: a field, a number of 0 or more, of the entity of a number.
    """

    NOTHING = 0
    NUMBER = 1
    NOT_NEGATIVE = 2
    NOT_ZERO = 3
    HANDLE = 4
    CODE = 5
    CODE_OF = 6
    NAME = 7
    AXIS = 8
    BYTES = 9
    STRING = 10
    OTHERS = 11
    NUMBERS = 12
    NAMES = 13
    PLAYERS = 14
    CALL = 15
    FIELD = 16
