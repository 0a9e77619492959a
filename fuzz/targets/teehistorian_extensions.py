"""Extensions: the first byte selects the extension, the rest is the payload."""

from __future__ import annotations

from playhead.teehistorian.stream.extensions import (
    EXTENSIONS,
    decode_extension,
    encode_extension,
    extension_client,
)
from playhead.teehistorian.stream.messages import Extra

UUIDS = sorted(EXTENSIONS, key=str)


def fuzz(data: bytes) -> None:
    if not data:
        return
    extra = Extra(UUIDS[data[0] % len(UUIDS)], data[1:])
    extension_client(extra)
    found = decode_extension(extra)
    assert found is not None
    assert decode_extension(encode_extension(found)) == found
