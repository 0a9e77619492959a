"""A class (number 0, ``COne``) with one field (``m_iHealth``), for handwritten entity messages."""

from __future__ import annotations

from tests.samples.source2.match_schema import declare_field

from playhead.source2.entities.manager import EntityManager
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.entities import ClassWriter

TABLES = SendTables({("COne", 0): Serializer("COne", 0, (declare_field("m_iHealth int32"),))})
WRITER = ClassWriter(0, "COne", TABLES)


def manager_of_one_class() -> EntityManager:
    """Return a manager that knows the class and has no entities."""
    made = EntityManager(TABLES)
    made.on_server_info({"max_classes": 1})
    made.on_class_info({0: "COne"})
    made.on_baseline_updated("0", b"")
    return made
