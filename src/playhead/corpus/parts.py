"""Divide replays among the parts of an experiment: training, validation, test."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.text.names import unknown_name

_T = TypeVar("_T")

_WHOLE = 1 << 64


class CorpusSplit(tuple[_T, ...]):
    """The parts of a corpus, in order: ``train, valid, test = parts``, ``parts.train`` or ``parts["train"]``."""

    names: tuple[str, ...]

    def __new__(cls, parts: Mapping[str, _T]) -> CorpusSplit[_T]:
        made = super().__new__(cls, parts.values())
        made.names = tuple(parts)
        return made

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if key in self.names else key)

    def __getattr__(self, name: str) -> _T:
        if name == "names" or name not in self.names:
            raise AttributeError(unknown_name(name, () if name == "names" else self.names, "part"))
        return self[name]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<CorpusSplit into {', '.join(self.names)}>"


class Share(NamedTuple):
    """The replays whose place between 0 and 1 is at least `low` and below `high`.

    The place follows from a value of the replay and the seed alone, so added replays change no others.
    """

    low: float
    high: float
    seed: int

    def __call__(self, value: object) -> bool:
        """Return whether the share has the replays with this value."""
        digest = hashlib.blake2b(f"{self.seed}\0{value}".encode(errors="surrogatepass"), digest_size=8).digest()
        return self.low <= int.from_bytes(digest, "big") / _WHOLE < self.high


def shares(parts: Mapping[str, float], seed: int) -> dict[str, Share]:
    """Return the share of each part by name; ``test`` has the rest, unless it is one of `parts`.

    Raises:
        ValueError: a part is not between 0 and 1, or all together are more than 1.
    """
    if any(not 0 <= size <= 1 for size in parts.values()) or sum(parts.values()) > 1 + 1e-9 or not parts:
        raise ValueError(f"expected parts between 0 and 1 that are at most 1 together, got {dict(parts)}")
    found: dict[str, Share] = {}
    low = 0.0
    for name, size in parts.items():
        found[name] = Share(low, low + size, seed)
        low += size
    if "test" not in found:
        found["test"] = Share(low, 1.0, seed)
    return found


def split_rows(rows: pa.Table, by: str, found: Mapping[str, Share]) -> CorpusSplit[list[str]]:
    """Return the replays of each part; `rows` are those of a lake's inputs.

    Raises:
        KeyError: there is no column `by`.
    """
    if by not in rows.column_names:
        raise KeyError(unknown_name(by, rows.column_names, "column"))
    known = list(zip(rows["replay"].to_pylist(), rows[by].to_pylist(), strict=True))
    return CorpusSplit({name: [replay for replay, value in known if fits(value)] for name, fits in found.items()})
