"""Whose answers wrong answers become: by hand, and with a model that answers for the culture it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import folkways
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.templates import culture_parts
from folkways.benchmarks.treatments import LENGTH, without_treatments
from folkways.benchmarks.whose_culture.matching import of_options
from folkways.benchmarks.whose_culture.result import whose_culture
from folkways.evidence.groups import treatment_answers
from folkways.evidence.groups.treatment_answers import ANSWERS, answers_table
from folkways.evidence.groups.treatments import TREATMENTS
from folkways.records import Metric
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.pairwise import paired_contrasts
from tests.support.mcq_data import CODES, LETTERS, right_letter, write_mcq_release

TASK = "x/choice"
CULTURES = ("KR", "US", "MX")
QUESTIONS = 40
PLAIN, OWN, OTHER = "plain", "plain~with-born", "plain~with-born:for-"
PLACEBOS = tuple(f"plain~with-born:placebo-{number}" for number in (1, 2, 3))

Chosen = Callable[[str, str, int], str]


def after(culture: str) -> str:
    return CULTURES[(CULTURES.index(culture) + 1) % len(CULTURES)]


def inputs(chosen: Chosen, variants: tuple[str, ...] = (PLAIN, OWN, *PLACEBOS, OTHER)) -> Inputs:
    """chosen: arm, culture asked about, number of the question -> the culture whose option is taken; three
    wrong options, of both other cultures and of nobody. A crossed arm names the next culture."""
    rows = []
    for variant, culture, n in product(variants, CULTURES, range(QUESTIONS)):
        taken = chosen(variant, culture, n)
        arm = variant + after(culture) if variant.endswith(":for-") else variant
        others = " ".join([*(code for code in CULTURES if code != culture), "dummy"])
        item = (f"{culture}/{n}", f"q{n}", culture, "en", arm, 0, True, "answered", "A", None, 5)
        rows.append(("m", TASK, "strict", *item, float(taken == culture), taken, others))
    columns = ("endpoint", "task", "profile", "item", "question", "culture", "language", "variant", "sample")
    more = ("counted", "state", "answer", "reason", LENGTH, "right", "chosen_culture", "offered")
    judged = pl.DataFrame(
        rows, schema=[*columns, *more], schema_overrides={"reason": pl.String}, orient="row"
    )
    metrics = {TASK: (Metric("right", "Accuracy", ""),)}
    return Inputs(judged=without_treatments(judged), treated=judged, metrics=metrics)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    result = whose_culture(
        TASK, lambda inputs: of_options(inputs.of(TASK), "right", pl.col("question"), wrong_options=3)
    )
    theirs = treatment_answers.benchmarks()
    declared = {**theirs, "demo": replace(theirs["demo"], results=(*theirs["demo"].results, result))}
    monkeypatch.setattr(treatment_answers, "benchmarks", lambda: declared)


def answers(of: Inputs) -> pl.DataFrame:
    (table,) = answers_table(of)
    return table.rows


def drawn(seed: int) -> Chosen:
    rng = np.random.default_rng(seed)
    taken: dict[tuple[str, str, int], str] = {}
    return lambda *key: taken.setdefault(key, str(rng.choice([*CULTURES, "dummy"])))


def test_each_reply_is_another_cultures_or_not_less_chance_and_paired_with_its_placebos() -> None:
    chosen = drawn(3)
    rows = answers(inputs(chosen))
    assert rows.columns == list(ANSWERS)

    def less_chance(arm: str, culture: str, n: int, of: str) -> float:
        taken = chosen(arm, culture, n)
        return 0.0 if taken == culture else float(taken == of) - 1 / 3

    for names, of in product(("own", "other"), CULTURES):
        asked = [code for code in CULTURES if (code != of if names == "own" else after(code) == of)]
        cells = [*product(asked, range(QUESTIONS))]
        arm = OWN if names == "own" else OTHER
        treated = np.array([less_chance(arm, *cell, of) for cell in cells])
        cues = np.mean([[less_chance(cue, *cell, of) for cell in cells] for cue in PLACEBOS], axis=0)
        test = paired_contrasts(np.column_stack([treated, cues]), np.array([n for _, n in cells]), 2.0)
        row = rows.row(by_predicate=(pl.col("names") == names) & (pl.col("answers_of") == of), named=True)
        assert (row["difference"], row["low"], row["high"], row["p"]) == pytest.approx(
            (100 * (treated - cues).mean(), 100 * test.low[0], 100 * test.high[0], test.p[0])
        )
        assert row["treated"] == pytest.approx(100 * np.mean([chosen(arm, *cell) == of for cell in cells]))
        shares = [np.mean([chosen(cue, *cell) == of for cell in cells]) for cue in PLACEBOS]
        assert row["untreated"] == pytest.approx(100 * np.mean(shares))
        assert (row["n"], row["questions"]) == (len(cells), QUESTIONS)


def test_all_cultures_named_are_together_and_holm_is_over_the_cultures_of_an_arm() -> None:
    rows = answers(inputs(drawn(5)))
    whole = rows.row(by_predicate=pl.col("answers_of") == "all", named=True)
    others = rows.filter(pl.col("names") == "other", pl.col("answers_of") != "all")
    assert (whole["names"], whole["n"]) == ("other", QUESTIONS * len(CULTURES))
    assert whole["difference"] == pytest.approx(others["difference"].mean())
    assert whole["p_holm"] == whole["p"]
    for names in ("own", "other"):
        part = rows.filter(pl.col("names") == names, pl.col("answers_of") != "all")
        assert part["p_holm"].to_list() == pytest.approx(holm(part["p"].to_list()))


def test_each_prompt_is_paired_with_its_own_placebos() -> None:
    chosen = drawn(6)
    arms = (PLAIN, OWN, *PLACEBOS, OTHER)
    second = {f"second{arm.removeprefix(PLAIN)}": arm for arm in arms}

    def shifted(arm: str, culture: str, n: int) -> str:
        return chosen(second.get(arm, arm), culture, n + (7 if arm in second else 0))

    row = answers(inputs(shifted, (*arms, *second))).row(0, named=True)
    assert (row["names"], row["answers_of"]) == ("other", "all")
    assert row["n"] == 2 * len(CULTURES) * QUESTIONS
    assert row["questions"] == QUESTIONS

    def less_chance(arm: str, culture: str, n: int) -> float:
        taken = shifted(arm, culture, n)
        return 0.0 if taken == culture else float(taken == after(culture)) - 1 / 3

    cells = [*product(("", "second"), CULTURES, range(QUESTIONS))]
    named = {"": lambda arm: arm, "second": lambda arm: f"second{arm.removeprefix(PLAIN)}"}
    treated = np.array([less_chance(named[of](OTHER), *cell) for of, *cell in cells])
    cues = np.mean([[less_chance(named[of](cue), *cell) for of, *cell in cells] for cue in PLACEBOS], axis=0)
    test = paired_contrasts(np.column_stack([treated, cues]), np.array([n for *_, n in cells]), 2.0)
    assert (row["low"], row["high"]) == pytest.approx((100 * test.low[0], 100 * test.high[0]))


def test_without_placebos_it_is_from_the_prompt_as_it_is() -> None:
    chosen = drawn(7)
    rows = answers(inputs(chosen, (PLAIN, OWN)))
    assert set(rows["names"]) == {"own"}
    row = rows.row(by_predicate=pl.col("answers_of") == "KR", named=True)
    cells = [*product(("US", "MX"), range(QUESTIONS))]
    assert row["untreated"] == pytest.approx(100 * np.mean([chosen(PLAIN, *cell) == "KR" for cell in cells]))


def test_a_treatment_that_only_makes_more_wrong_answers_is_level() -> None:
    level = drawn(11)

    def worse(arm: str, culture: str, n: int) -> str:
        wrong = [code for code in (*CULTURES, "dummy") if code != culture]
        return wrong[n % 3] if arm in (OWN, OTHER) else culture if n % 4 else level(arm, culture, n)

    rows = answers(inputs(worse))
    assert rows["treated"].to_numpy().min() > 30
    assert np.abs(rows["difference"].to_numpy()).max() < 3


def test_too_few_answers_of_others_have_no_row_and_no_table() -> None:
    def right(arm: str, culture: str, n: int) -> str:
        return after(culture) if arm == OWN and culture == "KR" and n < 9 else culture

    assert [*answers_table(inputs(right))] == []
    assert [*answers_table(Inputs())] == []

    def ten(arm: str, culture: str, n: int) -> str:
        return after(culture) if arm == OWN and culture == "KR" and n < 10 else culture

    rows = answers(inputs(ten))
    assert rows.select("names", "answers_of").rows() == [("own", "US")]


def test_of_answers_in_words_whole_items_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    known = inputs(drawn(13))
    monkeypatch.setattr(treatment_answers, "MOST", 200)
    few = answers(replace(known, free_answers=frozenset({TASK})))
    n = few.filter(names="other", answers_of="all")["n"][0]
    wrong = known.treated.filter(right=0.0)
    mean = wrong.height / known.treated["item"].n_unique()
    assert 200 / mean - 12 < n < 200 / mean + 12
    assert answers(known).filter(names="other", answers_of="all")["n"][0] == QUESTIONS * len(CULTURES)


def test_a_model_that_answers_for_the_culture_it_is_told_is_seen_in_the_matrix_and_in_the_answers(
    tmp_path: Path,
) -> None:
    countries = {culture_parts(code)["country"]: place for place, code in enumerate(CODES)}

    def told(prompt: str, system: str | None = None) -> str:
        number = int(prompt.split("Riddle ")[1].split(":")[0])
        right, about = right_letter(number), number % len(CODES)
        named = next((at for name, at in countries.items() if system and f"in {name} " in system), about)
        options = {(about + step + 1) % len(CODES): letter for step, letter in enumerate(LETTERS)}
        taken = right if named == about else options.get(named, right)
        return f'{{"answer_choice": "{taken}"}}'

    run = folkways.run(
        "blend/mcq",
        models=told,
        releases={"blend": str(write_mcq_release(tmp_path / "mcq", 200))},
        treatments={"persona-second": {"crossed": "all"}},
        workspace=str(tmp_path / "w.db"),
    )
    tables = {table.name: table for one in run.report_data().results for table in one.tables}
    cells = tables["treatments-matrix"].rows
    diagonal = cells.filter(pl.col("culture") == pl.col("named"))
    assert diagonal.height == len(CODES)
    assert diagonal["difference"].to_list() == [0.0] * len(CODES)
    offered = cells.filter(pl.col("difference") < -60)
    assert 3 * len(CODES) <= offered.height <= 4 * len(CODES)
    rows = tables["treatments-answers"].rows
    whole = rows.row(by_predicate=pl.col("answers_of") == "all", named=True)
    assert whole["untreated"] == 0
    assert whole["treated"] == pytest.approx(100 * 3 / 9, abs=1)
    assert whole["difference"] == pytest.approx(100 * 3 / 9 * 2 / 3, abs=1)
    assert whole["low"] > 0
    assert set(rows["names"]) == {"other"}


def notes() -> Iterator[str]:
    def better_of_itself(arm: str, culture: str, n: int) -> str:
        return culture if arm == OWN or n % 2 else after(culture)

    yield from (note for table in TREATMENTS.make(inputs(better_of_itself)) for note in table.notes)


def test_the_table_is_among_those_of_treatments() -> None:
    assert any("the prompt answers for its culture" in note for note in notes())
