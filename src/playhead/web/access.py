"""Tokens, rates, and the URLs and origins that a service allows."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playhead.runtime.records import dataclass
from playhead.web.answers import Refused

#: Letters of the shortest token.
SHORTEST = 20
_MINUTE = 60.0
#: Words after the token in a line of a file of tokens.
_READ = "read"


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of a token.

    Attributes:
        name: for logs and rates.
        may_write: whether uploads are taken.
    """

    name: str
    may_write: bool = True


class Tokens:
    """The bearer tokens of a service; only their hashes are kept."""

    def __init__(self, people: Mapping[str, Caller]) -> None:
        """`people` by their tokens.

        Raises:
            ValueError: a token is too short.
        """
        for token, person in people.items():
            if len(token) < SHORTEST:
                raise ValueError(f"the token of {person.name} has {len(token)} letters, fewer than {SHORTEST}")
        self._people = {_digest(token): person for token, person in people.items()}

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """Read a file of tokens: ``NAME TOKEN`` a line, followed by ``read`` if the owner may not upload.

        Raises:
            OSError: it cannot be read.
            ValueError: a line has another form, a token is too short or occurs twice, or the file has no token.
        """
        people: dict[str, Caller] = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) not in (2, 3) or words[2:] not in ([], [_READ]) or words[1] in people:
                raise ValueError(f"{path}:{number}: expected NAME TOKEN, or NAME TOKEN {_READ}, each token once")
            people[words[1]] = Caller(words[0], may_write=len(words) == 2)
        if not people:
            raise ValueError(f"{path}: has no token")
        return cls(people)

    @classmethod
    def of_one(cls) -> tuple[Tokens, str]:
        """Return the tokens of one person, and the new token."""
        token = secrets.token_urlsafe(24)
        return cls({token: Caller("anyone")}), token

    def who(self, header: str) -> Caller:
        """Return the sender of a header ``Authorization``.

        Raises:
            Refused: the token is unknown.
        """
        kind, _, token = header.strip().partition(" ")
        found = self._people.get(_digest(token.strip())) if kind.lower() == "bearer" else None
        if found is None:
            raise Refused(401, "send a token that is known here: Authorization: Bearer TOKEN")
        return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


class Rate:
    """Lets each person ask so many times in a minute, and as many at once after a minute of rest."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> None:
        """Count a request.

        Raises:
            Refused: it is one too many.
        """
        now = self._clock()
        left, since = self._left.get(name, (float(self._most), now))
        left = min(float(self._most), left + (now - since) * self._most / _MINUTE)
        if left < 1:
            self._left[name] = left, now
            text = f"{self._most} such requests a minute are answered"
            raise Refused(429, text, after=(1 - left) * _MINUTE / self._most)
        self._left[name] = left - 1, now


class AtOnce:
    """Lets each person have so many requests answered at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[str] = Counter()

    @contextmanager
    def one(self, name: str) -> Iterator[None]:
        """Count a request while it is answered.

        Raises:
            Refused: it is one too many.
        """
        if self._held[name] >= self._most:
            raise Refused(429, f"{self._most} requests are answered at once", after=1.0)
        self._held[name] += 1
        try:
            yield
        finally:
            self._held[name] -= 1


@dataclass(frozen=True, slots=True)
class Allowed:
    """The URLs that a service fetches replays from.

    Attributes:
        places: beginnings of URLs, with scheme, host and a path that ends in a slash.
    """

    places: tuple[str, ...] = ()

    def check(self, url: str) -> None:
        """Refuse a URL outside of `places`.

        Raises:
            Refused: it begins with none of them. A server may only redirect to its own host and port (`io.web`).
        """
        if not any(_is_below(url, place) for place in self.places):
            known = ", ".join(self.places) or "none: start it with --allow"
            raise Refused(403, f"this service fetches no such URL; it fetches {known}")


def _is_below(url: str, place: str) -> bool:
    # A URL is compared as text: what parsers read in different ways (backslashes, dots, an @) is refused.
    if not url.startswith(place) or not url.isascii() or not url.isprintable():
        return False
    rest = url[len(place) :]
    return not any(each in rest for each in ("\\", "@", " ", "..", "#")) and "%2e" not in rest.lower()


def allowed(places: tuple[str, ...] | list[str]) -> Allowed:
    """Return an allow-list of beginnings of URLs.

    Raises:
        ValueError: an entry does not begin an ``http`` or ``https`` URL with a host.
    """
    found = []
    for place in places:
        scheme, mark, rest = place.partition("://")
        host = rest.partition("/")[0]
        if scheme not in ("http", "https") or not mark or not host or "@" in host:
            raise ValueError(
                f"expected the beginning of a URL such as https://replays.example.org/, got {place!r}"
            )
        found.append(place if place.endswith("/") else f"{place}/")
    return Allowed(tuple(found))


def allowed_origins(origins: list[str]) -> tuple[str, ...]:
    """Return an allow-list of origins of web pages, as browsers send them.

    Raises:
        ValueError: an entry is not a scheme and host, with or without a port.
    """
    for each in origins:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", each):
            raise ValueError(f"expected an origin such as https://site.example, got {each!r}")
    return tuple(origins)
