"""Blizzard's type tables, which define the encoding of each build, with patches for their known errors.

`pool` stores types, `patches` is a change of a table with its reason, `tables` the table of one build, `program`
compiles it for the event decoder, and `protocols` has all tables of one game.
"""
