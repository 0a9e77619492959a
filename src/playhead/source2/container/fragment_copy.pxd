from cpython.bytearray cimport PyByteArray_Resize

from playhead.bits.byte_reader cimport ByteReader


# Commands of frames, the bit of compressed ones and the highest number with it; the key of the inner messages of a
# CDemoPacket.
cdef enum:
    STOP = 0
    PACKET = 7
    SIGNON_PACKET = 8
    COMPRESSED = 64
    HIGHEST_COMMAND = 127
    INNER_MESSAGES = 26
