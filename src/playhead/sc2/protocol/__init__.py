"""Blizzard's type tables, which define the encoding of each build, with patches for their known errors.

`pool` stores types, `patches` lists changes with their reasons, `tables` chooses the table of a build, and
`program` compiles it for the event decoder.
"""
