from collections.abc import Iterable, Mapping
from typing import Any

from playhead.source2.string_tables.tables import StringTableItem

def items_of(
    listed: Iterable[Mapping[str | int, Any]], known: Mapping[int, StringTableItem], item: type[StringTableItem]
) -> dict[int, StringTableItem]: ...
def news_of(
    listed: Iterable[Mapping[str | int, Any]], known: Mapping[int, StringTableItem]
) -> list[tuple[int, str, bytes | None, bool]]: ...
def places_that_differ(
    listed: Iterable[Mapping[str | int, Any]], items: Iterable[StringTableItem]
) -> list[int]: ...
