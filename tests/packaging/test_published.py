"""What surrounds a release: workflows, image and pages name one project and one set of versions, and nothing
that can change."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from folkways.cli.main import cli

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: (\./\S+|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_use_commits_and_may_only_read_unless_a_job_says_more(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "uses:" in line and not PINNED.search(line)] == []
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert "secrets." not in text


@pytest.mark.parametrize("name", ["tests", "release"])
def test_every_version_of_python_is_tried(name: str) -> None:
    (workflow,) = [path for path in WORKFLOWS if path.stem == name]
    tried = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]["installed"]["strategy"]["matrix"][
        "python"
    ]
    promised = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tried == promised


def test_one_address_of_the_project_is_used_everywhere() -> None:
    home = PROJECT["urls"]["Homepage"]
    pages = [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob(".github/**/*.yml"),
        REPOSITORY / "CITATION.cff",
        REPOSITORY / "pyproject.toml",
    ]
    named = {
        address
        for page in pages
        for address in re.findall(r"https://github\.com/[\w-]+/folkways\b", page.read_text(encoding="utf-8"))
    }
    assert named == {home}
    repository = home.removeprefix("https://github.com/")
    assert f"--repo {repository}" in (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    assert f"repository-code: {home}" in (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")


def test_issue_templates_ask_for_something() -> None:
    templates = [
        path for path in (REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
    ]
    for path in templates:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))["body"]
        assert any(field.get("validations", {}).get("required") for field in fields), path.name
    assert len(templates) >= 3


def test_the_containers_run_the_studio_as_nobody_special() -> None:
    image = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
    assert (
        re.search(r"^USER [1-9]\d*$", image.rpartition("\nFROM")[2], flags=re.MULTILINE)
        and "HEALTHCHECK" in image
    )
    services = yaml.safe_load((REPOSITORY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert all(
        address.startswith("127.0.0.1:")
        for service in services.values()
        for address in service.get("ports", ())
    )
    program, command, *options = services["studio"]["command"]
    assert (program, command) == ("folkways", "studio")
    studio = cli.get_command(click.Context(cli), command)
    assert studio is not None
    studio.make_context(command, options)  # an option that does not exist is an error


def test_what_the_image_copies_reaches_the_builder_and_is_here() -> None:
    image = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", image, flags=re.MULTILINE)
        for name in line.split()
    ]
    let_in = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert all((REPOSITORY / name).exists() and f"!{name}" in let_in for name in copied), copied
    tracked = subprocess.run(
        ["git", "check-ignore", *copied], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout
    assert tracked == ""
