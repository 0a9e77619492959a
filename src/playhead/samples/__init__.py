"""Synthetic recordings of every format, made up and written with playhead's own writers."""
