"""What a release rests on: one version, one list of Pythons, licences of what is bundled, and its own checks."""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import subprocess
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.samples import FILES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "playhead"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = {path.name: path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}

#: Data that is our own work.
OWN = {
    "hot_modules.txt",
    "py.typed",
    "sc2/abilities/ability_links.json",  # measured
    "sc2/abilities/unit_links.json",  # measured
    "sc2/members/map_names.json",
    "source2/messages/event_lists_cs2.zlib",  # read from recordings
    "view/static/index.html",
    "view/static/page.css",
    *(f"samples/stored/{name}.xz" for names in FILES.values() for name in names),
}


def load(tool: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / f"{tool}.py"))


def test_pythons_that_are_claimed_are_built_and_tested() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert claimed[0] == PROJECT["project"]["requires-python"].removeprefix(">=")
    built = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{version.replace('.', '')}-*" for version in claimed]
    jobs = WORKFLOWS["ci.yml"]
    assert f'python-version: "{claimed[0]}"' in jobs
    assert f"python: {json.dumps(claimed[1:])}" in jobs


def test_systems_that_get_wheels_run_the_tests() -> None:
    kinds = [
        {re.match(r"[a-z]+", runner)[0] for runner in re.findall(r"\b(?:ubuntu|macos|windows)-[\w.]+", text)}  # type: ignore[index]
        for text in (WORKFLOWS["release.yml"], WORKFLOWS["ci.yml"])
    ]
    assert kinds[0] == kinds[1] == {"ubuntu", "macos", "windows"}
    windows = PROJECT["tool"]["cibuildwheel"]["windows"]["config-settings"]["setup-args"]
    assert "--vsenv" in windows, "Meson would take MinGW"
    assert "setup-args=--vsenv" in WORKFLOWS["ci.yml"]


def test_every_action_is_pinned() -> None:
    used = [line for text in WORKFLOWS.values() for line in re.findall(r"uses: (.+)", text)]
    assert len(used) > 5
    assert all(re.match(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in used)


def test_workflows_are_whole() -> None:
    """They run elsewhere only: their YAML, their jobs' order, their shell and the files that they name."""
    yaml = pytest.importorskip("yaml", reason="reads the workflows")
    for name, text in WORKFLOWS.items():
        jobs = yaml.safe_load(text)["jobs"]
        for job in jobs.values():
            needed = job.get("needs", [])
            assert ({needed} if isinstance(needed, str) else {*needed}) <= jobs.keys()
            assert job["runs-on"]
            assert job["timeout-minutes"] <= 90
            for step in job["steps"]:
                assert ("uses" in step) != ("run" in step), step
        lines = "\n".join(step["run"] for job in jobs.values() for step in job["steps"] if "run" in step)
        shell = re.sub(r"\$\{\{.*?\}\}", "value", lines)
        subprocess.run(["bash", "-n"], input=shell, text=True, check=True)
        named = re.findall(r"(?<![\w/*-])(?:\.ci|\.github|tools|scripts|fuzz|deploy)/[\w./-]+", text)
        assert named, name
        assert [path for path in named if not (ROOT / path).exists()] == []
        assert all(os.access(ROOT / path, os.X_OK) for path in named if path.startswith((".ci/", "scripts/")))


def pins(path: str) -> dict[str, str]:
    """The versions of a list of pins, each of which has hashes."""
    text = (ROOT / path).read_text("utf-8")
    found = re.findall(r"^([\w.-]+)==(\S+)(.*(?:\n    --hash.*)*)", text, re.MULTILINE)
    assert found
    assert all("--hash=sha256:" in rest for *_, rest in found)
    return {name: version for name, version, _ in found}


def test_what_a_release_is_made_with_has_hashes() -> None:
    """The build's requirements, the tools, and what the bill of materials lists."""
    build = pins(".github/build.txt")
    asked = [re.sub(r"[<>=\[].*", "", each).lower() for each in PROJECT["build-system"]["requires"]]
    assert build.keys() >= {*asked}
    assert sorted((ROOT / ".github" / "build.in").read_text("utf-8").split()) == sorted(
        PROJECT["build-system"]["requires"]
    )
    tools = pins(".github/tools.txt")
    assert all(tools.get(name, version) == version for name, version in build.items()), "both in one environment"
    needs = {re.sub(r"[<>=\[;].*", "", each).replace(".", "-") for each in PROJECT["project"]["dependencies"]}
    for path in (".github/wheel.txt", "deploy/requirements.txt"):
        assert pins(path).keys() >= needs
    assert {"zizmor", "check-jsonschema"} <= pins(".github/lint.txt").keys()
    for text in WORKFLOWS.values():
        assert "pipx" not in text
        assert all(
            "--require-hashes" in line or "dist/" in line for line in re.findall(r"pip .*\binstall .*", text)
        )
    image = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    assert all("@sha256:" in line for line in re.findall(r"^FROM .*", image, re.MULTILINE))
    wheels = PROJECT["tool"]["cibuildwheel"]
    assert wheels["before-build"].endswith("--require-hashes -r {project}/.github/build.txt")
    assert wheels["before-test"].endswith("--require-hashes -r {project}/.github/wheel.txt")


def test_only_the_job_that_publishes_may_publish() -> None:
    assert all("\npermissions: {}\n" in text for text in WORKFLOWS.values())
    granted = [line.strip() for text in WORKFLOWS.values() for line in text.splitlines() if ": write" in line]
    assert sorted(granted) == ["contents: write", "id-token: write", "id-token: write", "pages: write"]


def test_all_that_is_bundled_has_its_origin_and_licence() -> None:
    bill = load("write_sbom")["bill"]()
    assert bill["metadata"]["component"]["version"] == playhead.__version__
    declared = {
        place["location"].removeprefix("playhead/")
        for part in bill["components"]
        for place in part["evidence"]["occurrences"]
    }
    code = {".py", ".pyi", ".pxd", ".pyc", ".so", ".pyd"}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in code}
    names = {path.relative_to(PACKAGE).as_posix() for path in files}
    assert names - OWN - {name for name in names if name.endswith("LICENSES.txt")} == {
        name
        for name in declared
        if not name.endswith("LICENSES.txt")  # a credit: nothing of it is bundled
    }
    for part in bill["components"]:
        for place in part["evidence"]["occurrences"]:
            above = (PACKAGE / place["location"].removeprefix("playhead/")).parents
            texts = [folder / "LICENSES.txt" for folder in above if (folder / "LICENSES.txt").is_file()]
            assert texts, part["purl"]
            name = rf"\b{re.escape(part['name'])}\b"
            assert re.search(name, texts[0].read_text("utf-8"), re.IGNORECASE), part["purl"]
    expression = set(PROJECT["project"]["license"].split(" AND "))
    assert expression == {part["licenses"][0]["license"]["id"] for part in bill["components"]}
    for path, pattern in (("meson.build", r"license: '([^']+)'"), ("deploy/conda/recipe.yaml", r"license: (.+)")):
        found = re.search(pattern, (ROOT / path).read_text("utf-8"))
        assert found is not None
        assert found[1] == PROJECT["project"]["license"], path


