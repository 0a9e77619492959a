"""An upload as the file of a form (``multipart/form-data``), taken apart as it arrives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from playhead.runtime.extras import import_extra
from playhead.web.answers import Refused

if TYPE_CHECKING:
    from starlette.requests import Request

#: Bytes of a form before its file.
_MOST_BEFORE = 16 << 10
logging.getLogger("python_multipart.multipart").setLevel(logging.ERROR)  # anybody can make it warn


async def file_of(request: Request, silence: float) -> tuple[str, AsyncIterator[bytes]]:
    """Return the name of the file of a form, and its bytes as they arrive.

    Args:
        silence: seconds in which the file has to begin.

    Raises:
        Refused: the form has no file, or more than one, or ends within it; also while the bytes are read.
    """
    library = import_extra("python_multipart.multipart", "view", "an upload as a form")
    _, options = library.parse_options_header(request.headers["content-type"])
    name: str | None = None
    ended = is_file = False
    field, value = bytearray(), bytearray()
    pieces: list[bytes] = []

    def header_ends() -> None:
        nonlocal name, is_file
        if field.lower() == b"content-disposition":
            _, found = library.parse_options_header(bytes(value))
            is_file = b"filename" in found
            if is_file and name is not None:
                raise Refused(400, "the form has more than one file: send them one by one")
            if is_file:
                name = found[b"filename"].decode(errors="replace")
        field.clear()
        value.clear()

    def part_ends() -> None:
        nonlocal ended, is_file
        ended, is_file = ended or is_file, False

    calls = {
        "on_header_field": lambda data, start, end: field.extend(data[start:end]),
        "on_header_value": lambda data, start, end: value.extend(data[start:end]),
        "on_header_end": header_ends,
        "on_part_data": lambda data, start, end: pieces.append(data[start:end]) if is_file else None,
        "on_part_end": part_ends,
    }
    stream = request.stream()

    def write(part: bytes) -> None:
        try:
            parser.write(part)
        except library.MultipartParseError as error:
            raise Refused(400, f"the form cannot be read: {error}") from None

    try:
        parser = library.MultipartParser(options[b"boundary"], calls)
        async with asyncio.timeout(silence):
            before = 0
            async for part in stream:
                write(part)
                before += len(part)
                if name is not None or before > _MOST_BEFORE:
                    break
    except TimeoutError:
        raise Refused(408, "the upload took too long") from None
    except KeyError:
        raise Refused(400, "the form cannot be read: its header has no boundary") from None
    if name is None:
        text = f"the form has no file in its first {_MOST_BEFORE >> 10} KiB"
        raise Refused(400, f'{text}: send it as one, such as -F "file=@match.dem"')

    async def parts() -> AsyncIterator[bytes]:
        yield b"".join(pieces)
        async for part in stream:
            pieces.clear()
            write(part)
            yield b"".join(pieces)
        if not ended:
            raise Refused(400, "the form ends within its file")

    return name, parts()
