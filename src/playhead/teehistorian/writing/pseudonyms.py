"""`Words`: pseudonyms of texts and ids; `Ledger`: counts of replaced, removed and kept data."""

from __future__ import annotations

import hmac
import secrets
from collections import Counter
from uuid import UUID

from playhead.teehistorian.stream.text import encode_text


class Words:
    """Maps equal texts to equal pseudonyms; without a salt, they are numbered in order of appearance."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = salt
        self._id_salt = secrets.token_bytes(16) if salt is None else salt
        self._words: dict[str, tuple[str, int]] = {}

    def replace(self, text: str, kind: str) -> str:
        """Return the pseudonym of `text`; an empty text stays empty.

        A pseudonym begins with the first requested `kind`, that of a name always with ``player``: a person has the
        same pseudonym in all recordings, even if a command with the name came first.
        """
        if not text:
            return text
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = kind, self._number(text)
        elif kind == "player" and known[0] != kind:
            known = self._words[text] = kind, known[1]
        return f"{known[0]}{known[1]}"

    def _number(self, text: str) -> int:
        if self._salt is None:
            return len(self._words) + 1
        digest = hmac.digest(self._salt, encode_text(text), "sha256")
        return int.from_bytes(digest[:8], "big") % 1_000_000_000  # nine digits: a name has at most 15 bytes

    def replace_id(self, original: UUID) -> UUID:
        """Return another id, equal for equal ids; random without a salt. None stays None."""
        if not original.int:
            return original
        return UUID(bytes=hmac.digest(self._id_salt, original.bytes, "sha256")[:16], version=4)


class Ledger:
    """Counts replaced, removed and kept data by kind."""

    def __init__(self) -> None:
        self.replaced: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()

    def sentences(self, whole: str) -> tuple[str, ...]:
        """Return up to three sentences with the counts; the last one is of kept data and of what stays whole."""
        changed = (("replaced", self.replaced), ("removed", self.removed))
        kept = f"kept: {_listed(self.kept)}; whole: {whole}" if self.kept else f"kept whole: {whole}"
        return (*(f"{side}: {_listed(counts)}" for side, counts in changed if counts), kept)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{what} ({count})" if count > 1 else what for what, count in sorted(counts.items()))
