"""Anonymises replays.

Names, clans, accounts and chat are replaced in place, in all known fields. All other bytes stay, so every event
decodes as before. Equal salts give equal pseudonyms in every replay. Undocumented members that may contain names
are removed: ``replay.server.battlelobby`` has the BattleTags of all participants and paths on the host's computer.
Map, time and orders stay, so people who know the game can still recognise the players."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from html import escape
from typing import ClassVar, TypeAlias

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.encoding.blob_offsets import BlobOffset, Patches, packed_blobs, tagged_leaves
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.writers import tagged
from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import CONTROL_COMPUTER, read_details
from playhead.blizzard.members.lobby import read_lobby
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, short_name
from playhead.blizzard.protocol.wire import USER_BITS
from playhead.blizzard.recording.recording import GameRecording
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.errors import CorruptReplay, ReplayError
from playhead.runtime.records import dataclass

#: Shorter originals are not replaced within other texts, which would contain them by chance.
_LEAST_SEARCHED = 4

_HANDLE = re.compile(r"^(\d+)-([A-Za-z0-9]+)-(\d+)-(\d+)$")
#: The folder that a system names after its user.
_HOME = re.compile(r"((?:\\|/)(?:Users|Documents and Settings|home)(?:\\|/))([^\\/]+)", re.IGNORECASE)
#: Markup of the clan before a name, by build; the middle one has no ``<sp/>``.
_CLAN_MARK = re.compile(r"^(&lt;|\[|<)(?![^<>]*/>)(.{1,24}?)(&gt;|\]|>)(<sp/>)?(?=.)", re.DOTALL)


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
        match = _CLAN_MARK.match(marked)
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


#: Members without names of people: they stay unchanged, unless a game has a step for one.
_HARMLESS = frozenset(
    (
        *(member_names.GAME_ATTRIBUTES, member_names.TRACKER_EVENTS, member_names.SYNC_EVENTS),
        *(member_names.SYNC_HISTORY, member_names.SMARTCAM, member_names.LOAD_INFO, member_names.METADATA_STRUCT),
        *(member_names.PREVIEW, member_names.LISTFILE, member_names.ATTRIBUTES),
    )
)

#: Members that name people. They are read first: other texts are searched for these names.
_NAMING = (member_names.INIT_DATA, member_names.REPLAY_INFO, member_names.DETAILS, member_names.RESUMABLE)

#: Fields of events and lobby, and their contents; all other texts are searched for names that are already known.
_NAME, _CLAN, _LOGO, _ACCOUNT, _CHAT = "name", "clan", "logo", "account", "chat"
_FIELDS = {
    "m_clanTag": _CLAN,
    "m_clanLogo": _LOGO,
    "m_toonHandle": _ACCOUNT,
    "m_string": _CHAT,
    "m_chatMessage": _CHAT,
}
#: ``m_name`` is a person's only here; banks and saved games have names too.
_NAMED = frozenset({"m_userInitialData", "m_userInfos"})
_NAMED_EVENTS = frozenset({"SGameUserJoinEvent"})

#: Type and region of a cache handle; the SHA-256 after it reveals whose clan logo it is.
_HANDLE_HEAD = 8


@dataclass(frozen=True, slots=True)
class Anonymized:
    """The result.

    Attributes:
        data: the file.
        replaced: pseudonyms by original. Keep it secret, or delete it.
        removed: removed members.
        cut: damaged members, cut at the damage.
        chat: number of chat messages whose text was removed.
    """

    data: bytes
    replaced: dict[str, str]
    removed: tuple[str, ...]
    cut: tuple[str, ...]
    chat: int


#: Returns the new content of a member.
Step: TypeAlias = Callable[[bytes], bytes]


class ReplayAnonymizer:
    """Makes a replay with pseudonyms instead of names. A game extends it with steps for members of its own.

    Attributes:
        words: fields whose texts are words of the game, even if a player is called so.
    """

    words: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, recording: GameRecording, *, salt: bytes | None, keep_chat: bool) -> None:
        """Prepare.

        Args:
            recording: the replay.
            salt: equal salts give equal pseudonyms in every replay; None makes a new one. Anyone with the salt can
                test whether a pseudonym belongs to a name.
            keep_chat: keep the text of chat and replace only names in it.
        """
        self._container = recording.container
        self._protocols = recording.container.game.protocols
        self._names = Pseudonyms(secrets.token_bytes(16) if salt is None else salt)
        self._keep_chat = keep_chat
        self._builds = recording.builds
        self._chat = 0
        self._cut: dict[str, None] = {}  # names in order

    # -- fields -----------------------------------------------------------------------------------------

    def _blob(self, place: BlobOffset, event: str = "") -> bytes:
        """Return the replacement of a text."""
        field = place.path[-1] if isinstance(place.path[-1], str) else ""
        if field in self.words:
            return place.data
        kind = _FIELDS.get(field)
        if field == "m_name" and (event in _NAMED_EVENTS or _NAMED.intersection(place.path)):
            kind = _NAME
        if kind == _NAME:
            return self._names.name(decode_text(place.data)).encode()
        if kind == _CLAN:
            return self._names.clan(decode_text(place.data)).encode()
        if kind == _ACCOUNT:
            return self._names.handle(decode_text(place.data.rstrip(b"\0"))).encode()
        if kind == _LOGO:
            return place.data[:_HANDLE_HEAD].ljust(len(place.data), b"\0")
        if kind == _CHAT and not self._keep_chat:
            self._chat += bool(place.data)
            return b""
        return self._names.blob(place.data)

    def _patch(self, patches: Patches, place: BlobOffset, event: str = "") -> None:
        new = self._blob(place, event)
        if new != place.data:
            patches.set_blob(place, new)

    # -- members ----------------------------------------------------------------------------------------

    def details(self, data: bytes) -> bytes:
        details = read_details(data, self._container.limits)
        leaves = tagged_leaves(data)
        patches = Patches(data)

        def put(path: tuple[int, ...], value: bytes | int) -> None:
            start, end = leaves[path]
            kind = data[start] if data[start] in (tags.U32, tags.U64) else tags.VINT
            out = tagged(value, kind)
            if out != data[start:end]:
                patches.replace(start, end, out)

        for index, player in enumerate(details.players):
            toon = player.toon
            if player.control == CONTROL_COMPUTER and toon.handle is None:
                continue
            put((0, index, 0), self._names.marked_name(player.marked_name).encode())
            if (0, index, 1, 4) in leaves:
                number = self._names.account(toon.region, toon.program, toon.realm, toon.id)
                put((0, index, 1, 4), number)
            if (0, index, 1, 3) in leaves:
                put((0, index, 1, 3), self._names.name(toon.name).encode())
        for path, text in (((7,), details.description), ((8,), details.image_file_path), ((9,), details.map_file)):
            if path in leaves:
                put(path, self._names.blob(text.encode()))
        return patches.apply()

    def lobby(self, data: bytes) -> bytes:
        read_lobby(data, self._protocols.init_data_program(*self._builds))  # raises if the table does not fit
        table = self._protocols.table(*self._builds)
        patches = Patches(data)
        for place in packed_blobs(table.pool, table.init_data, BitPackedReader(data)):
            self._patch(patches, place)
        return patches.apply()

    def events(self, data: bytes, stream: str) -> bytes:
        table = self._protocols.table(*self._builds)
        with_texts = {
            number: (short_name(name), type_)
            for number, (name, type_) in table.events(stream).items()
            if table.pool.has_kind(type_, "blob")
        }
        decoder = EventDecoder(self._protocols.event_program(*self._builds, stream), data, id_bits=ID_BITS[stream])
        patches = Patches(data)
        start = 0
        while True:
            try:
                event = decoder.next_event()
            except ReplayError:
                patches.replace(start, len(data), b"")  # it may have names in it
                name = member_names.GAME_EVENTS if stream == GAME else member_names.MESSAGE_EVENTS
                self._cut.setdefault(name)
                break
            if event is None:
                break
            number = event[2]
            if number in with_texts:
                name, type_ = with_texts[number]
                bits = BitPackedReader(data)
                bits.skip_bits(start * 8)
                bits.read_loop_delta()
                bits.skip_bits(USER_BITS + ID_BITS[stream])
                for place in packed_blobs(table.pool, type_, bits):
                    self._patch(patches, place, name)
            start = decoder.tell()
        return patches.apply()

    def steps(self) -> dict[str, Step]:
        """Return the steps by member, in the order in which they run."""
        return {
            member_names.INIT_DATA: self.lobby,
            member_names.DETAILS: self.details,
            member_names.GAME_EVENTS: lambda data: self.events(data, GAME),
            member_names.MESSAGE_EVENTS: lambda data: self.events(data, MESSAGE),
            member_names.INIT_DATA_BACKUP: self.lobby,
            member_names.DETAILS_BACKUP: self.details,
            **self.more_steps(),
        }

    def more_steps(self) -> Mapping[str, Step]:
        """Return the steps of the game."""
        return {}

    def _contents(self) -> tuple[dict[str, bytes], list[str]]:
        """Return new contents by name, and the members to remove."""
        steps = self.steps()
        # A first round only learns names: the author of the map may be one of the players named after it.
        for name in _NAMING:
            if name in steps:
                self._try(name, steps[name])
        contents: dict[str, bytes] = {}
        removed = []
        for name, step in steps.items():
            done = self._try(name, step)
            if done is None:
                continue
            old, new = done
            if new is None:
                removed.append(name)  # unreadable data may contain names
            elif new != old or name in self._cut:
                contents[name] = new
        archive = self._container.archive
        assert archive is not None
        removed += [name for name in archive.names if name not in steps and name not in _HARMLESS]
        return contents, removed

    def _try(self, name: str, step: Callable[[bytes], bytes]) -> tuple[bytes, bytes | None] | None:
        """Return a member before and after a step (None if it cannot be read); None if there is no such member."""
        archive = self._container.archive
        if archive is None or name not in archive:
            return None
        old = b""
        try:
            old = archive.read(name, lambda _: self._cut.setdefault(name))
            return old, step(old) if old else old
        except ReplayError:
            return old, None

    def run(self) -> Anonymized:
        """Return the replay.

        Raises:
            CorruptReplay: the archive cannot be read.
        """
        container = self._container
        archive = container.archive
        if archive is None:
            name = container.source.name
            raise CorruptReplay("expected an archive with members, found none that can be read", file=name)
        container.learn_names()
        contents, removed = self._contents()
        data = rewrite_replay(container, contents, removed, drop_nameless=True)
        # Bytes between the replay header and the archive may name people.
        front = UserData.OFFSET + len(container.user_data)
        start = archive.header.offset if isinstance(archive, MpqArchive) else 0
        if front < start:
            data = data[:front].ljust(start, b"\0") + data[start:]
        return Anonymized(data, dict(self._names.made), tuple(removed), tuple(self._cut), self._chat)
