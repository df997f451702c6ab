"""``folkways tables culturalbench``: what a CulturalBench holds, and how far its people agree. No model is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli.out import format_option, out_option
from folkways.cli.table_files import check_target, write_tables

if TYPE_CHECKING:
    from folkways.benchmarks.tables import Table
    from folkways.releases.base import Release

TABLES = ("questions", "words", "people")


@click.command("culturalbench", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[TABLE]...")
@click.option("--release", default="culturalbench", show_default=True, metavar="NAME|DIR", help="The data; your own build, say.")
@click.option("--topics", type=click.Path(path_type=Path), metavar="FILE.csv", help="Topics; topics.csv in the release otherwise.")
@format_option
@out_option("Write there", "a CSV file per table, or tables.FORMAT")
def culturalbench_tables(names: tuple[str, ...], release: str, topics: Path | None, shape: str, out: Path | None) -> None:
    """Count what a CulturalBench holds (section 4), and score its people against one another.

    TABLE is questions (by region, country, mode, topic), words (per question and option) or people (the human line, of a
    release that was built from votes); all that can be made if none is named.
    """
    from folkways.benchmarks.tables import NotAvailableError
    from folkways.errors import UnknownNameError
    from folkways.releases.store import open_release

    for name in names:
        if name not in TABLES:
            raise UnknownNameError("table", name, TABLES)
    check_target(names, shape, out)
    opened = open_release(release, "culturalbench")
    tables = []
    for name in names or TABLES:
        try:
            tables.append(_make(name, opened, topics))
        except NotAvailableError as reason:
            if names:
                raise
            click.echo(f"left out: {name} ({reason})", err=True)
    write_tables(tables, shape, out)


def _make(name: str, release: Release, topics: Path | None) -> Table:
    from folkways.benchmarks.culturalbench import data as culturalbench
    from folkways.benchmarks.culturalbench.build.statistics import questions_table, words_table
    from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS
    from folkways.benchmarks.culturalbench.data.reading import TOPICS
    from folkways.benchmarks.culturalbench.easy import Easy
    from folkways.benchmarks.culturalbench.people_table import people_table
    from folkways.benchmarks.tables import NotAvailableError
    from folkways.errors import FolkwaysError
    from folkways.text_tables import read_table

    if name == "people":
        task = Easy()
        judged = task.people(task.items(release), release, task.profiles[0])
        if judged is None:
            raise NotAvailableError(
                f"people: {release.name} does not tell what single people chose; a folder that folkways build easy made does"
            )
        return people_table(judged)
    easy = culturalbench.easy(release)
    if name == "words":
        return words_table(easy)
    if topics is not None and not topics.is_file():
        raise FolkwaysError(
            f"there is no file of topics {topics}; make it: folkways build topics --release {release.name} --out FILE"
        )
    if topics is None and release.has(TOPICS):
        topics = release.path(TOPICS)
    return questions_table(easy, read_table(topics, {name: (name,) for name in TOPIC_COLUMNS}) if topics else None)
