"""The cultural map's tables and figure: countries, models, and how far models are from countries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import DataNeed, Inputs, Result
from folkways.benchmarks.tables import Layout, NotAvailableError, Plot, Table
from folkways.benchmarks.wvs.cultural_map import (
    DRAWS,
    SEED,
    SHIFT,
    SHIFTS,
    AnswersInForm,
    CulturalMap,
    MapPoint,
    answers_of,
    country_points,
    model_point,
)
from folkways.benchmarks.wvs.map_people import (
    AIMS,
    CODES,
    FEWEST_ITEMS,
    FROM_YEAR,
    ITEMS,
    QUALITIES,
    WAVE7_KEYS,
    read_people,
    survey_paths,
)
from folkways.cultures import name_of_code
from folkways.display import signed
from folkways.errors import FolkwaysError
from folkways.names import culture_name
from folkways.records import Schema, of_rows

PEOPLE_NEED = DataNeed(
    "people", "Trend files of the survey, or a folder with them; by default those in the release.", file=True
)

NEAREST = 5
"""Countries that a model's distances are shown from, besides the culture that it was asked for."""

PEOPLE, MODEL = "people", "model"
RIGHT, UP = "survival to self-expression", "traditional to secular"

PLACES: Schema = {
    "name": pl.String,
    "of": pl.String,  # PEOPLE or MODEL
    "endpoint": pl.String,
    "language": pl.String,
    "culture": pl.String,  # the country; of a model, the culture whose people it was asked to answer as
    "right": pl.Float64,
    "right_low": pl.Float64,
    "right_high": pl.Float64,
    "up": pl.Float64,
    "up_low": pl.Float64,
    "up_high": pl.Float64,
    "correlation": pl.Float64,  # of both, in samples drawn again
    "items": pl.Int64,  # that a model's place rests on
    "n": pl.Int64,  # people, or replies with an opinion
    "years": pl.String,
}

DISTANCES: Schema = {
    "name": pl.String,
    "endpoint": pl.String,
    "language": pl.String,
    "asked_culture": pl.String,  # as whose people the model was asked to answer
    "culture": pl.String,
    "distance": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    # to the same culture, less that of the model that is asked for no culture: negative is nearer
    "change": pl.Float64,
    "change_low": pl.Float64,
    "change_high": pl.Float64,
}

LOADINGS: Schema = {
    "item": pl.String,
    "about": pl.String,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "right": pl.Float64,
    "up": pl.Float64,
    "people": pl.Int64,
}

Z = 1.959963984540054

NEGLIGIBLE = 1e-9
"""Standard deviation of a side that is rounding."""


@dataclass(frozen=True)
class MapModel:
    """A model on the map. culture: as whose people it was asked to answer; None for the question as it is."""

    endpoint: str
    language: str
    culture: str | None
    point: MapPoint
    items: int
    replies: int

    @property
    def name(self) -> str:
        """As the map has it."""
        language = "" if self.language == "en" else f" ({name_of_code(self.language)})"
        return f"{self.endpoint}{language}{f' as {culture_name(self.culture)}' if self.culture else ''}"


def map_result(tasks: Sequence[str]) -> Result:
    """The result of tasks whose judgements have ``shares_of_reply``."""

    def make(inputs: Inputs) -> Sequence[Table]:
        return _tables(inputs, [task for task in tasks if task in inputs.tasks])

    return Result(
        "inglehart-welzel",
        "The Inglehart-Welzel cultural map",
        make,
        about="Where are models on the map of people's values, and which countries are they near to?",
        tasks=tuple(tasks),
        needs=(PEOPLE_NEED,),
        tables=("inglehart-welzel", "inglehart-welzel-distances", "inglehart-welzel-items"),
        without_run=True,
    )