def test_packages_of_the_page_are_those_that_are_locked() -> None:
    locked = json.loads((ROOT / "viewer" / "package-lock.json").read_text("utf-8"))["packages"]
    write_sbom = load("write_sbom")
    data = {purl for purl, *_ in write_sbom["DATA"]}
    parts = [part for part in write_sbom["components"]() if part["purl"].startswith("pkg:npm/")]
    bundled = [part for part in parts if part["purl"].partition("@")[0] not in data]
    assert bundled
    for part in bundled:
        if part["name"] != "lucide":  # its icons are in viewer/src
            assert locked[f"node_modules/{part['name']}"]["version"] == part["version"]


@pytest.mark.parametrize(
    ("tag", "changes", "found"),
    [
        ("v1.0.0", "## 1.0.0 (2026-12-01)", []),
        ("v1.0.1", "## 1.0.0 (2026-12-01)", ["the tag is v1.0.1 and the version 1.0.0"]),
        ("1.0.0", "## 1.0.0 (2026-12-01)", ["the tag is 1.0.0 and the version 1.0.0"]),
        (
            "v1.0.0",
            "## 1.0.0 (unreleased)",
            ["CHANGELOG.md has no heading '## 1.0.0 (YYYY-MM-DD)': put the day for '(unreleased)'"],
        ),
    ],
)
def test_what_stands_against_a_release(tag: str, changes: str, found: list[str]) -> None:
    assert load("check_release")["problems"](tag, "1.0.0", f"# Changes\n\n{changes}\n") == found


def test_these_files_lack_only_the_day() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").replace("(unreleased)", "(2026-12-01)", 1)
    tag = f"v{playhead.__version__}"
    assert load("check_release")["problems"](tag, playhead.__version__, changes) == []


