"""The cultural map on made-up people whose places are known, against a fit written down otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import optimize

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.benchmarks.wvs import cultural_map
from folkways.benchmarks.wvs.cultural_map import (
    DRAWS,
    SHIFTS,
    AnswersInForm,
    CulturalMap,
    MapPoint,
    answers_of,
    country_points,
    model_point,
)
from folkways.benchmarks.wvs.map_people import CODES, ITEMS, aims_index, read_people, survey_paths
from folkways.benchmarks.wvs.map_results import DISTANCES, PLACES, map_result, row_of_point
from folkways.errors import DataError, FolkwaysError
from folkways.records import Metric
from tests.support.map_data import COUNTRIES, LOADINGS, RANGES, WAVE7, people, write_trend, write_wave7

WAVES = [(country, year) for country in COUNTRIES for year in (2008, 2017)]
TASK = "wvs/opinions"


@pytest.fixture(scope="module")
def trend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trend(tmp_path_factory.mktemp("trend") / "Trends.csv", WAVES)


def places(tables: Sequence[Table]) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in tables[0].rows.iter_rows(named=True)}


# ---- reading


def test_people_are_read_as_they_were_written(trend: Path) -> None:
    (path,) = survey_paths(trend.parent)
    read = read_people([path])
    expected = [
        (country, year, person)
        for country, year in WAVES
        for person in people(country, year, 300, 1)
        if len(person) - 1 >= 6
    ]
    assert read.height == len(expected)
    for row, (country, year, person) in zip(read.iter_rows(named=True), expected, strict=True):
        assert (row["culture"], row["year"], row["weight"]) == (country, year, person["weight"])
        assert {code: row[code] for code in CODES if row[code] is not None} == {
            code: value for code, value in person.items() if code != "weight"
        }
    names = dict(read.select("culture", "country").unique().iter_rows())
    assert (names["SE"], names["AD"]) == ("Sweden", "Andorra")


@pytest.mark.parametrize(
    ("number", "culture", "name"),
    [("909", "GB-NIR", "Northern Ireland"), ("915", "XK", "Kosovo"), ("462", "MV", "Maldives")],
)
def test_countries_are_known_by_the_numbers_of_the_survey(
    tmp_path: Path, number: str, culture: str, name: str
) -> None:
    path = write_trend(tmp_path / "Trends.csv", [("SE", 2017)], n=20)
    path.write_text(path.read_text().replace("\n752,", f"\n{number},"))
    people = read_people([path])
    assert people.select("culture", "country").unique().rows() == [(culture, name)]


@pytest.mark.parametrize(
    ("place", "culture", "name"),
    [
        *((place, "KR", "South Korea") for place in ("410", "410.0", "KOR", "kor", " kr ")),
        ("8", "AL", "Albania"),
        ("GB-NIR", "GB-NIR", "Northern Ireland"),
        ("Nowhere", "Nowhere", "Nowhere"),
    ],
)
@pytest.mark.parametrize(("separator", "file"), [(",", "a.csv"), (";", "a.txt"), ("\t", "a.TSV")])
def test_countries_are_known_by_any_of_their_codes(
    tmp_path: Path, place: str, culture: str, name: str, separator: str, file: str
) -> None:
    rows = [["COUNTRY_ALPHA", " A_YEAR", *CODES[:6]], [place, "2017.0", *"112113"], ["", "2017", *"112113"]]
    (tmp_path / file).write_text("\n".join(separator.join(row) for row in rows))
    (path,) = survey_paths(tmp_path)
    read = read_people([path])
    assert read.select("culture", "country", "year", "weight").rows()[0] == (culture, name, 2017, 1.0)


def test_codes_outside_an_item_early_years_and_people_without_weight_are_left_out(tmp_path: Path) -> None:
    header = ["S003", "S020", "S017", *CODES]
    good = dict(zip(CODES, (1, 2, 3, 1, 10, 1, 5, 4, 3, -2), strict=True))
    rows = [
        {"S003": 410, "S020": 2005, "S017": 1, **good},
        {"S003": 410, "S020": 2004, "S017": 1, **good},
        {"S003": 410, "S020": 2010, "S017": 0, **good},
        {"S003": 410, "S020": 2010, "S017": 1, **good, "A008": 5, "A165": -1, "E018": 4, "G006": 5},
        {
            "S003": 410,
            "S020": 2010,
            "S017": 1,
            **good,
            "A008": 0,
            "A165": 3,
            "E018": -4,
            "G006": 5,
            "Y003": -5,
        },
    ]
    lines = [";".join(header), *(";".join(str(row[name]) for name in header) for row in rows)]
    path = tmp_path / "EVS.csv"
    path.write_text("\ufeff" + "\r\n".join(lines) + "\r\n", encoding="utf-8")
    read = read_people([path])
    assert read["year"].to_list() == [2005, 2010]
    assert read.select("A008", "A165", "E018", "G006", "Y003").rows()[1] == (None, None, None, None, -2.0)


def test_the_indices_of_wave_7_come_from_aims_and_qualities(tmp_path: Path) -> None:
    path = write_wave7(tmp_path / "WVS_Cross-National_Wave_7_csv_v6_0.csv", ["KR", "AD"], 80)
    read = read_people([path])
    expected = [
        person for country in ("KR", "AD") for person in people(country, 2018, 80, 2) if len(person) - 1 >= 6
    ]
    for name in ("Y002", "Y003", "F118"):
        assert read[name].to_list() == [person.get(name) for person in expected]
    assert [aims_index(*pair) for pair in ((1, 3), (3, 1), (2, 4), (4, 2), (1, 2), (3, 4), (2, 1))] == [
        1, 1, 3, 3, 2, 2, 2,
    ]  # fmt: skip


def test_items_have_the_codes_and_questions_of_the_survey() -> None:
    assert {item.code: (item.low, item.high) for item in ITEMS} == RANGES
    assert {item.code: item.wave7 for item in ITEMS if item.wave7} == WAVE7


def test_stata_files_read_alike(trend: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(trend).rename(columns={"S003": "s003", "A008": "a008"})
    frame.to_stata(tmp_path / "trend.dta", write_index=False)
    assert read_people(survey_paths(tmp_path)).equals(read_people([trend]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A008,A165\n1,2\n", "no column with the country"),
        ("S003,A008\n1,2\n", "no column with the year"),
        ("S003,S020,A008,A165,E018,E025,F063\n" + "1," * 6 + "1\n", "has 5 of the items of the map, and 6"),
        ("S003,S020,S017," + ",".join(CODES) + "\n410,1999,1" + ",1" * 10 + "\n", "nobody from 2005 on"),
    ],
)
def test_a_file_that_is_not_the_surveys_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_people(survey_paths(tmp_path / "x.csv"))
    if "nobody" not in message:
        with pytest.raises(DataError, match="has no file with the items of the map"):
            survey_paths(tmp_path)


AIMS = {
    (1, 3): 1, (3, 1): 1, (1, 4): 2, (4, 1): 2, (2, 3): 2, (3, 2): 2, (2, 4): 3, (4, 2): 3, (1, 1): None,
    (4, 4): None, (-1, 2): None, (0, 1): None, (1, 0): None, (5, 1): None, (1, 5): None,
}  # fmt: skip
"""First and second aim -> the index, as the World Values Survey counts Y002."""


def test_two_equal_aims_are_no_index(tmp_path: Path) -> None:
    header = ["S003", "S020", "E003", "E004", *CODES[:8]]
    rows = [[410, 2010, *aims, *([1] * 8)] for aims in AIMS]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]))
    assert read_people([path])["Y002"].to_list() == [*AIMS.values()]


# ---- the fit


def test_the_map_is_that_of_a_fit_written_down_otherwise(trend: Path) -> None:
    """Without gaps: principal components by eigenvectors, varimax by a search over angles, scores by matrix
    algebra, means by loops."""
    read = read_people([trend]).drop_nulls()
    answers, weights = answers_of(read)
    fit = CulturalMap.of(answers, weights)
    mean = np.average(answers, axis=0, weights=weights)
    standard = (answers - mean) / np.sqrt(np.average((answers - mean) ** 2, axis=0, weights=weights))
    values, vectors = np.linalg.eigh((standard * weights[:, None]).T @ standard / weights.sum())
    noise = values[:-2].mean()
    loadings = vectors[:, -2:] * np.sqrt(values[-2:] - noise)

    def turned(angle: float) -> np.ndarray:
        return loadings @ [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]

    def simplicity(angle: float) -> float:
        rotated = turned(angle)
        normal = rotated / np.linalg.norm(rotated, axis=1, keepdims=True)
        return -float((normal**2).var(axis=0).sum())

    start = min(np.linspace(0, math.pi / 2, 91), key=simplicity)
    best = optimize.minimize_scalar(
        simplicity, bounds=(start - 0.02, start + 0.02), method="bounded", options={"xatol": 1e-10}
    )
    rotated = turned(best.x)
    god, homosexuality = CODES.index("F063"), CODES.index("F118")
    if abs(rotated[god, 0]) > abs(rotated[god, 1]):
        rotated = rotated[:, ::-1]
    rotated = rotated * [np.sign(rotated[homosexuality, 0]), -np.sign(rotated[god, 1])]
    assert fit.factors.loadings == pytest.approx(rotated, abs=1e-5)
    scores = standard @ np.linalg.inv(rotated @ rotated.T + noise * np.eye(10)) @ rotated
    scores /= np.sqrt(np.average(scores**2, axis=0, weights=weights))
    expected = scores * [1.81, 1.61] + [0.38, -0.01]
    assert fit.points(answers) == pytest.approx(expected, abs=1e-4)
    for culture, _, n, years, where in country_points(fit, read):
        of_years = []
        for year in years:
            rows = ((read["culture"] == culture) & (read["year"] == year)).to_numpy()
            of_years.append(np.average(expected[rows], axis=0, weights=weights[rows]))
        assert where.point == pytest.approx(np.mean(of_years, axis=0), abs=1e-4)
        assert n == (read["culture"] == culture).sum()


def test_countries_lie_as_they_were_made(trend: Path) -> None:
    read = read_people([trend])
    fit = CulturalMap.of(*answers_of(read))
    where = {culture: one.point for culture, *_, one in country_points(fit, read)}
    made = np.array([COUNTRIES[culture][2:] for culture in where], dtype=float)
    ours = np.array([*where.values()])
    for side in (0, 1):
        assert np.corrcoef(made[:, side], ours[:, side])[0, 1] > 0.97
    loadings = dict(zip(CODES, fit.factors.loadings, strict=True))
    assert loadings["F118"][0] > 0.3
    assert loadings["F063"][1] < -0.3
    assert where["SE"][0] > where["RU"][0]
    assert where["JP"][1] > where["EG"][1]


def test_orientation_does_not_depend_on_how_items_are_coded(trend: Path) -> None:
    read = read_people([trend])
    answers, weights = answers_of(read)
    fit = CulturalMap.of(answers, weights)
    doubled = answers * 2 + 1
    assert CulturalMap.of(doubled, weights).points(doubled) == pytest.approx(fit.points(answers), abs=1e-6)


@pytest.mark.parametrize(("samples", "slack"), [(15, 0.4), pytest.param(40, 0.25, marks=pytest.mark.nightly)])
def test_ellipses_of_countries_are_as_wide_as_means_of_new_people_spread(
    tmp_path: Path, samples: int, slack: float
) -> None:
    fit = CulturalMap.of(*answers_of(read_people([write_trend(tmp_path / "fit.csv", WAVES)])))
    means, covariances = [], []
    for seed in range(samples):
        path = write_trend(tmp_path / "again.csv", [("KR", 2008), ("KR", 2017)], 120, 100 + seed)
        ((*_, where),) = country_points(fit, read_people([path]))
        means.append(where.point)
        covariances.append(where.covariance)
    truth = np.cov(np.array(means), rowvar=False)
    assert np.sqrt(np.diag(np.mean(covariances, axis=0))) == pytest.approx(np.sqrt(np.diag(truth)), rel=slack)


def test_both_versions_of_the_constants_are_said(trend: Path) -> None:
    tables = map_result((TASK,)).make(Inputs(files={"people": trend}))
    notes = " ".join(tables[0].notes)
    assert "Tao et al. +0.38 and -0.01" in notes
    assert "SPSS text +0.038 and -0.1" in notes
    first, second = (np.array(shift) for shift in SHIFTS.values())
    assert first - second == pytest.approx([0.342, 0.09])


# ---- models


def in_forms(
    shares: Mapping[str, Sequence[float]], samples: int = 4, seed: int = 0
) -> dict[str, list[AnswersInForm]]:
    rng = np.random.default_rng(seed)
    return {
        name: [
            AnswersInForm(wording, labels, order, rng.multinomial(1, options, size=samples).astype(float))
            for wording in ("one", "two")
            for labels in ("letters", "numbers")
            for order in ("given", "reversed")
        ]
        for name, options in shares.items()
    }


def of_person(person: Mapping[str, float]) -> dict[str, list[float]]:
    """Shares of options with which everybody answers as this person."""
    shares = {}
    for code, value in person.items():
        low, high = RANGES[code]
        shares[code] = [float(option == value) for option in range(low, high + 1)]
    return shares


@pytest.fixture(scope="module")
def fit(trend: Path) -> CulturalMap:
    return CulturalMap.of(*answers_of(read_people([trend])))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_model_that_answers_as_a_person_lies_where_the_person_does(fit: CulturalMap) -> None:
    person = {code: value for code, value in people("MX", 2008, 1, 5, 0.0)[0].items() if code != "weight"}
    for dropped in (0, 3):
        kept = dict([*person.items()][dropped:])
        placed = model_point(fit, in_forms(of_person(kept)), rng())
        assert placed is not None
        where, items = placed
        row = np.array([[kept.get(code, math.nan) for code in CODES]])
        assert where.point == pytest.approx(fit.points(row)[0])
        assert items == 10 - dropped
        assert where.covariance == pytest.approx(np.zeros((2, 2)))
    assert model_point(fit, in_forms(of_person(dict([*person.items()][5:]))), rng()) is None
    assert model_point(fit, {}, rng()) is None


def test_questions_of_wave_7_and_parts_of_indices_are_read(fit: CulturalMap) -> None:
    names = dict(zip(("A008", "A165", "E018", "E025", "F063", "F118", "F120", "G006"),
                     ("Q46", "Q57", "Q45", "Q209", "Q164", "Q182", "Q184", "Q254"), strict=True))  # fmt: skip
    shares = {
        names[code]: [1 / (high - low + 1)] * (high - low + 1)
        for code, (low, high) in RANGES.items()
        if code in names
    }
    aims = {"Q154": [0.7, 0.3, 0.0, 0.0], "Q155": [0.2, 0.0, 0.3, 0.5]}
    qualities = {"Q8": [0.9, 0.1], "Q14": [0.5, 0.5], "Q15": [0.2, 0.8], "Q17": [0.4, 0.6]}
    every = {**shares, **aims, **qualities}
    likelihoods = {
        name: [AnswersInForm("one", "letters", "given", np.array([options]))]
        for name, options in every.items()
    }
    placed = model_point(fit, likelihoods, rng())
    assert placed is not None
    pairs = {
        (first, second): aims["Q154"][first - 1] * aims["Q155"][second - 1]
        for first in range(1, 5)
        for second in range(1, 5)
        if first != second
    }
    index = sum(share * aims_index(*pair) for pair, share in pairs.items()) / sum(pairs.values())
    values = {code: (low + high) / 2 for code, (low, high) in RANGES.items()}
    values |= {"Y002": index, "Y003": 0.9 + 0.5 - 0.2 - 0.4}
    assert placed[0].point == pytest.approx(fit.points(np.array([[values[code] for code in CODES]]))[0])
    assert placed[1] == 10


def test_each_order_counts_as_much_as_the_other(fit: CulturalMap) -> None:
    flat = {code: [1 / (high - low + 1)] * (high - low + 1) for code, (low, high) in RANGES.items()}
    forms = {
        name: [AnswersInForm("one", "letters", "given", np.array([options]))]
        for name, options in flat.items()
    }
    low, high = np.eye(10)[[0]], np.eye(10)[[9]]
    forms["F063"] = [
        AnswersInForm("one", "letters", "given", low),
        AnswersInForm("two", "letters", "given", low),
        AnswersInForm("one", "letters", "reversed", high),
    ]
    placed = model_point(fit, forms, rng())
    assert placed is not None
    values = {code: (low + high) / 2 for code, (low, high) in RANGES.items()}
    assert placed[0].point == pytest.approx(fit.points(np.array([[values[code] for code in CODES]]))[0])


@pytest.mark.parametrize(
    ("samples", "worded", "slack"), [(20, 50, 0.45), pytest.param(50, 150, 0.2, marks=pytest.mark.nightly)]
)
def test_the_spread_of_a_model_is_that_of_samples_and_of_wordings(
    fit: CulturalMap, samples: int, worded: int, slack: float
) -> None:
    """Against models made anew: with many samples of the same options, and with wordings that differ."""
    flat = {code: [1 / (high - low + 1)] * (high - low + 1) for code, (low, high) in RANGES.items()}
    made = [model_point(fit, in_forms(flat, 3, seed), np.random.default_rng(seed)) for seed in range(samples)]
    points = [one[0] for one in made if one is not None]
    truth = np.sqrt(np.cov(np.array([one.point for one in points]), rowvar=False).diagonal())
    ours = np.sqrt(np.mean([one.covariance for one in points], axis=0).diagonal())
    # Three factors of which none has an effect are no more than clipped at none: 1.4 times in theory.
    assert (0.9 * truth < ours).all()
    assert (ours < 1.6 * truth).all()

    def by_wording(shift: float, seed: int) -> np.ndarray:
        moves = np.random.default_rng(seed).normal(size=2) * shift
        forms = {}
        for code, (low, high) in RANGES.items():
            options = high - low + 1
            forms[code] = [
                AnswersInForm(wording, "letters", order, _around(options, move)[None])
                for wording, move in zip(("one", "two"), moves, strict=True)
                for order in ("given", "reversed")
            ]
        placed = model_point(fit, forms, np.random.default_rng(seed))
        assert placed is not None
        return np.concatenate([placed[0].point, np.diag(placed[0].covariance)])

    results = np.array([by_wording(0.1, seed) for seed in range(worded)])
    assert results[:, 2:].mean(axis=0) == pytest.approx(results[:, :2].var(axis=0, ddof=1), rel=slack)


def _around(options: int, move: float) -> np.ndarray:
    shares = np.full(options, 1 / options)
    shares[0] -= move / options
    shares[-1] += move / options
    return shares


def test_samples_drawn_again_are_shares_that_vary_as_a_mean_does() -> None:
    shares = np.eye(3)[np.array([0, 0, 1, 2, 2, 2])]
    drawn = np.vstack(
        [cultural_map.resampled_means(shares, np.random.default_rng(seed)) for seed in range(20)]
    )
    assert drawn.sum(axis=1) == pytest.approx(np.ones(len(drawn)))
    assert drawn.var(axis=0) == pytest.approx(shares.var(axis=0, ddof=1) / 6, rel=0.08)


def test_a_form_without_an_opinion_leaves_the_others(fit: CulturalMap) -> None:
    flat = {code: [1 / (high - low + 1)] * (high - low + 1) for code, (low, high) in RANGES.items()}
    forms = in_forms(flat)
    forms["A008"] = [form for form in forms["A008"] if (form.wording, form.order) == ("one", "given")][:1]
    placed = model_point(fit, forms, rng())
    assert placed is not None
    assert np.isfinite(placed[0].draws).all()
    assert placed[0].draws.shape == (DRAWS, 2)


# ---- the tables


def judged(models: Mapping[str, Mapping[str | None, Mapping[str, Sequence[float]]]]) -> Inputs:
    """Model -> culture as whose people it was asked (None for nobody) -> question -> shares of its options."""
    rows = []
    for endpoint, conditions in models.items():
        for asked_as, shares in conditions.items():
            for question, options in shares.items():
                for culture in COUNTRIES if asked_as is None else (asked_as,):
                    for wording in ("one", "two"):
                        for order in ("given", "reversed"):
                            template = wording if asked_as is None else f"country-{wording}"
                            asked = (
                                f"{question}/{culture}",
                                question,
                                culture,
                                "en",
                                f"{template}-letters-{order}",
                            )
                            text = " ".join(f"{share:.6g}" for share in options)
                            rows.append(
                                (endpoint, TASK, "strict", *asked, 0, True, "answered", "A", None, text)
                            )
    columns = ("endpoint", "task", "profile", "item", "question", "culture", "language", "variant", "sample")
    more = ("counted", "state", "answer", "reason", "shares_of_reply")
    frame = pl.DataFrame(rows, schema=[*columns, *more], schema_overrides={"reason": pl.String}, orient="row")
    return Inputs(judged=frame, metrics={TASK: (Metric("similarity", "Similarity", ""),)})


def like(country: str, seed: int = 3) -> dict[str, list[float]]:
    """Shares of the answers of people of a country."""
    made = people(country, 2017, 400, seed, 0.0)
    return {
        code: [float(np.mean([person[code] == value for person in made])) for value in range(low, high + 1)]
        for code, (low, high) in RANGES.items()
    }


def test_models_and_countries_are_in_one_table_with_distances(trend: Path) -> None:
    inputs = judged(
        {"acme/one": {None: like("KR"), "MX": like("MX"), "EG": like("KR")}, "acme/two": {None: like("SE")}}
    )
    tables = map_result((TASK,)).make(
        Inputs(judged=inputs.judged, metrics=inputs.metrics, files={"people": trend})
    )
    assert [table.name for table in tables] == list(map_result((TASK,)).names)
    assert [*tables[0].rows.schema] == list(PLACES)
    where = places(tables)
    assert {"acme/one", "acme/one as Mexico", "acme/one as Egypt", "acme/two", "Andorra"} <= {*where}
    distances = tables[1].rows
    assert [*distances.schema] == list(DISTANCES)
    assert where["acme/one"]["n"] == where["acme/one as Mexico"]["n"] == 40, "one asking serves every culture"
    assert distances["name"].value_counts(sort=True).sort("count", "name").rows() == [
        ("acme/one", 5), ("acme/one as Mexico", 5), ("acme/two", 5), ("acme/one as Egypt", 6)
    ], "the five nearest countries, and whose people it was asked to be"  # fmt: skip
    nearest = {
        name: distances.filter(name=name).sort("distance")["culture"][0]
        for name in ("acme/one", "acme/one as Mexico", "acme/two")
    }
    assert nearest == {"acme/one": "KR", "acme/one as Mexico": "MX", "acme/two": "SE"}
    for row in distances.iter_rows(named=True):
        country = next(
            one for one in where.values() if one["of"] == "people" and one["culture"] == row["culture"]
        )
        model = where[row["name"]]
        apart = math.hypot(model["right"] - country["right"], model["up"] - country["up"])
        assert row["distance"] == pytest.approx(apart)
        if row["asked_culture"] is None:
            assert row["change"] is None
        else:
            without = where["acme/one"]
            before = math.hypot(without["right"] - country["right"], without["up"] - country["up"])
            assert row["change"] == pytest.approx(apart - before)
            assert row["change_low"] <= row["change"] + 0.2
    named = distances.filter(pl.col("culture") == pl.col("asked_culture"))
    assert dict(named.select("asked_culture", pl.col("change") < -1).iter_rows()) == {"MX": True, "EG": False}
    (note,) = tables[1].notes
    assert "nearer to it in 1 of 2 (1 by the interval), and further in 0 (0); mean change −" in note
    assert tables[2].rows["item"].to_list() == list(LOADINGS)


def test_a_model_asked_with_less_than_ten_items_says_so_and_with_five_is_not_there(trend: Path) -> None:
    eight = {code: shares for code, shares in like("KR").items() if code[0] != "Y"}
    five = dict([*like("KR").items()][:5])
    inputs = judged({"a/eight": {None: eight}, "a/five": {None: five}})
    tables = map_result((TASK,)).make(
        Inputs(judged=inputs.judged, metrics=inputs.metrics, files={"people": trend})
    )
    where = places(tables)
    assert "a/five" not in where
    assert where["a/eight"]["items"] == 8
    assert any("a/eight rests on 8 of the ten items" in note for note in tables[0].notes)


def test_what_is_lacking_is_said(tmp_path: Path, trend: Path) -> None:
    result = map_result((TASK,))
    with pytest.raises(NotAvailableError, match="name the survey's files with --people"):
        result.make(Inputs())
    with pytest.raises(FolkwaysError, match="there is no file or folder"):
        result.make(Inputs(files={"people": tmp_path / "none.csv"}))
    without = tmp_path / "without.csv"
    text = trend.read_text().splitlines()
    without.write_text("\n".join([text[0].replace("Y003", "Y9"), *text[1:]]))
    with pytest.raises(NotAvailableError, match=r"nobody in without\.csv answered Y003"):
        result.make(Inputs(files={"people": without}))


def test_a_countrys_draws_do_not_depend_on_the_other_countries(trend: Path) -> None:
    read = read_people([trend])
    fit = CulturalMap.of(*answers_of(read))
    alone = {
        culture: where for culture, *_, where in country_points(fit, read.filter(pl.col("culture") == "KR"))
    }
    every = {culture: where for culture, *_, where in country_points(fit, read)}
    assert alone["KR"].draws == pytest.approx(every["KR"].draws)
    assert cultural_map.SHIFT in SHIFTS


def test_each_axis_of_a_place_has_its_own_interval() -> None:
    point = MapPoint(np.array([1.0, 5.0]), np.array([[0.25, 0.1], [0.1, 4.0]]), np.zeros((0, 2)))
    row = row_of_point("m", "model", point)
    half = {"right": 1.959964 * 0.5, "up": 1.959964 * 2.0}
    ends = {f"{name}_{end}": row[name] + sign * half[name]
            for name in half for end, sign in (("low", -1), ("high", 1))}  # fmt: skip
    assert {name: row[name] for name in ends} == pytest.approx(ends, rel=1e-5)
    assert (row["right"], row["up"], row["correlation"]) == (1.0, 5.0, pytest.approx(0.1))