def _tables(inputs: Inputs, tasks: Sequence[str]) -> Sequence[Table]:
    path = inputs.files.get(PEOPLE_NEED.name)
    if path is None:
        roots = [inputs.releases[task].root for task in tasks if task in inputs.releases]
        if not roots:
            raise NotAvailableError(
                f"needs the answers of people: name the survey's files with --{PEOPLE_NEED.name}"
            )
        path = roots[0]
    if not path.exists():
        raise FolkwaysError(f"there is no file or folder {path}; name the survey's files")
    paths = survey_paths(path)
    people = read_people(paths)
    answers, weights = answers_of(people)
    if lacking := [code for code, column in zip(CODES, answers.T, strict=True) if np.isnan(column).all()]:
        raise NotAvailableError(
            f"nobody in {', '.join(path.name for path in paths)} answered {', '.join(lacking)}, and the map "
            "is made of all ten items"
        )
    fit = CulturalMap.of(answers, weights)
    countries = list(country_points(fit, people))
    # The first task counts where several asked a model.
    placed = {model.name: model for task in reversed(tasks) for model in _models(inputs, task, fit)}
    models = [placed[name] for name in sorted(placed)]
    rows = [row_of_point(model.name, MODEL, model.point) | _of_model(model) for model in models]
    for culture, name, n, years, where in countries:
        of_country = {"culture": culture, "n": n, "years": ", ".join(map(str, years))}
        rows.append(row_of_point(name, PEOPLE, where) | of_country)
    places = pl.DataFrame(rows, schema=dict(PLACES))
    distances = list(_distances(models, {culture: where for culture, *_, where in countries}))
    tables = [
        Table(
            "inglehart-welzel",
            "The Inglehart-Welzel cultural map",
            f"The mean of a country is that of its survey years, each weighted; people of a year are drawn "
            f"again {DRAWS} times. A model's samples are drawn again too, and what wordings, labels and "
            "orders differ by is added.",
            places,
            notes=(*_notes(fit, people, paths), *_of_models(models)),
            plots=(Plot(_LAYOUT, rows=_drawn(places)),),
        )
    ]
    if distances:
        tables.append(
            Table(
                "inglehart-welzel-distances",
                "How far models are from countries on the cultural map",
                "The unit of the map is 1.81 (to the right) or 1.61 (upwards) standard deviations of people. "
                f"Intervals are of both points drawn again together. The {NEAREST} nearest countries, and "
                "the one as whose people a model was asked to answer.",
                pl.DataFrame(distances, schema=dict(DISTANCES)),
                notes=_closer(distances),
            )
        )
    return [*tables, _loadings(fit, answers)]


_LAYOUT = Layout("name", "axis", "value", drawn="ellipses", measure="points of the map")


def _models(inputs: Inputs, task: str, fit: CulturalMap) -> Iterator[MapModel]:
    columns = ("endpoint", "question", "culture", "language", "variant", "sample", "shares_of_reply")
    judged = inputs.of(task, columns=columns)
    if "shares_of_reply" not in judged.columns:
        return
    judged = judged.with_columns(pl.col(name).cast(pl.String) for name in columns if name != "sample")
    wanted = {*CODES, *WAVE7_KEYS, *AIMS["trend"], *QUALITIES["trend"]}
    judged = judged.drop_nulls("shares_of_reply").filter(pl.col("question").is_in([*wanted]))
    forms = pl.col("variant").str.extract_groups(_FORM)
    judged = judged.with_columns(forms.struct.field("*")).with_columns(
        condition=pl.col("condition").fill_null("").str.strip_suffix("-")
    )
    # A question that names nobody is the same for all cultures that people of were asked it.
    asked_as = pl.when(pl.col("condition") == "").then(None).otherwise("culture")
    judged = judged.with_columns(asked_as=asked_as)
    key = ("endpoint", "language", "condition", "asked_as", "question", "variant", "sample")
    judged = judged.unique(key, keep="first", maintain_order=True)
    groups = judged.sort("endpoint", "language", "condition", "asked_as", maintain_order=True)
    for (endpoint, language, _, culture), rows in groups.group_by(
        "endpoint", "language", "condition", "asked_as", maintain_order=True
    ):
        questions: dict[str, list[AnswersInForm]] = {}
        for (question, wording, labels, order), part in rows.group_by(
            "question", "wording", "labels", "order", maintain_order=True
        ):
            shares = np.array([text.split() for text in part["shares_of_reply"]], dtype=np.float64)
            form = AnswersInForm(str(wording), str(labels), str(order), shares)
            questions.setdefault(str(question), []).append(form)
        named = None if culture is None else str(culture)
        rng = np.random.default_rng([SEED, *f"{endpoint}/{language}/{named}".encode()])
        if (placed := model_point(fit, questions, rng)) is not None:
            where, items = placed
            yield MapModel(str(endpoint), str(language), named, where, items, rows.height)


_FORM = r"^(?<condition>.*-)?(?<wording>[^-]+)-(?<labels>[^-]+)-(?<order>[^-]+)$"


def row_of_point(name: str, of: str, point: MapPoint) -> dict[str, Any]:
    """A row of PLACES: where ``point`` is, with the ends of both axes. name, of: whose it is."""
    covariance = point.covariance
    sides = np.sqrt(np.diag(covariance))
    low, high = point.point - Z * sides, point.point + Z * sides
    correlation = covariance[0, 1] / sides.prod() if sides.min() > NEGLIGIBLE else 0.0
    return {
        "name": name,
        "of": of,
        "right": float(point.point[0]),
        "right_low": float(low[0]),
        "right_high": float(high[0]),
        "up": float(point.point[1]),
        "up_low": float(low[1]),
        "up_high": float(high[1]),
        "correlation": float(correlation),
    }


