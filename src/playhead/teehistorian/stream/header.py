"""The header of a teehistorian file: a UUID, JSON text, a zero byte.

All values are JSON strings, numbers too. Servers truncate long names at a byte, possibly inside a character, so
real headers can be invalid UTF-8. Mods add keys; all keys are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from playhead import errors
from playhead.limits import Limits
from playhead.runtime.records import dataclass, field
from playhead.teehistorian.stream.text import printable

#: First bytes of demos and ghosts of the client.
CLIENT_MAGICS = (b"TWDEMO\0", b"TWGHOST\0")
#: UUID (version 3) of ``teehistorian@ddnet.tw``; the first 16 bytes of every file.
MAGIC = UUID("699db17b-8efb-34ff-b1d8-da6f60c15dd1").bytes

#: `start_time` as version 1 and version 2 write it.
_DATE_FORMATS = ("%Y-%m-%d %H:%M:%S %z", "%Y-%m-%dT%H:%M:%S%z")


_TEXTS = (
    "comment version version_minor game_uuid prev_game_uuid server_version start_time server_name server_port "
    "game_type map_name map_size map_sha256 map_crc prng_description"
).split()
#: Types of the values of DDNet's keys, in words of JSON; numbers are texts, but may be numbers.
_TYPES: Mapping[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys(_TEXTS, ("a string", (str, int))),
    **dict.fromkeys(("config", "tuning"), ("an object", (dict,))),
    "uuids": ("an array", (list,)),
}


@dataclass(frozen=True, slots=True)
class Header:
    """The server's description of the recording.

    Attributes:
        raw: the JSON bytes, without the zero byte.
        fields: every key with its JSON value; invalid text has U+FFFD instead. Empty if the JSON is invalid.
        size: bytes before the first message, including magic and zero byte.
        problem: the error of invalid JSON, else None.
    """

    raw: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    problem: errors.ReplayError | None = None

    def odd_values(self) -> Iterator[errors.ReplayError]:
        """Yield an error for each key with a value of another type than DDNet writes."""
        for key, value in self.fields.items():
            word, types = _TYPES.get(key, ("", (object,)))
            if not isinstance(value, types) or (word == "a string" and isinstance(value, bool)):
                yield errors.CorruptReplay(
                    f"expected {word} for key {key}, found {type(value).__name__}", offset=16
                )

    @property
    def valid_utf8(self) -> bool:
        """Whether the JSON bytes are valid UTF-8; if not, some texts in `fields` have replacement characters."""
        try:
            self.raw.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def text(self, key: str) -> str | None:
        """Return the value of `key` if it is a string."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str) -> int | None:
        """Return the value of `key` if it is a 32-bit integer, with quotes (as DDNet writes them) or without."""
        value = self.fields.get(key)
        if isinstance(value, str) and len(value) <= 11:
            try:
                value = int(value)
            except ValueError:
                return None
        if not isinstance(value, int) or isinstance(value, bool) or not -(1 << 31) <= value < 1 << 31:
            return None
        return value

    @property
    def version(self) -> int:
        """1 (DDNet 11.0 to 11.0.2) or 2; 2 if the header has no version."""
        found = self.number("version")
        return 2 if found is None else found

    @property
    def version_minor(self) -> int | None:
        """Version of the server's physics and recording; absent before DDNet 15.6.

        Unreleased servers of 2021 called it ``minor_version``.
        """
        found = self.number("version_minor")
        return self.number("minor_version") if found is None else found

    @property
    def start_time(self) -> datetime | None:
        """Start of the recording, in UTC."""
        text = self.text("start_time")
        for date_format in _DATE_FORMATS if text else ():
            try:
                return datetime.strptime(text or "", date_format).astimezone(UTC)
            except (ValueError, OverflowError):
                continue
        return None

    @property
    def extension_names(self) -> tuple[str, ...]:
        """Names of the extension messages and objects of the server (key ``uuids``)."""
        names = self.fields.get("uuids")
        return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _clean(value: Any, depth: int) -> Any:
    """Return `value` with text that can be encoded again, at most `depth` levels deep."""
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise errors.LimitExceeded("the header JSON is nested deeper than the limit", offset=len(MAGIC))
    if isinstance(value, list):
        return [_clean(item, depth - 1) for item in value]
    return {printable(key): _clean(item, depth - 1) for key, item in value.items()}


def _parse(raw: bytes, limits: Limits) -> dict[str, Any]:
    if len(raw) > limits.header:
        text = f"the header's JSON has {len(raw)} bytes, more than the limit of {limits.header}"
        raise errors.LimitExceeded(text, offset=len(MAGIC))
    try:
        fields = json.loads(raw.decode("utf-8", "replace"))
    except ValueError as error:
        raise errors.CorruptReplay(f"expected JSON in the header: {error}", offset=len(MAGIC)) from error
    except RecursionError:
        raise errors.LimitExceeded("the header JSON is nested deeper than the limit", offset=len(MAGIC)) from None
    if not isinstance(fields, dict):
        raise errors.CorruptReplay(
            f"expected a JSON object in the header, found {type(fields).__name__}", offset=len(MAGIC)
        )
    cleaned: dict[str, Any] = _clean(fields, limits.depth)
    return cleaned


def _until_zero(data: memoryview, limits: Limits) -> bytes:
    step = 1 << 14
    for start in range(len(MAGIC), len(data), step):
        found = bytes(data[start : start + step]).find(0)
        if found >= 0:
            return bytes(data[len(MAGIC) : start + found])
        if start + step > limits.message:
            raise errors.LimitExceeded(
                f"the header is longer than the limit of {limits.message} bytes", offset=len(MAGIC)
            )
    raise errors.TruncatedReplay(
        "expected a zero byte at the end of the header, found the end of the file", offset=len(data)
    )


def read_header(data: memoryview, limits: Limits) -> Header:
    """Read the header at the start of `data`.

    If the JSON is invalid, longer than `limits.header` or nested deeper than `limits.depth`, the fields are empty
    and `problem` has the error; the messages can still be read.

    Raises:
        UnknownFormat: `data` does not start with the magic.
        TruncatedReplay: the zero byte after the JSON is missing.
        LimitExceeded: the JSON is longer than `limits.message`.
        UnsupportedVersion: the version is not 1 or 2.
    """
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise errors.UnknownFormat("expected the 16 bytes that begin a teehistorian file", offset=0)
    raw = _until_zero(data, limits)
    size = len(MAGIC) + len(raw) + 1
    try:
        fields = _parse(raw, limits)
    except (errors.CorruptReplay, errors.LimitExceeded) as error:
        return Header(raw, size=size, problem=error)
    header = Header(raw, fields, size)
    if "version" in fields and header.number("version") not in (1, 2):
        raise errors.UnsupportedVersion(
            f"expected teehistorian version 1 or 2, found {fields['version']!r}", offset=len(MAGIC)
        )
    return header


def encode_header(fields: Mapping[str, Any]) -> bytes:
    """Return the bytes of a header with these fields, in DDNet's layout: magic, compact JSON, zero byte."""
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return MAGIC + text.encode("utf-8") + b"\0"
