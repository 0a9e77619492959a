"""The commands: one file each, with a function of its name."""