def _of_model(model: MapModel) -> dict[str, Any]:
    return {
        "endpoint": model.endpoint,
        "language": model.language,
        "culture": model.culture,
        "items": model.items,
        "n": model.replies,
    }


def _drawn(places: pl.DataFrame) -> pl.DataFrame:
    """A row for each point and axis, with its interval, as the figure reads them."""
    shared = ["name", "of", "correlation"]
    axes = [
        places.select(
            *shared,
            axis=pl.lit(title),
            value=pl.col(side),
            low=pl.col(f"{side}_low"),
            high=pl.col(f"{side}_high"),
        )
        for side, title in (("right", RIGHT), ("up", UP))
    ]
    return pl.concat(axes)


def _distances(models: Sequence[MapModel], countries: dict[str, MapPoint]) -> Iterator[dict[str, Any]]:
    as_is = {(model.endpoint, model.language): model.point for model in models if model.culture is None}
    for model in models:
        apart = {culture: model.point.distance(where) for culture, where in countries.items()}
        by_distance = {culture: distance for culture, (distance, _) in apart.items()}
        nearest = sorted(by_distance, key=by_distance.__getitem__)[:NEAREST]
        for culture in dict.fromkeys([*([model.culture] if model.culture in apart else []), *nearest]):
            distance, drawn = apart[culture]
            row: dict[str, Any] = {
                "name": model.name,
                "endpoint": model.endpoint,
                "language": model.language,
                "asked_culture": model.culture,
                "culture": culture,
                "distance": distance,
                **_ends("", drawn),
            }
            before = as_is.get((model.endpoint, model.language))
            if model.culture is not None and before is not None:
                without, drawn_without = before.distance(countries[culture])
                row |= {"change": round(distance - without, 9), **_ends("change_", drawn - drawn_without)}
            yield row


def _ends(name: str, drawn: Any) -> dict[str, float]:
    low, high = np.quantile(drawn, [0.025, 0.975]).round(9)
    return {f"{name}low": float(low), f"{name}high": float(high)}


def _loadings(fit: CulturalMap, answers: Any) -> Table:
    factors = fit.factors
    columns = (factors.mean, factors.scale, *factors.loadings.T, (~np.isnan(answers)).sum(axis=0))
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    rows = [(item.code, item.about, *of_item) for item, of_item in zip(ITEMS, numbers, strict=True)]
    return Table(
        "inglehart-welzel-items",
        "The ten items of the cultural map",
        "Loadings after varimax, of people's answers.",
        of_rows(rows, LOADINGS),
    )


def _notes(fit: CulturalMap, people: pl.DataFrame, paths: Sequence[Any]) -> Iterator[str]:
    shift = ", ".join(f"{name} {x:+g} and {y:+g}" for name, (x, y) in SHIFTS.items())
    right, up = 100 * fit.factors.explained
    years = people["year"].to_numpy()
    yield (
        f"From {', '.join(path.name for path in paths)}: {people.height:,} people of "
        f"{people['culture'].n_unique()} countries, interviewed {years.min()} to "
        f"{years.max()} (from {FROM_YEAR} on), with {FEWEST_ITEMS} of ten items at least, weighted. "
        f"The dimensions explain {right:.0f} and {up:.0f} % of the variance."
    )
    yield (
        f"Two versions of the constants are in use ({shift}); these are those of {SHIFT} Distances are "
        "the same with both. Components are probabilistic, by likelihood where items are missing; varimax "
        "is in closed form, and not by a tolerance."
    )
    yield (
        "The ellipse holds the point with 95 %. It has the chance of who was interviewed, and for models "
        "that of wordings, labels, orders and samples; neither clusters of the survey's sample nor the "
        "choice of the ten items, and the fit is held as it is."
    )


def _of_models(models: Sequence[MapModel]) -> Iterator[str]:
    for model in models:
        if model.items < len(ITEMS):
            yield f"{model.name} rests on {model.items} of the ten items."


def _closer(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """One sentence for each model and language that was asked as people of a culture."""
    named = [row for row in rows if row["asked_culture"] == row["culture"] and "change" in row]
    sentences = []
    for endpoint, language in dict.fromkeys((row["endpoint"], row["language"]) for row in named):
        part = [row for row in named if (row["endpoint"], row["language"]) == (endpoint, language)]
        nearer, clearly_nearer = (sum(row[end] < 0 for row in part) for end in ("change", "change_high"))
        further, clearly_further = (sum(row[end] > 0 for row in part) for end in ("change", "change_low"))
        sentences.append(
            f"{endpoint} ({name_of_code(language)}), asked to answer as people of a country, is nearer to it "
            f"in {nearer} of {len(part)} ({clearly_nearer} by the interval), and further in {further} "
            f"({clearly_further}); mean change {signed(np.mean([row['change'] for row in part]), 2)}."
        )
    return tuple(sentences)
