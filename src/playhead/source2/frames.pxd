from playhead.bits.byte_reader cimport ByteReader
