"""`Content`: the values of a column of a table of messages."""

from __future__ import annotations


class Content:
    """The values of a column; ``table.pxd`` has the same numbers.

    Attributes:
        NOTHING: null.
        NUMBER: a number as it is.
        NOT_NEGATIVE: a number; null for one below 0.
        NOT_ZERO: a number; null for 0.
        HANDLE: the index in a handle; null for a handle of nothing.
        CONSTANT: the same text in every row.
        TEXT_OF: the text for a number.
        NAME: the name of the entity of a number, which is `NUMBER`, `NOT_ZERO` or `HANDLE`.
        AXIS: a coordinate of a vector.
        BYTES: bytes.
        OTHERS: all fields without a column, as JSON.
        NUMBERS: a list of numbers.
        NAMES: the names of the entities of a list of numbers.
        PLAYERS: a list of numbers without those below 0; null for an empty list.
        CALL: the result of a function of a number.
        FIELD: a field, a number of 0 or more, of the entity of a number.
    """

    NOTHING = 0
    NUMBER = 1
    NOT_NEGATIVE = 2
    NOT_ZERO = 3
    HANDLE = 4
    CONSTANT = 5
    TEXT_OF = 6
    NAME = 7
    AXIS = 8
    BYTES = 9
    OTHERS = 10
    NUMBERS = 11
    NAMES = 12
    PLAYERS = 13
    CALL = 14
    FIELD = 15


#: The contents by name, in the order of their numbers.
CONTENTS = {name: number for name, number in vars(Content).items() if name.isupper()}
