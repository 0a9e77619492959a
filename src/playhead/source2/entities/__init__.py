"""Entities: field paths, values, classes, and everything that a packet does to them."""
