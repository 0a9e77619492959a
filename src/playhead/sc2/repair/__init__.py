"""Damaged files: members found by scanning, named by their contents; the build guessed from the events."""
