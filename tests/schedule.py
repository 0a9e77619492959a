"""`LongFirst`: which tests the processes of pytest-xdist share out, and in which order."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

#: Files, and folders whose files share a recording that takes long to write: whole, to one process, and before the
#: others, so that none of them is left to one process at the end. By measured time, longest first.
LONG = (
    "tests/view/test_browser.py",
    "tests/deadlock/",
    "tests/corpus/test_lake.py",
    "tests/corpus/test_ray.py",
    "tests/view/test_browser_story.py",
    "tests/hostile/test_one_budget.py",
    "tests/typing/",
    "tests/teehistorian/physics/test_made_map.py",
    "tests/cs2/",
    "tests/corpus/test_killed.py",
    "tests/docs/test_cookbook.py",
    "tests/real/test_view_every.py",
    "tests/source2/test_stretches.py",
    "tests/conformance/",
    "tests/agents/test_mcp.py",
    "tests/show/test_jupyter.py",
    "tests/docs/test_examples.py",
    "tests/hostile/test_fuzz_smoke.py",
    "tests/docs/test_readme_types.py",
    "tests/docs/test_site.py",
    "tests/view/test_build.py",
    "tests/docs/test_readme_commands.py",
    "tests/docs/test_snippets.py",
    "tests/show/test_plot.py",
    "tests/dota2/test_real_size.py",
    "tests/teehistorian/test_server.py",
    "tests/test_deploy.py",
)


def unit_of(test: str) -> str:
    """Return the file of a test, or the folder that is one unit with it."""
    file = test.partition("::")[0]
    return next((name for name in LONG if file.startswith(name)), file)


class LongFirst(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a process whole units: those of `LONG`, then files by their number of tests."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        longest = next((name for name in LONG if name in self.workqueue), None)
        if longest is not None:
            self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)
