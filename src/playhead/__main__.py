"""``python -m playhead``: the command line."""

from playhead.cli import main

main()
