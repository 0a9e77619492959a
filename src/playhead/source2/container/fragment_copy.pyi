from array import array

from playhead.bits.byte_reader import ByteReader

def read_frame(reader: ByteReader, most: int) -> tuple[int, int, bytes]: ...
def copy_frames(
    data: bytes,
    most: int,
    frames: int,
    room: int,
    out: bytearray,
    first: int,
    offsets: array[int],
    inside: array[int],
) -> tuple[int, int]: ...
