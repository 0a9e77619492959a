"""Checked readers and writers of bits and bytes: the only way that input is touched anywhere in playhead.

* `BitReader`, `BitWriter`: least significant bit first, as the Source 2 engine packs its messages.
* `ByteReader`, `ByteWriter`: byte-aligned integers, strings and the variable-length integers of all formats.
"""

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.bits.writers import BitWriter, ByteWriter

__all__ = ["BitReader", "BitWriter", "ByteReader", "ByteWriter"]
