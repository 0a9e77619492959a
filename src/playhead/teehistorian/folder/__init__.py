"""Searches in the recordings of a folder, by facts of each."""
