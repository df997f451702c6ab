"""The cultural map of a run: models that answer as people of a country, asked by ``folkways run``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import folkways
from tests.support.command_line import folkways as command
from tests.support.map_data import WAVE7, people, write_trend, write_wave7

SCALES = {"Q46": 4, "Q57": 2, "Q45": 3, "Q209": 3, "Q164": 10, "Q182": 10, "Q184": 10, "Q254": 4}
AIMS = ("Keeping order", "More say for people", "Fighting rising prices", "Free speech")
TEXTS = {
    **{name: f"Question {name} of a survey made up here?" for name in (*SCALES, "Q154", "Q155")},
    **{name: f"Is {name} a quality that children should learn?" for name in ("Q8", "Q14", "Q15", "Q17")},
}
COUNTRIES = {"KOR": "South Korea", "MEX": "Mexico", "SWE": "Sweden", "EGY": "Egypt"}


def options(name: str) -> list[str]:
    if name in ("Q154", "Q155"):
        return list(AIMS)
    if name not in SCALES:
        return ["Mentioned", "Not mentioned"]
    return [f"{name} option {number}" for number in range(1, SCALES[name] + 1)]


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wvs") / "survey"
    construction = folder / "dataset_construction"
    construction.mkdir(parents=True)
    codebook = {"B_COUNTRY_ALPHA": {"choices": COUNTRIES}}
    metadata = {}
    for name, text in TEXTS.items():
        labels = {str(number): label for number, label in enumerate(options(name), start=1)}
        codebook[name] = {"choices": {"-1": "Don't know", **labels}}
        kind = "nominal" if name in ("Q154", "Q155") else "ordinal"
        metadata[name] = {
            "use_case": "value",
            "answer_data_type": kind,
            "question": text,
            "category": "Values",
        }
    codebook["Q254"]["choices"]["5"] = "I am not of this country"
    for file, content in (
        ("codebook", codebook),
        ("question_metadata", metadata),
        ("answer_adjustment", {"Q254": {"5": ""}}),
    ):
        (construction / f"{file}.json").write_text(json.dumps(content))
    write_wave7(folder / "WVS_Cross-National_Wave_7_csv_v6_0.csv", ["KR", "MX", "SE", "EG"], 300)
    return folder


def chosen(country: str) -> dict[str, str]:
    """The option that most people of a country take, by question."""
    made = people(country, 2018, 300, 2)
    modes = {}
    for item, name in WAVE7.items():
        values = [person[item] for person in made if item in person]
        modes[name] = options(name)[int(max(set(values), key=values.count)) - 1]
    autonomy = sum(person.get("Y003", 0) for person in made)
    materialist = sum(person.get("Y002", 2) - 2 for person in made) < 0
    modes["Q154"], modes["Q155"] = (AIMS[0], AIMS[2]) if materialist else (AIMS[1], AIMS[3])
    for name in ("Q8", "Q14", "Q15", "Q17"):
        modes[name] = options(name)[int((name in ("Q8", "Q14")) != (autonomy > 0))]
    return modes


def as_people_of(default: str) -> object:
    """A model that answers as people of ``default``, or of the country that the prompt names."""
    by_name = {
        "South Korea": chosen("KR"),
        "Mexico": chosen("MX"),
        "Sweden": chosen("SE"),
        "Egypt": chosen("EG"),
    }

    def model(prompt: str) -> str:
        name = re.search(r"Q\d+", prompt).group()
        country = next(
            (name for name in by_name if f"in {name}" in prompt or f"from {name}" in prompt), default
        )
        wanted = by_name[country][name]
        (label,) = re.findall(rf"^(\w+)[.)] {re.escape(wanted)}$", prompt, re.M)
        return label

    return model


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("map") / "w.db"


@pytest.fixture(scope="module")
def run(survey: Path, database: Path) -> folkways.Run:
    return folkways.run(
        "wvs/map",
        models=as_people_of("Sweden"),
        releases={"wvs": str(survey)},
        variants="one,two,country-one,country-two",
        samples=1,
        name="mapped",
        workspace=str(database),
    )


def test_models_lie_near_the_people_they_answer_as(run: folkways.Run) -> None:
    tables = {table.name: table.rows for one in run.report_data().results for table in one.tables}
    places = tables["inglehart-welzel"]
    models = places.filter(pl.col("of") == "model")
    assert models["items"].to_list() == [10] * 5
    assert set(places.filter(pl.col("of") == "people")["culture"]) == {"KR", "MX", "SE", "EG"}
    nearest = tables["inglehart-welzel-distances"].sort("distance").unique("name", keep="first")
    by_name = dict(nearest.select(pl.col("asked_culture").fill_null("none"), "culture").iter_rows())
    assert by_name["none"] == "SE"
    assert by_name["EG"] == "EG"
    assert sum(asked == culture for asked, culture in by_name.items()) >= 3
    named = tables["inglehart-welzel-distances"].filter(pl.col("asked_culture") == pl.col("culture"))
    assert named.filter(culture="EG")["change_high"][0] < 0


def test_the_command_makes_the_map_of_a_run_and_of_people_alone(
    run: folkways.Run, database: Path, tmp_path: Path
) -> None:
    done = command(
        "analyse", "mapped", "-w", database, "--only", "inglehart-welzel", "--format", "csv", "--out", tmp_path / "out",
        "--figures", tmp_path / "figures",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written = pl.read_csv(tmp_path / "out" / "inglehart-welzel.csv")
    assert written.filter(pl.col("of") == "model").height == 5
    (figure,) = (tmp_path / "figures").glob("*.svg")
    assert "survival to self-expression" in figure.read_text()
    trend = write_trend(tmp_path / "trend.csv", [("JP", 2010), ("AD", 2018), ("RU", 2011)], 200)
    alone = command(
        "tables", "wvs", "inglehart-welzel", "--people", trend, "--format", "csv", "--out", tmp_path / "alone"
    )
    assert alone.returncode == 0, alone.stderr
    countries = pl.read_csv(tmp_path / "alone" / "inglehart-welzel.csv")
    assert countries["name"].to_list() == ["Andorra", "Japan", "Russia"]
    both = command(
        "tables", "wvs", "inglehart-welzel-distances", "--people", trend, "--run", "mapped", "-w", database,
        "--format", "csv", "--out", tmp_path / "both",
    )  # fmt: skip
    assert both.returncode == 0, both.stderr
    distances = pl.read_csv(tmp_path / "both" / "inglehart-welzel-distances.csv")
    assert set(distances["culture"]) == {"AD", "JP", "RU"}
    lacking = command("tables", "wvs", "inglehart-welzel")
    assert (lacking.returncode, "name the survey's files with --people" in lacking.stderr) == (2, True)
    none = command("tables", "wvs", "inglehart-welzel", "--people", tmp_path / "none.csv")
    assert (none.returncode, "there is no file or folder" in none.stderr) == (2, True)


def test_only_aggregates_are_in_the_tables(run: folkways.Run) -> None:
    found = [table for one in run.report_data().results for table in one.tables]
    of_map = [table for table in found if table.name.startswith("inglehart-welzel")]
    assert len(of_map) == 3
    for table in of_map:
        assert table.rows.height < 40
        assert "weight" not in table.rows.columns
