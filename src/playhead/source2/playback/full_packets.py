"""`FullPackets`: compares full packets with the state built from the packets before them."""

from __future__ import annotations

from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.string_tables.tables import Dump, StringTables


class FullPackets:
    """Checks of full packets.

    Attributes:
        dumps: number of full packets whose string tables were applied, since the start of the recording.
        equal_dumps: number of those that equalled the current tables. The first one is not compared, because the
            recorder catches up with the server there (in Dota 2 it has entries and values of no earlier
            message).
        equal_states: number of full packets whose entities equalled the current ones.
        baselines: number of baselines decoded at the end.
    """

    def __init__(self) -> None:
        self.dumps = 0
        self.equal_dumps = 0
        self.equal_states = 0
        self.baselines = 0

    @staticmethod
    def dump(payload: bytes | memoryview, tables: StringTables) -> Dump:
        """Return the followed string tables of a full packet, given its payload.

        Raises:
            ReplayError: they cannot be decoded.
        """
        return tables.read_dump(wire.field_bytes(payload, 1) or b"")

    def check_tables(self, tables: StringTables, dump: Dump) -> CorruptReplay | None:
        """Compare a dump with the followed tables. Return the error if they differ."""
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
        """Compare entities with those of a full packet's message, applied to `other`. Return the error if they
        differ.

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
