"""``folkways published``: published figures, and the scores of a run among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import format_option, out_option

if TYPE_CHECKING:
    import polars as pl

    from folkways.benchmarks.tables import Table

FACTS = "Facts of the paper; nothing here is computed, and no interval was published."


@click.command("published")
@click.option("--paper", metavar="NAME", help="Figures about one benchmark.")
@click.option("--task", metavar="NAME", shell_complete=completion.tasks, help="A task or a benchmark.")
@click.option("--metric", metavar="NAME", help="A metric, as in scores: sem_b.")
@click.option("--model", metavar="TEXT", help="Models whose published name contains this.")
@click.option(
    "--culture", metavar="CODE", shell_complete=completion.cultures, help="A culture, by code or name."
)
@click.option("--place", metavar="TEXT", help="'Table 10', 'leaderboard'.")
@click.option(
    "--run",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Show the scores of a run among the published ones.",
)
@workspace_option
@format_option
@out_option("Write there", "published.csv or tables.FORMAT")
def command(run: str | None, workspace: str, shape: str, out: Path | None, **wanted: str | None) -> None:
    """Show the figures that the papers and CulturalBench's leaderboard published, also those of the data.

    With --run, show only figures that are comparable with the scores of that run: with the same task, metric,
    language, data and profile.

    \b
    folkways published --task blend/saq --culture ET
    folkways published --model gpt-4o --format csv
    folkways published --paper blend --place 'Table 13'
    folkways published --run last
    """
    from folkways.benchmarks.registry import published_figures
    from folkways.cli.table_files import check_target, write_tables
    from folkways.errors import FolkwaysError

    check_target(("published",), shape, out)
    if run is not None:
        points, warnings = _beside(run, workspace)
        for warning in warnings:
            click.echo(warning, err=True)
        write_tables([side_by_side(_chosen(points, **wanted), shape)], shape, out)
        return
    figures = _chosen(published_figures(of_data=True), **wanted)
    if figures.is_empty():
        raise FolkwaysError("no published figure matches these options; list all of them: folkways published")
    write_tables(_tables(figures, shape), shape, out)


def _chosen(
    figures: pl.DataFrame, *, task: str | None, model: str | None, culture: str | None, **exactly: str | None
) -> pl.DataFrame:
    """The figures that match every option. exactly: column -> its value, compared without case."""
    import polars as pl

    from folkways.benchmarks.registry import expand_tasks, published_figures
    from folkways.cultures import select_cultures
    from folkways.errors import UnknownNameError

    for column, value in exactly.items():
        if value is not None:
            values = set(published_figures(of_data=True)[column])
            if value.lower() not in map(str.lower, values):
                raise UnknownNameError(f"{column} of published figures", value, values)
            figures = figures.filter(pl.col(column).str.to_lowercase() == value.lower())
    if task is not None:
        figures = figures.filter(pl.col("task").is_in([member.name for member in expand_tasks([task])]))
    if model is not None:
        figures = figures.filter(pl.col("model").str.to_lowercase().str.contains(model.lower(), literal=True))
    if culture is not None:
        by_culture = figures.filter(pl.col("facet") == "culture")
        known_codes = by_culture["value"].unique(maintain_order=True).to_list()
        figures = by_culture.filter(pl.col("value").is_in(select_cultures([culture], known_codes)))
    return figures


def _beside(run: str, workspace: str) -> tuple[pl.DataFrame, list[str]]:
    import polars as pl

    from folkways.api import load_run
    from folkways.reports.views.reference import reference_points, warnings_of
    from folkways.runs.scores.scoring import stored_scores
    from folkways.workspace import results

    loaded = load_run(run, workspace)
    points = reference_points(
        stored_scores(loaded.workspace, loaded.record),
        results.load_signatures(loaded.workspace, loaded.record),
    )
    return points.filter(pl.col("comparable")).drop("barred"), warnings_of(points)


def _tables(figures: pl.DataFrame, shape: str) -> list[Table]:
    """For CSV and JSON one table with everything; otherwise one for each published table, models by
    groups."""
    import polars as pl

    from folkways.benchmarks.registry import benchmarks
    from folkways.benchmarks.tables import Layout, Table

    if shape in ("csv", "json"):
        return [Table("published", "Published figures", FACTS, figures)]
    tables = []
    of_data = pl.col("task").is_null()
    measured = pl.when(of_data).then(pl.lit("of the data")).otherwise(pl.format("{}, {}", "task", "metric"))
    figures = figures.with_columns(measured=measured)
    for part in figures.partition_by("paper", "place", "measured", "kind"):
        first = part.row(0, named=True)
        wide = part["value"].n_unique() > part["model"].n_unique()
        about = first["model"] if first["kind"] == "data" else first["kind"]
        of = f" ({about})" if about not in (None, "model") else ""
        down, across = ("value", "model") if wide else ("model", "value")
        if first["task"] is None:
            down, across = "value", "metric"
        layout = Layout(down, across, "score", decimals=0 if first["unit"] == "count" else 2)
        tables.append(
            Table(
                "published",
                f"{benchmarks()[first['paper']].title}, {first['place']}: {first['measured']}{of}",
                f"{FACTS} Data: {first['data']}.",
                part.drop("measured"),
                layout,
                notes=(f"{first['note'][0].upper()}{first['note'][1:]}.",) if first["note"] else (),
            )
        )
    return tables


def side_by_side(points: pl.DataFrame, shape: str) -> Table:
    """Scores between published models: REFERENCE for programs (``csv`` and ``json``), words for people.

    points: REFERENCE, of a run. shape: the format.
    """
    import polars as pl

    from folkways.benchmarks.tables import Table
    from folkways.reports.views.reference import placed, remarks_of

    rows = points
    if shape not in ("csv", "json"):
        rows = placed(points).select(
            pl.format("{} {}, {}", "task", "metric", "value").alias("score of"),
            "endpoint",
            "language",
            "score",
            interval=pl.format("{} to {}", pl.col("low").round(1), pl.col("high").round(1)),
            place=pl.format("{} of {}", pl.col("above") + 1, pl.col("models") + 1),
            within="within",
            above=pl.format("{} {}", "next_above", pl.col("next_above_score").round(1)),
            below=pl.format("{} {}", "next_below", pl.col("next_below_score").round(1)),
            source="place",
        )
    return Table(
        "published",
        "This run between published models",
        "Published scores have no interval: models whose score lies within this run's"
        " interval (column within) cannot be told apart from it.",
        rows,
        notes=remarks_of(points)
        if points.height
        else ("No published figure is comparable with these scores.",),
    )
