"""The variants lm-eval against lm-evaluation-harness itself: its own tasks over made-up rows, text for text; of a few
languages in every run and of all by night."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.global_mmlu import TASK as MMLU
from folkways.benchmarks.global_mmlu_lite import TASK as MMLU_LITE
from folkways.benchmarks.global_piqa import TASK as PIQA
from folkways.benchmarks.global_piqa import countries
from folkways.benchmarks.global_piqa_parallel import TASK as PARALLEL
from folkways.benchmarks.include import TASK as INCLUDE
from folkways.benchmarks.multiple_choice.lm_eval import template_of
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support import lm_eval_tasks
from tests.support.hub_benchmarks import release_over, write_delimited, write_parquet
from tests.support.lm_eval_tasks import Job
from tests.support.other_programs import programs_of
from tests.support.tiny_language_model import make_language_model

Row = dict[str, Any]
DOMAINS = (
    *("Applied Science", "Arts & Humanities", "Business & Commerce", "Driving License", "General knowledge"),
    *("Health oriented education", "Marine License", "Medical License", "Professional certification", "STEM"),
    "Social Science",
)
CATEGORIES = ("Business", "Humanities", "Medical", "Other", "STEM", "Social Sciences")
SUBJECTS = ("anatomy", "world_religions")
"""Two of its 57, at the ends of two of its groups."""
LITE = ["ar", "bn", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "pt", "sw", "yo", "zh"]
"""The languages of its tasks over Global-MMLU-Lite; ours has 23."""


def lettered(name: str, number: int, **columns: object) -> Row:
    """A question that begins and ends with white space, and has what templates could take for a place of theirs."""
    options = {f"option_{letter}": f"{letter} {number}{' ' * (number % 2)}" for letter in "abcd"}
    question = f" \n{name} {number}: {{a}} {{{{question}}}} \\boxed{{x}}? é한 \t"
    return {"question": question, **options, **columns}


def mmlu(language: str, split: str, category: str, number: int) -> Row:
    row = lettered(
        f"{split} {language} {category}", number, answer="ABCD"[number % 4], subject_category=category
    )
    return row | {
        "sample_id": f"{category}/{number}",
        "cultural_sensitivity_label": "CA",
        "country": "-",
        "region": "-",
    }


def write_lite(root: Path, languages: Sequence[str] = LITE) -> tuple[Release, dict[str, Any]]:
    data = {
        language: {
            split: [mmlu(language, split, one, at) for at in range(rows) for one in CATEGORIES]
            for split, rows in (("dev", 4), ("test", 3))
        }
        for language in languages
    }
    for language, splits in data.items():
        for split, rows in splits.items():
            write_parquet(root, f"{language}/{split}-00000-of-00001.parquet", rows)
    return release_over(root, "global-mmlu-lite"), data


def write_full(root: Path, languages: Sequence[str] = ()) -> tuple[Release, dict[str, Any]]:
    data = {
        language: {
            split: [
                mmlu(language, split, one, at) | {"subject": one, "subject_category": "Other"}
                for at in range(rows)
                for one in SUBJECTS
            ]
            for split, rows in (("dev", 4), ("test", 2))
        }
        for language in languages or folders_of("global-mmlu")
    }
    for language, splits in data.items():
        for split, rows in splits.items():
            write_parquet(root, f"{language}/{split}-00000-of-00001.parquet", rows)
    return release_over(root, "global-mmlu"), data


def folders_of(release: str) -> list[str]:
    """The languages of a release that has a folder for each."""
    return sorted({entry.path.split("/")[0] for entry in get_record(release).files})


def write_parallel(root: Path, varieties: Sequence[str] = ()) -> tuple[Release, dict[str, Any]]:
    data = {}
    for entry in get_record("global-piqa-parallel").files:
        variety = Path(entry.path).stem.removeprefix("parallel_")
        if varieties and variety not in varieties:
            continue
        rows: list[Row] = [
            {"prompt": f"{variety} {at}?", "label": at, **{f"solution{n}": f"é {n} {at}" for n in range(4)}}
            for at in range(4)
        ]
        data[variety] = {"test": rows}
        write_delimited(root, entry.path, rows, "\t")
    return release_over(root, "global-piqa-parallel"), data


def write_include(root: Path, folders: Sequence[str] = ()) -> tuple[Release, dict[str, Any]]:
    data = {}
    for folder in folders or folders_of("include"):
        rows = [
            lettered(f"{folder} {domain}", at, answer=at % 4, domain=domain, country="Greece", level="x")
            | {"regional_feature": "x", "language": folder}
            for at in range(4)
            for domain in DOMAINS
        ]
        data[folder] = {"test": rows}
        write_parquet(root, f"{folder}/test-00000-of-00001.parquet", rows)
    return release_over(root, "include"), data


def write_piqa(root: Path, varieties: Sequence[str] = ()) -> tuple[Release, dict[str, Any]]:
    data = {}
    for variety in varieties or countries():
        rows: list[Row] = [
            {
                "prompt": f"{variety} {{prompt}}, {{{{a}}}}{' ' * at}",
                "solution0": f"é{'한' * at} one",
                "solution1": f"two {{b}} {at}",
                "label": at % 2,
            }
            for at in range(4)
        ]
        data[variety] = {"test": rows}
        write_delimited(root, f"data/nonparallel_{variety}.tsv", rows, "\t")
    return release_over(root, "global-piqa"), data


def packages() -> Path:
    """Where lm-evaluation-harness is installed."""
    (folder,) = (programs_of("other-programs").parent / "lib").glob("python*/site-packages")
    return folder


def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """lm-evaluation-harness, importable from here as if it were installed beside folkways."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages())])


