from collections.abc import Callable, Iterable, Mapping
from typing import final

from playhead.dota2.sources.combat_log import Entry
from playhead.runtime.typing import Any
from playhead.source2.message_rows.table import MessageTable, RowPlan
from playhead.source2.playback.fast_path import MessageSink
from playhead.source2.playback.playback import Playback

@final
class CombatLogFeed(MessageSink):
    def __init__(self, playback: Playback) -> None: ...
    def listen_to_all(
        self,
        handler: Callable[[int, str, Mapping[str | int, Any]], None],
        table: MessageTable,
        plan: RowPlan,
        types: Iterable[str] | None = None,
    ) -> None: ...
    def listen(self, entries: list[Entry], types: Iterable[str], others: set[int] | None = None) -> None: ...
    def accept(self, tick: int, message: int, payload: bytes) -> int: ...
