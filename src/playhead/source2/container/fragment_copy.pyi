from array import array

def copy_frames(
    data: bytes, most: int, frames: int, out: bytearray, first: int, offsets: array[int], inside: array[int]
) -> tuple[int, int]: ...