DATA = {
    "Global-MMLU-Lite": (MMLU_LITE, write_lite),
    "include-base-44": (INCLUDE, write_include),
    "global-piqa-nonparallel": (PIQA, write_piqa),
    "Global-MMLU": (MMLU, write_full),
    "global-piqa-parallel": (PARALLEL, write_parallel),
}
CASES = (
    ("Global-MMLU-Lite", "lm-eval", "global_mmlu/default"),
    ("include-base-44", "lm-eval", "include/default"),
    ("include-base-44", "lm-eval-few-shot-en", "include/few_shot_en"),
    ("include-base-44", "lm-eval-few-shot-og", "include/few_shot_og"),
    ("global-piqa-nonparallel", "lm-eval", "global_piqa/nonparallel_generation"),
    ("global-piqa-nonparallel", "lm-eval-cloze", "global_piqa/nonparallel_cloze"),
    ("Global-MMLU", "lm-eval", "global_mmlu/full"),
    ("global-piqa-parallel", "lm-eval", "global_piqa/parallel_generation"),
    ("global-piqa-parallel", "lm-eval-cloze", "global_piqa/parallel_cloze"),
)
SHOTS = (0, 3)
CLOZE_VARIETIES = ("amh_ethi", "deu_latn", "jpn_jpan", "kor_hang", "spa_latn_mexi", "urd_arab")
"""Of Global PIQA's, whose clozes are one text for all: a few of several scripts."""
FEW = {
    "Global-MMLU-Lite": ("ko", "yo"),
    "include-base-44": ("Greek", "Korean", "North Macedonian"),
    "global-piqa-nonparallel": CLOZE_VARIETIES,
    "Global-MMLU": ("fil", "ko"),
    "global-piqa-parallel": CLOZE_VARIETIES,
}
"""Languages of every run: the program names its tasks by them. Of INCLUDE's it has tasks of most domains, of few, of none."""
SCORED_SHOTS = (0, 2)
SCORED_FOLDERS = {
    "Global-MMLU-Lite": {"global_mmlu/default/ko": None, "global_mmlu/default/yo": None},
    "global-piqa-nonparallel": {"global_piqa/nonparallel_cloze": ["kor_hang", "deu_latn"]},
}
"""What a model is asked there and here, in two languages each."""


