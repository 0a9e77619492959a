"""The container of a demo: its head, frames, Snappy, files that are still being written."""
