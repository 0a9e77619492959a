"""Build step: record the compiled modules and the hashes of their sources.

Usage: write_build_info.py OUTPUT PACKAGE_DIR SOURCE...
"""

import hashlib
import json
import sys
from pathlib import Path


def main() -> None:
    output, package, *sources = sys.argv[1:]
    compiled = {}
    for source in sorted(Path(s) for s in sources):
        parts = source.with_suffix("").parts
        anchor = len(parts) - parts[::-1].index(Path(package).name) - 1
        compiled[".".join(parts[anchor:])] = hashlib.sha256(source.read_bytes()).hexdigest()
    Path(output).write_text(json.dumps({"compiled": compiled}, indent=1) + "\n", encoding="utf-8")


main()
