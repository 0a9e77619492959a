"""`Processes`: questions within bounds. A process opens the recordings by their paths, builds the tables and
writes the answer, without harm to the server; it is killed when it takes too long."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playhead.ask.questions import DAMAGED, SECONDS, Chosen, forget_tables, sql
from playhead.export import to_bytes
from playhead.runtime.bounded import BoundExceeded, CallProcesses, confined, in_words
from playhead.runtime.libraries import pa
from playhead.text.json import to_json
from playhead.view.browse import rows_of

#: Bytes of an answer.
ANSWER = 64 << 20
#: Seconds after its limit in which a statement has to end.
_GRACE = 2.0


class TooLarge(BoundExceeded):
    """An answer has more bytes than it may."""


class Processes(CallProcesses):
    """Runs questions, so many at a time.

    Attributes:
        memory: bytes that they may need together, with their tables; each has its share.
        seconds: time that one may take, with its tables; a statement alone has `SECONDS`. One over a lake ends
            with its process soon after that: some functions of DuckDB do not let it be interrupted.
    """

    memory = 2 << 30
    seconds = 120.0

    def __init__(self, at_once: int = 1) -> None:
        super().__init__(at_once, "duckdb", "pyarrow.parquet", __name__)
        self._at_once = at_once

    def ask(
        self,
        question: Callable[..., Any],
        chosen: Chosen,
        *values: Any,
        form: str = "json",
        answer: int = ANSWER,
        gone: Callable[[], bool] = lambda: False,
    ) -> bytes:
        """Return the answer to a question of `playhead.ask`.

        Args:
            values: the question's other arguments.
            form: of a table: ``json`` (see `rows_of`), or one of `to_bytes`.
            answer: bytes of the answer: of its columns, and of the text or file made of them.
            gone: asked meanwhile; True interrupts it.

        Raises:
            ValueError: the question is wrong, or exceeds a bound.
            KeyError: there is nothing of that name.
            ReplayError, OSError: a recording cannot be read.
        """
        is_short = question is sql and chosen.lake is not None
        seconds = min(self.seconds, SECONDS + _GRACE) if is_short else self.seconds
        asked = question, chosen, values, form, answer, self.memory // self._at_once
        found: bytes = self.call(_answer_within, asked, seconds, gone)
        return found


def _answer_within(
    asked: tuple[Callable[..., Any], Chosen, tuple[Any, ...], str, int, int], report: object
) -> bytes:
    """Answer a question within so much memory, in a process of `Processes`."""
    question, chosen, values, form, answer, memory = asked
    with confined(memory):
        found = question(chosen, *values)
        if isinstance(found, pa.Table):
            check_size(found.nbytes, answer)
        if form != "json":
            data = to_bytes(found, form)
        elif isinstance(found, pa.Table):
            damaged = json.loads((found.schema.metadata or {}).get(DAMAGED, "{}"))
            data = to_json({**rows_of(found), **({"damaged": damaged} if damaged else {})}).encode()
        else:
            data = to_json(found).encode()
        check_size(len(data), answer)
    forget_tables()
    return data


def check_size(size: int, most: int) -> None:
    """Refuse an answer of more bytes than it may have.

    Raises:
        TooLarge: it has more.
    """
    if size > most:
        sizes = f"{in_words(size)}, more than {in_words(most)}"
        raise TooLarge(f"the answer has {sizes}: ask for fewer replays, rows, columns or letters")
