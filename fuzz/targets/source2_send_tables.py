"""Send tables, and values of their fields. The first three bytes are the size of the schema."""

from __future__ import annotations

import contextlib

from playhead.bits import BitWriter
from playhead.errors import ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import read_send_tables


def fuzz(data: bytes) -> None:
    size = int.from_bytes(data[:3], "little")
    declared = read_send_tables(data[3 : 3 + size])
    for serializer in list(declared)[:20]:
        manager = EntityManager(declared, 1 << 16)
        manager.on_server_info({"max_classes": 1, "tick_interval": 0.5})
        manager.on_class_info({0: serializer.name})
        head = BitWriter()  # entity 0 of class 0 is created
        head.write_ubit_var(0)
        head.write_bits(2, 2)
        head.write_bits(0, manager.class_id_size)
        head.write_bits(1, 17)
        head.write_varuint32(1)
        head.write_bits_from_bytes(data[3 + size :], 8 * len(data[3 + size :]))
        message = {
            "max_entries": 16384,
            "updated_entries": 1,
            "legacy_is_delta": False,
            "entity_data": head.to_bytes(),
        }
        with contextlib.suppress(ReplayError):
            manager.apply(wire.encode("CSVCMsg_PacketEntities", message))
        for entity in manager:
            entity.to_dict()
