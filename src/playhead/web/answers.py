"""HTTP of both servers: replies, refusals, headers of every answer, numbers in queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playhead.ask import TooLarge
from playhead.ask.matches import NotThere
from playhead.errors import ReplayError
from playhead.text.json import to_json

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

#: Headers of every answer, beside those of one server.
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
JSON = "application/json"
#: Type of the content of each form of a table.
FORMS: Mapping[str, str] = {
    "json": JSON,
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}
#: Greatest number in a query.
MOST = 1 << 53
_WRONG = (KeyError, ValueError, NotImplementedError, ModuleNotFoundError)


class Refused(Exception):
    """A request is not answered.

    Attributes:
        status: of HTTP.
        after: seconds after which it may be asked again; None if that would not help.
    """

    def __init__(self, status: int, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.after = after


def status_of(error: Exception) -> int:
    """Return the status of HTTP for an error; 500 for a defect."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, NotThere | TooLarge):
        return 404 if isinstance(error, NotThere) else 413
    if isinstance(error, ReplayError | OSError):
        return 422
    return 400 if isinstance(error, _WRONG) else 500


def reply(body: Any, kind: str = JSON, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    """Return an answer: bytes of a kind, or a value as JSON."""
    from starlette.responses import Response

    data = body if isinstance(body, bytes) else to_json(body).encode()
    return Response(data, status, {"Content-Type": kind, **(more or {})})


def refusal(status: int, error: Exception | str) -> Response:
    """Return the answer to a request that fails."""
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    after = getattr(error, "after", None)
    more = {} if after is None else {"Retry-After": str(int(after) + 1)}
    if status == 401:
        more["WWW-Authenticate"] = "Bearer"
    return reply({"error": str(text)}, status=status, more=more)


def number(request: Request, name: str, default: int = 0, *, least: int = 0) -> int:
    """Return a whole number of the query.

    Raises:
        Refused: it is something else.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-") if least < 0 else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) <= MOST):
        raise Refused(400, f"expected a number for {name}, got {text[:40]!r}")
    return max(least, int(text))


def words(request: Request, name: str) -> list[str]:
    """Return the names that a query lists with commas."""
    return [word for word in request.query_params.get(name, "").split(",") if word]
