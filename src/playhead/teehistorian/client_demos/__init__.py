"""Demos and ghosts of DDNet's client: what somebody saw, as tables.

`tables` declares them, `replay` is the replay class, `motion` shows the tees in the viewer.
`playhead.teehistorian.physics.demo` reads and writes the files.
"""
