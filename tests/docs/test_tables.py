"""What the pages list is what the program has: tasks, extras, providers, releases, and the signature that is
shown."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import folkways
from folkways.benchmarks.registry import benchmarks, expand_tasks, tasks
from folkways.cultures import cultures_of
from folkways.endpoints.servers.providers import providers
from folkways.releases.registry import known_releases
from folkways.workspace import schema
from tests.support.doc_pages import REPOSITORY

README = REPOSITORY / "README.md"
DOCS = REPOSITORY / "docs"


def section(page: Path, heading: str) -> str:
    """The text of a page from a heading of the second level to the next."""
    return page.read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without heads and rules."""
    return [
        [cell.strip("| ") for cell in line.split(" | ")]
        for line in text.splitlines()
        if line.startswith("| `")
    ]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_readme_lists_every_task_with_its_cultures_and_languages() -> None:
    listed = {names(row[0])[0]: row for row in rows(section(README, "Tasks"))}
    assert {task for name in listed for task in (task.name for task in expand_tasks([name]))} == set(tasks())
    spoken = {language for culture in cultures_of("blend") for language in culture.languages}
    assert listed["blend/saq"][2:] == [str(len(cultures_of("blend"))), str(len(spoken))]
    assert (
        listed["culturalbench/easy"][2]
        == listed["culturalbench/hard"][2]
        == str(len(cultures_of("culturalbench")))
    )
    assert listed["xcr/adaptation"][2] == str(len(cultures_of("xcr")))
    release = folkways.open_release("demo")
    found = [task.items(release) for task in expand_tasks(["demo"])]
    cultures = {culture for items in found for culture in items["culture"]}
    assert listed["demo"][1].startswith(f"{sum(items.height for items in found)} items")
    assert listed["demo"][2:] == [str(len(cultures)), str(len(release.record.languages))]


def test_install_page_lists_the_extras() -> None:
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {names(row[0])[0] for row in rows(section(DOCS / "install.md", "Extras"))} == set(declared)


def test_contributing_lists_the_layers_in_their_order() -> None:
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    layers = [layer.replace("folkways.", "").split(" | ") for layer in contracts[0]["layers"]]
    assert [names(row[0]) for row in rows(section(REPOSITORY / "CONTRIBUTING.md", "The layers"))] == layers


def test_architecture_counts_the_tables_of_a_workspace() -> None:
    assert f"| database | {len(schema.metadata.tables)} tables |" in (DOCS / "architecture.md").read_text(
        encoding="utf-8"
    )


def test_every_provider_is_named() -> None:
    text = section(DOCS / "reference" / "endpoints.md", "Names")
    written = {name.split("/", 1)[0] for name in names(text) if "/" in name}
    assert set(providers()) <= written
    assert written - set(providers()) <= {"hf", "gguf", "baseline", "http:", "https:"}


def test_data_page_lists_every_release_with_its_licence_and_whether_its_items_are_passed_on() -> None:
    page = (DOCS / "reference" / "data.md").read_text(encoding="utf-8").split("\n## ", 1)[0]
    listed = {names(row[0])[0]: row[-2:] for row in rows(page)}
    for record in known_releases():
        shown = next((listed[name] for name in (record.name, *record.aliases) if name in listed), None)
        assert shown is not None, f"{record.name} is not on the page"
        assert shown[0].replace(" ", "-") == record.licence.replace(" ", "-")
        assert shown[1] == ("yes" if record.items_may_leave else "no"), record.name


def test_page_of_published_figures_names_every_table_that_has_some() -> None:
    page = (DOCS / "reference" / "published.md").read_text(encoding="utf-8")
    for name, benchmark in benchmarks().items():
        if benchmark.published is None:
            continue
        figures = benchmark.published.figures()
        tables = {int(number) for number in figures["place"].str.extract(r"^Table (\d+)$", 1).drop_nulls()}
        places = "".join(re.findall(rf"^\| {name} \| (Tables [^|]*)", page, re.MULTILINE))
        ranges = re.findall(r"(\d+)(?: to (\d+))?", places)
        named = {table for first, last in ranges for table in range(int(first), int(last or first) + 1)}
        assert named == tables, name


def test_python_page_names_everything_that_is_public() -> None:
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8").split("\n## ", 1)[0]
    assert {re.match(r"\w+", name)[0] for row in rows(page) for name in names(row[0])} == set(
        folkways.__all__
    )  # type: ignore[index]


def test_the_signature_that_is_shown_is_given(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^task:\S+$", (DOCS / "guides" / "trust.md").read_text(encoding="utf-8"), re.M)
    run = folkways.run(["demo/mcq"], models=["baseline/first"], workspace=tmp_path / "folkways.db")
    given = set(run.scores()["signature"])
    run.workspace.close()
    assert {re.sub(r"folkways:\S+$", "", signature) for signature in given} == {
        re.sub(r"folkways:\S+$", "", shown)
    }
