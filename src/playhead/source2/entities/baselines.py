"""`Baselines`: the initial fields of created entities.

The string table ``instancebaseline`` has a baseline for each class, and alternates for some. In a client's
recording, a message may also store the state of its entities as baselines for later creations at the same
indices (`update_baseline`). There are two such sets; each message names the set that it uses.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, ReplayError
from playhead.runtime import cython
from playhead.source2.entities.classes import ClassInfo, EntityPool
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.send_tables import UndeclaredSerializer

# Bound on cached baselines of a class; a class has one, and few classes have alternates.
_MOST_KNOWN = 16


@cython.final
@cython.cclass
class Baselines:
    """The baselines of one recording.

    Args:
        pool: memory shared by the entities.

    Attributes:
        decoded: number of decoded class baselines; each is decoded for the first entity that needs it.
    """

    def __init__(self, pool: EntityPool) -> None:
        self.decoded = 0
        self._pool = pool
        self._sent = {}
        self._of_classes = {}
        self._own = [{}, {}]

    def share(self, other: Baselines) -> None:
        """Copy the class baselines of another state of the recording, decoded ones too, and share its pool."""
        self._sent.update(other._sent)
        self._of_classes.update(other._of_classes)
        self.decoded += len(other._of_classes)
        self._pool = other._pool

    def clear(self) -> None:
        """Forget all baselines."""
        self._sent.clear()
        self._of_classes.clear()
        self._own = [{}, {}]

    def forget_decoded(self) -> None:
        """Discard decoded class baselines after a change of the classes; they are decoded again on demand."""
        self._of_classes.clear()

    def of_classes(self) -> list[str]:
        """Return the keys of the class baselines."""
        return list(self._sent)

    def update(self, key: str, value: bytes) -> object:
        """Store an entry of the string table."""
        if self._sent.get(key) != value:
            self._sent[key] = value
            self._of_classes.pop(key, None)
        return None

    def decode(self, info: ClassInfo, key: str) -> object:
        """Return an entity with the fields of a class baseline; None if the recording has no such baseline.

        Raises:
            CorruptReplay: the baseline cannot be decoded.
        """
        found = self._of_classes.get(key)
        if found is None:
            sent = self._sent.get(key)
            if sent is None:
                return None
            found = Entity(-1, 0, info, self._pool)
            entity: Entity = found
            if self._recall(info, entity, key, sent):
                self._of_classes[key] = found
                self.decoded += 1
                return found
            reader = BitReader(sent)
            before: cython.longlong = self._pool.values
            texts: cython.longlong = self._pool.strings.lookups
            try:
                if sent:
                    entity.read_fields(reader)
                if reader.rem_bits() > 7:
                    raise CorruptReplay(f"expected the end of the baseline, found {reader.rem_bits()} more bits")
            except ReplayError as error:
                kind = UndeclaredSerializer if isinstance(error, UndeclaredSerializer) else CorruptReplay
                raise kind(
                    f"baseline {key} of class {info.name}, field {entity.failing_field}: {error.message}"
                ) from None
            entity.fit()  # the entities of the class begin with a copy
            self._of_classes[key] = found
            self.decoded += 1
            # Cells of text hold numbers that are valid in one recording only.
            if self._pool.strings.lookups == texts and len(info.baselines) < _MOST_KNOWN:
                state: array = entity.new_state()
                entity.save_state(state)
                info.baselines[key] = (sent, state, entity._capacity, self._pool.values - before)
        return found

    def _recall(self, info: ClassInfo, entity: Entity, key: str, sent: bytes) -> cython.bint:
        """Reuse a baseline that another recording of the same schema decoded. Return whether there is one."""
        known: tuple = info.baselines.get(key)
        if known is None or known[0] != sent:
            return False
        entity.copy_saved_state(known[1], known[2])
        self._pool.values += known[3]
        return True

    def of_class(self, info: ClassInfo, alternate: object) -> object:
        """Return the baseline of a class, or its alternate; None if it has none."""
        found: object = None
        try:
            if alternate is not None:
                found = self.decode(info, f"{info.class_id}:{alternate}")
            return self.decode(info, str(info.class_id)) if found is None else found
        except UndeclaredSerializer:  # reported with the send tables; other classes are unaffected
            return None

    # -- of clients' recordings -----------------------------------------------------------------------------

    def own(self, baseline: cython.int, index: cython.longlong, info: ClassInfo) -> object:
        """Return the baseline that an earlier message stored for an entity; None without one of this
        class.
        """
        found = cython.cast(dict, self._own[baseline]).get(index)
        if found is not None and cython.cast(Entity, found).class_info is not info:
            return None
        return found

    def copy_own(self, baseline: cython.int) -> cython.int:
        """Overwrite the other set with this one."""
        self._own[1 - baseline] = dict(self._own[baseline])
        return 0

    def keep_own(self, baseline: cython.int, entity: Entity) -> cython.int:
        """Store the state of an entity in the other set."""
        kept = Entity(entity.index, 0, entity.class_info, self._pool)
        cython.cast(Entity, kept).copy_state(entity)
        self._own[1 - baseline][entity.index] = kept
        return 0

    def forget_own(self, index: cython.longlong) -> cython.int:
        """Forget the stored baselines of a deleted entity; replacing an entity keeps them."""
        for kept in self._own:
            kept.pop(index, None)
        return 0

    def begins_as(self, other: Baselines, index: int, baseline: int) -> bool:
        """Return whether an entity has equal stored baselines in two managers of the same recording."""
        mine, theirs = self._own[baseline].get(index), other._own[baseline].get(index)
        if mine is None or theirs is None:
            return mine is theirs
        one: Entity = mine
        return one.class_info is theirs.class_info and one.same_state(theirs)
