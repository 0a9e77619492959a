"""`FullPackets`: what full packets bring, compared with the state that the packets before them led to."""

from __future__ import annotations

from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.string_tables.tables import Dump, StringTables


class FullPackets:
    """Checks of full packets.

    Attributes:
        dumps: string tables of full packets taken over since the playback began at the start of the recording.
        equal_dumps: those that were what the messages before had led to. The first one is not checked: there the
            recorder catches up with the server (in Dota 2 it brings entries and values that no message did).
        equal_states: entities that were what the packets before had led to.
        baselines: baselines decoded at the end.
    """

    def __init__(self) -> None:
        self.dumps = 0
        self.equal_dumps = 0
        self.equal_states = 0
        self.baselines = 0

    @staticmethod
    def dump(payload: bytes | memoryview, tables: StringTables) -> Dump:
        """Return those string tables of a full packet that are followed, given its payload.

        Raises:
            ReplayError: they cannot be decoded.
        """
        return tables.read_dump(wire.field_bytes(payload, 1) or b"")

    def check_tables(self, tables: StringTables, dump: Dump) -> CorruptReplay | None:
        """Compare a dump with the tables that are followed. Return the error if they differ."""
        if not self.dumps:
            return None
        differences = list(tables.differences([table for table in dump if tables.follows(table.name)]))
        if differences:
            return CorruptReplay(
                f"expected the string tables of the full packet, found others: {'; '.join(differences)}"
            )
        self.equal_dumps += 1
        return None

    def check_entities(self, entities: EntityManager, other: EntityManager, payload: bytes) -> ReplayError | None:
        """Compare entities with those of a full packet's message, applied to `other`. Return what is wrong.

        `other` is valid afterwards if the message could be decoded.
        """
        try:
            other.apply(payload)
        except ReplayError as error:
            return error
        differences = list(entities.differences(other))
        if not differences:
            self.equal_states += 1
            return None
        index, field, ours, theirs = differences[0]
        entity = entities.find(index) or other.find(index)
        return CorruptReplay(
            f"expected the entities of the full packet, found {len(differences)} fields "
            f"that differ; the first is "
            f"{field} of {entity!r}: {ours!r}, in the full packet {theirs!r}"
        )
