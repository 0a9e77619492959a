"""Huffman-coded paths of changed fields."""

from __future__ import annotations

from playhead.bits import BitReader
from playhead.source2.entities.field_path import FieldPathReader


def fuzz(data: bytes) -> None:
    FieldPathReader().read_paths(BitReader(data))
