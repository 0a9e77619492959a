"""Runs a command within the process of the tests: as a shell would see it, without the start of another Python."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from typing import TextIO
from unittest.mock import patch

from playhead import cli


def run(
    *arguments: object,
    cwd: Path | None = None,
    input: str | bytes = b"",
    env: Mapping[str, str] | None = None,
    stdout: TextIO | None = None,
) -> CompletedProcess[str]:
    """Run ``playhead`` with these arguments; its output goes through files, as with a shell's redirections: to
    `stdout`, or to one that is read afterwards."""
    words = [str(argument) for argument in arguments]
    with (
        TemporaryFile("w+b") as stdin,
        TemporaryFile("w+", encoding="utf-8", errors="surrogateescape", newline="") as kept,
        TemporaryFile("w+", encoding="utf-8", errors="backslashreplace", newline="") as stderr,
        chdir(cwd or "."),
        patch.dict(os.environ, env or os.environ, clear=True),
    ):
        stdin.write(input.encode() if isinstance(input, str) else input)
        stdin.seek(0)
        raw = io.FileIO(stdin.fileno(), closefd=False)
        raw.name = "<stdin>"  # type: ignore[misc]
        with (
            io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8") as readable,
            patch.multiple(sys, stdin=readable, stdout=stdout or kept, stderr=stderr),
        ):
            status = cli.run(words)
            sys.stdout.flush()
        kept.seek(0)
        stderr.seek(0)
        return CompletedProcess(words, status, kept.read(), stderr.read())
