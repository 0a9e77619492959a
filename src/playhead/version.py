"""The version number, as `meson.build` has it (a test holds the two equal)."""

__version__ = "0.1.0"
