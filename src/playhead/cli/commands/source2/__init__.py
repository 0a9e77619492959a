"""Layers below the tables: messages, classes, voices."""
