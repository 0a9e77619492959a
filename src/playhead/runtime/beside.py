"""Files of data beside the modules that read them, without `pathlib`, whose import takes 2 ms of a first file."""

from __future__ import annotations

import os


def path_beside(module: str, name: str) -> str:
    """Return the path of a file in the folder of a module, given the module's ``__file__``."""
    return os.path.join(os.path.dirname(module), name)


def read_beside(module: str, name: str) -> bytes:
    """Return the content of a file in the folder of a module, given the module's ``__file__``."""
    with open(path_beside(module, name), "rb") as file:
        return file.read()
