"""Type tables compiled into programs for the event decoder.

A program is a tree of nodes in flat arrays. A type that a table uses in ten places becomes ten nodes, so a node
knows its name, its field number and its column. The children of a node are adjacent.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate

from playhead.blizzard.protocol import wire
from playhead.blizzard.protocol.tables import TypePool, short_name
from playhead.runtime.records import dataclass, field
from playhead.text.json import quoted

#: Numbers of the kinds, as the decoders test them, by the names in type tables.
KINDS = {
    name.removeprefix("KIND_").replace("_", "").lower(): number
    for name, number in vars(wire).items()
    if name.startswith("KIND_")
}
#: Kinds whose value is one or more numbers of a column; the number of a choice is its tag.
_LEAVES = frozenset({"int", "bool", "blob", "bitarray", "choice"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column that an event can fill: its `path` within the event (the tag of a choice ends in ``#``), whether it
    holds lists (the field is inside an array, or a bit array), whether its numbers represent texts, its kind, and
    for a choice the names of the alternatives."""

    slot: int
    path: str
    is_list: bool
    is_text: bool
    kind: int
    cases: Mapping[int, str]


@dataclass(slots=True)
class Program:
    """The nodes, in parallel arrays, and the first node of each event.

    Attributes:
        roots: node by event number; -1 for no event.
        root_list: the same as an array; `NO_ROOT` for no event.
        names: of events, by number.
        leaves: of events, by number.
    """

    kinds: array[int] = field(default_factory=lambda: array("q"))
    lows: array[int] = field(default_factory=lambda: array("q"))
    widths: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))
    tags: array[int] = field(default_factory=lambda: array("q"))
    slots: array[int] = field(default_factory=lambda: array("q"))
    keys: list[str] = field(default_factory=list)
    roots: dict[int, int] = field(default_factory=dict)
    root_list: array[int] = field(default_factory=lambda: array("q"))
    names: dict[int, str] = field(default_factory=dict)
    leaves: dict[int, tuple[Leaf, ...]] = field(default_factory=dict)
    slot_count: int = 0
    _chosen: dict[frozenset[str], tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)
    _key_texts: tuple[bytes, array[int]] | None = field(default=None, repr=False, compare=False)

    def key_texts(self) -> tuple[bytes, array[int]]:
        """Return the name of each node as a later key of a JSON object, after its comma: all in a row, then
        `KEY_ROOM` bytes; and where each begins and the last ends."""
        if self._key_texts is None:
            texts = [f", {quoted(key)}: ".encode() for key in self.keys]
            starts = array("q", accumulate(map(len, texts), initial=0))
            self._key_texts = b"".join([*texts, bytes(wire.KEY_ROOM)]), starts
        return self._key_texts

    def numbers_of(self, chosen: frozenset[str]) -> tuple[int, ...]:
        """Return the numbers of events by their short names, for events of the build."""
        if chosen not in self._chosen:
            named = self.names.items()
            self._chosen[chosen] = tuple(number for number, name in named if short_name(name) in chosen)
        return self._chosen[chosen]

    def _reserve(self, count: int) -> int:
        first = len(self.kinds)
        nothing = bytes(count * self.kinds.itemsize)
        for column in (self.kinds, self.lows, self.widths, self.firsts, self.counts, self.tags):
            column.frombytes(nothing)
        self.slots.frombytes(b"\xff" * len(nothing))  # -1
        self.keys.extend([""] * count)
        return first

    def _name(self, node: int, key: str, tag: int) -> None:
        self.keys[node] = key
        self.tags[node] = tag

    def _fill(self, node: int, pool: TypePool, type_: int, path: str, in_array: bool, out: list[Leaf]) -> None:
        kind, *rest = pool.types[type_]
        if kind == "struct" and [entry[0] for entry in rest[0]] == ["__parent"]:
            # A struct that has only its parent is the parent.
            self._fill(node, pool, rest[0][0][1], path, in_array, out)
            return
        self.kinds[node] = KINDS[kind]
        if kind in _LEAVES:
            self.slots[node] = self.slot_count
            is_list = in_array or kind == "bitarray"
            cases = {tag: name for tag, name, _ in rest[2]} if kind == "choice" else {}
            held = path + "#" * (kind == "choice")
            out.append(Leaf(self.slot_count, held, is_list, kind == "blob", KINDS[kind], cases))
            self.slot_count += 1
        if kind in ("int", "blob", "bitarray", "array", "choice"):
            self.lows[node], self.widths[node] = rest[:2]
            if not 0 <= rest[1] <= 64:
                raise ValueError(f"type {type_} is {rest[1]} bits wide")
        children: list[tuple[str, int, int]] = []
        if kind == "struct":
            children = [(name, inner, tag) for name, inner, tag in rest[0]]
        elif kind == "choice":
            children = [(name, inner, tag) for tag, name, inner in rest[2]]
        elif kind in ("array", "optional"):
            children = [("", rest[-1], 0)]
        first = self._reserve(len(children))
        self.firsts[node], self.counts[node] = first, len(children)
        for child, (name, inner, tag) in enumerate(children, first):
            self._name(child, name, tag)
            below = ".".join(filter(None, (path, name)))
            self._fill(child, pool, inner, below, in_array or kind == "array", out)

    def add(self, number: int, name: str, pool: TypePool, type_: int) -> None:
        """Compile the type of an event."""
        leaves: list[Leaf] = []
        self.roots[number] = root = self._reserve(1)
        self.root_list.extend([wire.NO_ROOT] * (number + 1 - len(self.root_list)))
        self.root_list[number] = root
        self.names[number] = name
        self._fill(root, pool, type_, "", False, leaves)
        self.leaves[number] = tuple(leaves)


@lru_cache(maxsize=64)
def program_of(pool: TypePool, events: tuple[tuple[int, tuple[str, int]], ...]) -> Program:
    """Return the program for the events of a stream; many builds share a table."""
    program = Program()
    for number, (name, type_) in events:
        program.add(number, name, pool, type_)
    return program
