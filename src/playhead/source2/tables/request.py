"""`TableRequest`: the tables that one pass over a recording builds."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.records import dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.source2.playback.collector import Collector
    from playhead.source2.tables.entities import EntityQuery


@dataclass(frozen=True, slots=True)
class TableRequest:
    """The tables that one pass builds.

    Attributes:
        kinds: collectors, each with `options`.
        queries: tables of entity fields.
        wanted: names of the requested tables; None is all of the collectors.
        check: find all problems of the recording, too.
    """

    kinds: tuple[type[Collector], ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    queries: tuple[EntityQuery, ...] = ()
    wanted: frozenset[str] | None = None
    check: bool = False