@dataclass(frozen=True)
class HarnessScores:
    """A model, the releases that it is asked about, and what the program makes of it."""

    model: Path
    releases: dict[str, Release]
    theirs: dict[str, Any]


@dataclass(frozen=True)
class Program:
    """The releases, their items, and what the program would send of the same rows. scored: None without torch."""

    releases: dict[str, Release]
    items: Callable[[str], pl.DataFrame]
    theirs: dict[str, Any]
    scored: HarnessScores | None


def folders_to_ask(languages: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str] | None]:
    """Folders below the program's tasks, and the endings of the tasks in them; of all languages where it names none."""
    folders: dict[str, Sequence[str] | None] = {}
    for data, _, folder in CASES:
        if folder.startswith("global_piqa"):
            folders[folder] = CLOZE_VARIETIES if folder.endswith("cloze") else languages.get(data)
        else:
            ends = [f"_{subject}" for subject in SUBJECTS] if data == "Global-MMLU" else None
            folders |= {str(Path(folder, name)): ends for name in languages.get(data, [""])}
    return folders


@pytest.fixture(
    scope="module",
    params=[pytest.param(FEW, id="few"), pytest.param({}, marks=pytest.mark.nightly, id="every language")],
)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """One start of the program for all cases, and for the model."""
    programs_of("other-programs")
    folder = tmp_path_factory.mktemp("lm-eval")
    languages: Mapping[str, Sequence[str]] = request.param
    written = {
        name: write(folder / name, *([languages[name]] if languages else []))
        for name, (_, write) in DATA.items()
    }
    releases = {name: release for name, (release, _) in written.items()}
    folders = folders_to_ask(languages)
    jobs = [Job({name: rows for name, (_, rows) in written.items()}, folders, SHOTS)]
    model = folder / "model"
    few = {
        "Global-MMLU-Lite": write_lite(folder / "few-mmlu", ["ko", "yo"]),
        "global-piqa-nonparallel": write_piqa(folder / "few-piqa", ["kor_hang", "deu_latn"]),
    }
    if find_spec("torch") is not None:
        options = {"model": str(make_language_model(model))}
        rows = {name: rows for name, (_, rows) in few.items()}
        asked = {path: ends for paths in SCORED_FOLDERS.values() for path, ends in paths.items()}
        jobs.append(Job(rows, asked, SCORED_SHOTS, options))
    theirs, *scored = lm_eval_tasks.run(folder, *jobs)

    @cache
    def items(name: str) -> pl.DataFrame:
        return DATA[name][0].items(releases[name])

    few_releases = {name: release for name, (release, _) in few.items()}
    return Program(releases, items, theirs, HarnessScores(model, few_releases, scored[0]) if scored else None)


