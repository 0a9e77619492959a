"""Synthetic recordings of every format, written with playhead's own writers."""
