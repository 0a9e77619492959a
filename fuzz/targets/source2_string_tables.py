"""Messages that create and update a string table. The first three bytes are the size of the first message."""

from __future__ import annotations

from contextlib import suppress

from playhead.errors import ReplayError
from playhead.source2.messages import wire
from playhead.source2.string_tables.tables import StringTables, handle_create, handle_update
from targets import LIMITS


def fuzz(data: bytes) -> None:
    size = int.from_bytes(data[:3], "little")
    tables = StringTables(LIMITS)
    with suppress(ReplayError):  # the table keeps the entries before the damage
        handle_create(wire.decode("CSVCMsg_CreateStringTable", data[3 : 3 + size]), tables)
    for table in tables.by_id:
        assert all(item.index >= 0 for item in table)
    handle_update(wire.decode("CSVCMsg_UpdateStringTable", data[3 + size :]), tables)