@pytest.mark.filterwarnings("ignore::folkways.errors.FolkwaysWarning")
@pytest.mark.parametrize("shots", SHOTS)
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_questions_are_asked_as_the_program_asks_them(
    case: tuple[str, str, str], shots: int, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clozes in CLOZE_VARIETIES: the test below says that the others are like them."""
    data, variant, folder = case
    task, release = DATA[data][0], program.releases[data]
    installed(monkeypatch)
    samples = [
        sample
        for path, of_shots in program.theirs.items()
        if f"{path}/".startswith(f"{folder}/")
        for of_task in of_shots[str(shots)].values()
        for sample in of_task["samples"]
    ]
    items = program.items(data)
    if variant == "lm-eval-cloze":
        items = items.filter(pl.col("lm_eval_task").is_in(CLOZE_VARIETIES))
    prompts = task.prompts(items, PromptOptions(variants=(variant,), shots=shots), release)
    assert set(map(template_of, prompts["variant"])) == {variant}
    assert set(prompts["prompt_source"]) == {"lm-eval 0.4.13"}
    if folder.endswith("generation"):
        theirs = sorted((sample["context"], task.labels) for sample in samples)
    else:
        theirs = sorted((sample["context"], tuple(sample["continuations"])) for sample in samples)
    between = "" if folder.endswith("generation") else " "
    ours = sorted(
        (user, tuple(f"{between}{choice}" for choice in choices))
        for user, choices in prompts.select("user", "choices").iter_rows()
    )
    assert len(ours) == len(samples) > 0 and ours == theirs


@pytest.mark.parametrize("folder", ["nonparallel_cloze", "parallel_cloze"])
def test_clozes_are_alike_in_every_variety(folder: str) -> None:
    """All but their names, and as many as there are of the tasks that are asked in every variety."""
    tasks = packages() / "lm_eval" / "tasks" / "global_piqa"
    texts = {path.stem: path.read_text("utf-8") for path in (tasks / folder).glob("[!_]*.yaml")}
    assert set(texts) == {
        path.stem for path in (tasks / folder.replace("cloze", "generation")).glob("[!_]*.yaml")
    }
    assert len({text.replace(variety, "VARIETY") for variety, text in texts.items()}) == 1


@pytest.mark.filterwarnings("ignore::folkways.errors.FolkwaysWarning")
def test_a_question_among_its_own_examples_is_marked(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INCLUDE's examples are drawn among the questions that are asked; those of Global-MMLU-Lite are others."""
    installed(monkeypatch)
    release = program.releases["include-base-44"]
    items = program.items("include-base-44").head(200)
    prompts = INCLUDE.prompts(items, PromptOptions(variants=("lm-eval-few-shot-og",), shots=3), release)
    texts = dict(items.select("item", "text").iter_rows())
    marked = 0
    for item, variant, user in prompts.select("item", "variant", "user").iter_rows():
        itself = user.count(texts[item].strip()) > 1
        assert variant == f"lm-eval-few-shot-og~shots-3{'-itself' if itself else ''}"
        marked += itself
    assert 0 < marked < prompts.height
    lite = program.releases["Global-MMLU-Lite"]
    other = MMLU_LITE.prompts(
        program.items("Global-MMLU-Lite"), PromptOptions(variants=("lm-eval",), shots=3), lite
    )
    assert set(other["variant"]) == {"lm-eval~shots-3"}


@pytest.mark.local_model
@pytest.mark.filterwarnings("ignore::folkways.errors.FolkwaysWarning")
def test_a_model_scores_there_what_it_scores_here(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same model, by likelihood, with and without examples: accuracy of each question, and of all."""
    pytest.importorskip("torch")
    assert program.scored is not None
    installed(monkeypatch)
    model, release_of, theirs = program.scored.model, program.scored.releases, program.scored.theirs
    cases = (
        ("Global-MMLU-Lite", "lm-eval", {"accuracy": "acc"}),
        (
            *("global-piqa-nonparallel", "lm-eval-cloze"),
            {"accuracy": "acc", "acc_norm": "acc_norm", "acc_bytes": "acc_bytes"},
        ),
    )
    for (name, variant, metrics), shots in product(cases, SCORED_SHOTS):
        done = run(
            DATA[name][0].name,
            models=f"hf/{model}",
            workspace=tmp_path / "w.db",
            releases={"*": str(release_of[name].root)},
            variants=variant,
            shots=shots,
            settings={"read": "loglik"},
        )
        judged = done.judgements().filter(~pl.col("endpoint").str.starts_with("baseline/"))
        task, release = DATA[name][0], release_of[name]
        options = PromptOptions(variants=(variant,), shots=shots)
        asked = dict(task.prompts(task.items(release), options, release).select("item", "user").iter_rows())
        for ours, metric in metrics.items():
            expected = {
                sample["context"]: sample["metrics"][metric]
                for folder in SCORED_FOLDERS[name]
                for of_task in theirs[folder][str(shots)].values()
                for sample in of_task["samples"]
            }
            scores = {asked[item]: value for item, value in judged.select("item", ours).iter_rows()}
            assert scores == expected and len(set(expected.values())) == 2, (name, shots, ours)
