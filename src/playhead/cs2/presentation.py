"""How plots and the viewer show CS2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.presentation import EventFeed, Jump, MapLook, Presentation, Wording, of_kinds
from playhead.source2.presentation import CLASS_PREFIXES, HIDDEN_FIELDS, motion, title

if TYPE_CHECKING:
    from playhead.presentation import SeriesSource

SERIES: tuple[SeriesSource, ...] = ()

PRESENTATION = Presentation(
    title=title,
    sides={2: "Terrorists", 3: "Counter-Terrorists"},
    feed=EventFeed(
        notable=("round_start", "round_live", "round_end", "chat"),
        jumps=(Jump("round", "v", of_kinds("round_live")),),
        hidden_fields=HIDDEN_FIELDS,
    ),
    map=MapLook(motion=motion),
    wording=Wording(class_prefixes=CLASS_PREFIXES),
)
