"""Pseudonyms: equal names and salts give equal pseudonyms, in every replay."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import unicodedata
from html import escape

from playhead.blizzard.members.text import decode_text

#: Shorter originals are not replaced within other texts, which would contain them by chance.
_LEAST_SEARCHED = 4

_HANDLE = re.compile(r"^(\d+)-([A-Za-z0-9]+)-(\d+)-(\d+)$")
#: The folder that a system names after its user.
_HOME = re.compile(r"((?:\\|/)(?:Users|Documents and Settings|home)(?:\\|/))([^\\/]+)", re.IGNORECASE)
#: Markup of the clan before a name, by build; the middle one has no ``<sp/>``.
_CLAN = re.compile(r"^(&lt;|\[|<)(?![^<>]*/>)(.{1,24}?)(&gt;|\]|>)(<sp/>)?(?=.)", re.DOTALL)


class Pseudonyms:
    """Makes pseudonyms and remembers them.

    Attributes:
        made: pseudonyms by original: names, clans and handles of accounts.
    """

    def __init__(self, salt: bytes) -> None:
        self._salt = salt
        self.made: dict[str, str] = {}

    def _token(self, kind: str, text: str, length: int) -> str:
        normal = unicodedata.normalize("NFC", text).casefold()
        digest = hmac.new(self._salt, f"{kind}\0{normal}".encode(), hashlib.sha256).digest()
        return base64.b32encode(digest).decode()[:length]

    def _make(self, original: str, pseudonym: str) -> str:
        return self.made.setdefault(original, pseudonym)

    def name(self, name: str) -> str:
        """Return a pseudonym for a player's name; the form ``Name#suffix`` of the beta's accounts is kept."""
        if not name or name in self.made.values():
            return name
        plain, mark, suffix = name.partition("#")
        pseudonym = f"Player{self._token('name', plain, 6)}" if plain else ""
        if mark and plain:
            self._make(plain, pseudonym)
        return self._make(name, pseudonym + mark + (self._token("suffix", suffix, 6) if suffix else ""))

    def clan(self, clan: str) -> str:
        """Return a pseudonym for a clan tag: at most six characters, as in the game."""
        return self._make(clan, f"C{self._token('clan', clan, 5)}") if clan else clan

    def account(self, region: int, program: str, realm: int, number: int) -> int:
        """Return a pseudonym for the number of an account; region and realm stay."""
        if not number:
            return number
        handle = f"{region}-{program}-{realm}-{number}"
        digest = hmac.new(self._salt, f"account\0{handle}".encode(), hashlib.sha256).digest()
        pseudonym = 1_000_000_000 + int.from_bytes(digest[:8], "big") % 1_000_000_000
        self._make(handle, f"{region}-{program}-{realm}-{pseudonym}")
        return pseudonym

    def handle(self, handle: str) -> str:
        """Return a pseudonym for the handle of an account, ``2-S2-1-1234567``."""
        match = _HANDLE.match(handle)
        if match is None:
            return self._make(handle, self._token("handle", handle, 8)) if handle else handle
        region, program, realm, number = match.groups()
        return f"{region}-{program}-{realm}-{self.account(int(region), program, int(realm), int(number))}"

    def marked_name(self, marked: str) -> str:
        """Return a name with markup, where name and clan are replaced and the markup stays."""
        match = _CLAN.match(marked)
        front = ""
        if match is not None:
            opening, clan, closing, space = match.groups()
            front = f"{opening}{escape(self.clan(_plain(clan)))}{closing}{space or ''}"
            marked = marked[match.end() :]
        return front + escape(self.name(_plain(marked)))

    def blob(self, raw: bytes) -> bytes:
        """Return another text in which known originals and the names of home folders are replaced."""
        text = decode_text(raw)
        if text.encode() != raw:
            text = raw.decode("latin-1")
            return self._scrubbed(text, "latin-1").encode("latin-1", "replace")
        return self._scrubbed(text, "utf-8").encode()

    def _scrubbed(self, text: str, encoding: str) -> str:
        text = _HOME.sub(lambda home: home[1] + "user", text)
        # Longer ones first: a handle may end in a name.
        for original in sorted(self.made, key=len, reverse=True):
            searched = original if encoding == "utf-8" else original.encode().decode(encoding)
            if len(original.encode()) >= _LEAST_SEARCHED and searched in text:
                text = text.replace(searched, self.made[original])
        return text


def is_handle(text: str) -> bool:
    """Return whether a text has the form of the handle of an account."""
    return _HANDLE.match(text) is not None


def _plain(marked: str) -> str:
    from html import unescape

    return unescape(re.sub(r"<[^<>]*>", "", marked))
