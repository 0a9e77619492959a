"""Questions about replays or a lake, for the page, the service and language models: SQL of strangers, statistics,
rounds and tables, within bounds and in a process of their own."""

from __future__ import annotations

from playhead.ask.processes import Processes, TooLarge
from playhead.ask.questions import Chosen, rounds, sql, statistics

__all__ = ["Chosen", "Processes", "TooLarge", "rounds", "sql", "statistics"]