def test_an_sdist_with_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No link of the README is relative, pictures are pictures, the rest is as it was."""
    readme = (ROOT / "README.md").read_text("utf-8")
    texts = {
        "PKG-INFO": f"Metadata-Version: 2.4\nName: playhead\n\n{readme}",
        "README.md": readme,
        "pyproject.toml": (ROOT / "pyproject.toml").read_text("utf-8"),
        "docs/page.md": "[as it was](README.md)",
    }
    for folder in ("once", "again"):
        (tmp_path / folder).mkdir()
        with tarfile.open(tmp_path / folder / "playhead-1.2.3.tar.gz", "w:gz") as archive:
            for name, text in texts.items():
                member = tarfile.TarInfo(f"playhead-1.2.3/{name}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
    once, again = (tmp_path / folder / "playhead-1.2.3.tar.gz" for folder in ("once", "again"))
    main = load("address_sdist")["main"]
    monkeypatch.delenv("PLAYHEAD_REPOSITORY", raising=False)
    assert main([str(once)]) == 1
    monkeypatch.setenv("PLAYHEAD_REPOSITORY", "https://github.com/Owner/name")
    assert main([str(once), str(again)]) == 0
    assert once.read_bytes() == again.read_bytes()

    sdist = {name: data.decode() for name, data in load("check_distribution")["read_sdist"](once).items()}
    assert sdist["docs/page.md"] == texts["docs/page.md"]
    link = r"\]\(([^)]+)\)"
    before, after = re.findall(link, readme), re.findall(link, sdist["README.md"])
    files = "https://github.com/Owner/name/{}/v1.2.3/"
    assert len(before) == len(after) > 20
    assert all(
        new == old or new.startswith("https://github.com/Owner/name/")
        for old, new in zip(before, after, strict=True)
    )
    assert all(new.startswith("https://") for new in after)
    assert files.format("raw") + "docs/images/viewer-cs2.png" in after
    assert files.format("blob") + "README.md#supported" in after
    assert re.sub(link, "", sdist["README.md"]) == re.sub(link, "", readme)
    head, _, body = sdist["PKG-INFO"].partition("\n\n")
    assert body == sdist["README.md"]
    urls = tomllib.loads(sdist["pyproject.toml"])["project"]["urls"]
    assert urls["Documentation"] == "https://owner.github.io/name/"
    assert urls.keys() == {"Repository", "Documentation", "Changelog", "Issues"}
    assert [f"Project-URL: {name}, {url}" for name, url in urls.items()] == head.splitlines()[2:]


def test_what_a_wheel_lacks_or_has_too_much() -> None:
    check = load("check_distribution")["wheel_problems"]
    sdist = {
        "src/playhead/hot_modules.txt": b"bits/reader seldom\n",
        "src/playhead/version.py": b'__version__ = "1.0.0"\n',
        "src/playhead/bits/reader.py": b"",
        "src/playhead/view/LICENSES.txt": b"MIT",
        "README.md": b"",
    }
    info = "playhead-1.0.0.dist-info"
    whole = {name.removeprefix("src/"): content for name, content in sdist.items() if name.startswith("src/")}
    whole |= {f"{info}/{name}": b"" for name in ("WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    whole |= {f"{info}/METADATA": b"Version: 1.0.0\n", f"{info}/licenses/src/playhead/view/LICENSES.txt": b"MIT"}
    whole |= {f"{info}/sboms/playhead.cdx.json": b"{}", "playhead/build_info.json": b"{}"}
    names = ("bits/reader", "runtime/cython_shared")
    extension = {f"playhead/{name}.cp311-win_amd64.pyd": b"" for name in names}
    assert check(whole | extension, sdist, compiled=True) == []
    assert check(whole, sdist, compiled=False) == []
    assert check(whole, sdist, compiled=True) == [f"has 0 extensions of {name}" for name in names[::-1]]
    assert check(whole | extension, sdist, compiled=False) == [
        f"has 1 extensions of {name}" for name in names[::-1]
    ]
    for name in whole:
        assert check({other: whole[other] for other in whole if other != name}, sdist, compiled=False), name
    assert check(whole | {"playhead/bits/reader.c": b""}, sdist, compiled=False) == ["has playhead/bits/reader.c"]
    assert check(whole | {"playhead/bits/reader.py": b"!"}, sdist, compiled=False) == [
        "has another playhead/bits/reader.py than the sdist"
    ]
    assert check(whole | {f"{info}/METADATA": b"Version: 2\n"}, sdist, compiled=False) == ["is of version 2"]


def test_what_an_sdist_lacks_or_has_too_much() -> None:
    check = load("check_distribution")["sdist_problems"]
    assert check({"PKG-INFO": b"", "a.py": b""}, {"a.py"}) == []
    assert check({"a.py": b"", "b.c": b""}, {"a.py", "c.py"}) == ["the sdist lacks c.py", "the sdist has b.c"]
