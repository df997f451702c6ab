"""Report data at real sizes, by simulation: models with a known skill per culture, judged and scored by the
real summaries.

Questions, answers and replies are made up here. The structure (cultures, languages, variants, topics, number
of questions) is that of the benchmarks, so that sizes and shapes are those of a real report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.cultures import cultures_of
from folkways.records import JUDGED_ITEMS, Metric, Signature, State
from folkways.releases.release_records import ReleaseRecord
from folkways.reports.data import FAILURES, ReportData, RunInfo

LOCAL = {
    "US": "en", "GB": "en", "ES": "es", "MX": "es", "ID": "id", "CN": "zh", "KR": "ko", "DZ": "ar",
    "GR": "el", "IR": "fa", "KP": "ko", "AZ": "az", "ID-JB": "su", "IN-AS": "as", "NG-N": "ha", "ET": "am",
}  # fmt: skip
BLEND = tuple(LOCAL)
SKILL = dict(zip(BLEND, (79, 76, 70, 66, 62, 58, 57, 48, 55, 50, 40, 41, 38, 36, 24, 15), strict=True))
TOPICS = ("Food", "Sport", "Family", "Education", "Holidays", "Work life")
CULTURALBENCH = tuple(culture.code for culture in cultures_of("culturalbench"))

SEM_B = Metric(
    "sem_b",
    "SEM-B",
    "Share of questions with an answer that people of the culture gave (BLEnD, section 4.1).",
)
SEM_W = Metric(
    "sem_w",
    "SEM-W",
    "The same, weighted by how many people gave that answer (BLEnD, section 4.1).",
    kind="mean",
)
ACCURACY = Metric("accuracy", "Accuracy", "Share of questions answered with the right label.")
HI_CSI = Metric(
    "hi_csi", "HI-CSI", "Share of sentences whose culture-specific item was named exactly (XCR, section 4.1)."
)
SI_CSI = Metric(
    "si_csi", "SI-CSI", "The same with near matches by edit distance (XCR, section 4.1).", kind="mean"
)

MODELS = {"openai/gpt-4o-mini": 4.0, "http://localhost:8000/v1#meta/llama-3.1-8b-instruct": -11.0}
BASELINES = ("baseline/random", "baseline/constant:yes")

REPLIES = {
    "en": "People there usually have rice porridge, I think.",
    "ko": "보통 친구들과 함께 떡볶이를 먹습니다.",
    "zh": "一般来说，大家会吃饺子。",
    "ar": "عادةً ما يتناول الناس الكسكس يوم الجمعة.",
    "fa": "معمولاً مردم نان و پنیر می‌خورند.",
    "am": "ብዙውን ጊዜ እንጀራ ይበላሉ።",
    "el": "Συνήθως τρώνε κουλούρι με καφέ.",
    "es": "Normalmente se toma un café con churros.",
    "as": "সাধাৰণতে মানুহে ভাত খায়।",
}


@dataclass(frozen=True)
class Shape:
    """How much is simulated: questions per culture of each task."""

    saq: int = 465
    easy: int = 27
    xcr: int = 150
    loss: float = 0.004  # share of the second model's requests that fail


def release(name: str, licence: str, title: str) -> ReleaseRecord:
    citation = f"@article{{{name.split('@')[0]},\n  title  = {{{title}}},\n  year   = {{2024}}\n}}"
    return ReleaseRecord(
        name=name,
        benchmark=name.split("@")[0],
        revision="0123456789abcdef" * 2 + "01234567",
        source="github",
        repository="example/data",
        files=(),
        licence=licence,
        citation=citation,
        homepage="https://example.org/data",
        about="Questions about daily life, answered by people of each culture.",
    )


def _frame(
    task: str, rows: dict[str, list[str]], right: np.ndarray, rng: np.random.Generator, loss: float
) -> pl.DataFrame:
    n = len(right)
    draw = rng.random(n)
    state = np.select(
        [draw < loss * 0.8, draw < loss, draw < loss + 0.006, draw < loss + 0.013],
        [State.FAILED, State.MISSING, State.REFUSED, State.UNREADABLE],
        State.ANSWERED,
    )
    right = np.where(state == State.ANSWERED, right, 0.0)
    frame = pl.DataFrame(rows).with_columns(
        task=pl.lit(task),
        sample=pl.lit(0, pl.Int64),
        counted=pl.lit(True),
        state=pl.Series(state.astype(str)),
        right=pl.Series(right),
    )
    silent = pl.col("state").is_in([State.FAILED, State.MISSING])
    reply = pl.col("language").replace_strict(REPLIES, default=REPLIES["en"])
    return frame.with_columns(
        text=pl.format("What do people usually eat or do on occasion {} there?", pl.col("question")),
        gold=pl.lit("rice porridge (3) · porridge (2)"),
        response=pl.when(~silent).then(reply),
        answer=pl.when(pl.col("state") == State.ANSWERED).then(reply),
        reason=pl.when(pl.col("state") == State.FAILED)
        .then(pl.lit("HTTP 503 after 5 tries"))
        .when(pl.col("right") > 0)
        .then(pl.lit("matches “rice porridge” (3 votes)"))
        .otherwise(pl.lit("no accepted answer in the reply")),
    )


def saq(skill: float, rng: np.random.Generator, shape: Shape, loss: float) -> pl.DataFrame:
    rows: dict[str, list[str]] = {
        name: [] for name in ("item", "question", "culture", "language", "variant", "topic")
    }
    chance: list[float] = []
    difficulty = rng.normal(0, 0.12, shape.saq)
    for culture in BLEND:
        for language in dict.fromkeys((LOCAL[culture], "en")):
            local_bonus = 0.0 if language == "en" else 0.05 if SKILL[culture] > 50 else -0.08
            for variant in ("inst-4", "pers-3"):
                for number in range(shape.saq):
                    rows["item"].append(f"{culture}/Q-{number:03d}")
                    rows["question"].append(f"Q-{number:03d}")
                    rows["culture"].append(culture)
                    rows["language"].append(language)
                    rows["variant"].append(variant)
                    rows["topic"].append(TOPICS[number % 6])
                    topic_bonus = (number % 6 - 2.5) * 0.02
                    chance.append(
                        (SKILL[culture] + skill) / 100 + local_bonus + topic_bonus + difficulty[number]
                    )
    right = (rng.random(len(chance)) < np.array(chance) * (skill > -50)).astype(float)
    frame = _frame("blend/saq", rows, right, rng, loss)
    return frame.with_columns(
        sem_b=pl.col("right"), sem_w=pl.col("right") * pl.Series(rng.uniform(0.5, 1, len(right)))
    ).drop("right")


def easy(skill: float, rng: np.random.Generator, shape: Shape, loss: float) -> pl.DataFrame:
    n = shape.easy * len(CULTURALBENCH)
    rows = {
        "item": [f"easy/{number}" for number in range(n)],
        "question": [f"q{number}" for number in range(n)],
        "culture": [CULTURALBENCH[number % len(CULTURALBENCH)] for number in range(n)],
        "language": ["en"] * n,
        "variant": ["paper"] * n,
        "mode": ["multi" if number % 14 == 0 else "single" for number in range(n)],
    }
    share = 0.25 if skill < -50 else 0.72 + skill / 100
    return _frame("culturalbench/easy", rows, (rng.random(n) < share).astype(float), rng, loss).rename(
        {"right": "accuracy"}
    )


def xcr(skill: float, rng: np.random.Generator, shape: Shape, loss: float) -> pl.DataFrame:
    cultures = ("CN", "ARAB", "IN-WB", "KR")
    n = shape.xcr * len(cultures)
    rows = {
        "item": [f"{cultures[number % 4]}/xcr-{number:08x}" for number in range(n)],
        "question": [f"xcr-{number:08x}" for number in range(n)],
        "culture": [cultures[number % 4] for number in range(n)],
        "language": ["en"] * n,
        "variant": ["default"] * n,
        "category": [("Food", "Sports", "Places", "Clothing", "Names")[number % 5] for number in range(n)],
    }
    right = (rng.random(n) < (0.02 if skill < -50 else 0.55 + skill / 100)).astype(float)
    frame = _frame("xcr/identification", rows, right, rng, loss)
    return frame.with_columns(
        hi_csi=pl.col("right"), si_csi=pl.max_horizontal("right", pl.Series(rng.uniform(0, 0.6, n)))
    ).drop("right")


TASKS = {
    "blend/saq": (saq, (SEM_B, SEM_W), ("topic",), "BLEnD, short answers"),
    "culturalbench/easy": (easy, (ACCURACY,), ("mode",), "CulturalBench Easy"),
    "xcr/identification": (xcr, (HI_CSI, SI_CSI), ("category",), "XCR, identification"),
}


def _signature(task: str) -> Signature:
    return Signature(
        {
            "task": task,
            "data": f"{task.split('/')[0]}@24e7d73#1a2b3c4d5e6f",
            "lang": "ar+en+ko",
            "variant": "inst-4+pers-3",
            "prompts": "release",
            "system": "task",
            "settings": "temperature=0.0,top_p=1.0",
            "samples": "1",
            "profile": "paper",
            "text-ko": "simple-segmenter 1",
            "seed": "0",
            "folkways": "0.1.0",
        }
    )


def signed(text: str) -> Signature:
    """The signature that is written so."""
    return Signature(dict(part.split(":", 1) for part in text.split("|")))


def simulate(
    shape: Shape | None = None, models: dict[str, float] | None = None, tasks: tuple[str, ...] = tuple(TASKS)
) -> ReportData:
    """Report data of two models (or those given, name -> skill in points) and two baselines over three
    tasks."""
    shape = shape or Shape()
    rng = np.random.default_rng(7)
    scores, judgements, signatures = [], [], {}
    skills = {**(models or MODELS), **dict.fromkeys(BASELINES, -100.0)}
    for task in tasks:
        make, metrics, facets, _ = TASKS[task]
        for position, (endpoint, skill) in enumerate(skills.items()):
            judged = make(skill, rng, shape, shape.loss if position == 1 else 0.0)
            signature = _signature(task)
            signatures[signature.text()] = signature
            groupings = (
                (),
                ("culture",),
                ("language",),
                ("culture", "language"),
                ("variant",),
                *(("culture", facet) for facet in facets[:1]),
            )
            scored = summarise_means(
                judged, task, metrics, facets, groupings if task == "blend/saq" else groupings[:5]
            )
            named = {"endpoint": pl.lit(endpoint), "profile": pl.lit("paper")}
            scores.append(scored.with_columns(**named, signature=pl.lit(signature.text())))
            judgements.append(judged.with_columns(**named))
    failures = pl.DataFrame(
        [
            [list(skills)[1], "blend/saq", "HTTP 503", 89, "Service Unavailable: model is loading"],
            [list(skills)[1], "blend/saq", "timeout", 7, "no reply within 120 s"],
        ],
        schema=FAILURES,
        orient="row",
    )
    return ReportData(
        title="Everyday knowledge of two small models",
        created="2025-06-01T12:30:00+00:00",
        runs=(
            RunInfo(
                "run-7f3a",
                "2025-06-01T11:58:00+00:00",
                "finished",
                tuple(skills),
                tasks,
                1.84,
                63_120,
                1612.0,
                "0.1.0",
            ),
        ),
        scores=pl.concat(scores, how="diagonal"),
        judgements=pl.concat(judgements, how="diagonal"),
        releases=(
            release("blend@24e7d73", "CC-BY-SA-4.0", "BLEnD"),
            release("culturalbench@996d62a", "CC-BY-4.0", "CulturalBench"),
            release("xcr@1f2e3d4", "CC-BY-4.0", "XCR-Bench"),
        ),
        metrics={task: TASKS[task][1] for task in tasks},
        task_titles={task: TASKS[task][3] for task in tasks},
        warnings=("The local model was asked with a reduced context of 2,048 tokens.",),
        failures=failures,
        signatures=signatures,
    )


def with_judgement(data: ReportData, **values: str) -> ReportData:
    """The same data with these values in its first judgement."""
    first = data.judgements.head(1).with_columns(**{name: pl.lit(value) for name, value in values.items()})
    return replace(data, judgements=pl.concat([first, data.judgements.slice(1)], how="diagonal_relaxed"))


def small_report(metric: Metric, rights: dict[tuple[str, str], int], questions: int, said: str) -> ReportData:
    """A report of the task ``t/t``: (model, culture) -> how many of its questions are right; every wrong
    reply is ``said``."""
    rows = [
        {
            "task": "t/t", "item": f"{culture}/{number}", "question": f"{culture}/{number}", "culture": culture, "language": "en",
            "variant": "plain", "sample": 0, "counted": True, "state": "answered", "answer": said, "reason": None,
            "endpoint": model, "profile": "strict", "text": f"Question {number} about {culture}?", "gold": "gold",
            "response": "gold" if number < right else said, metric.name: float(number < right),
        }
        for (model, culture), right in rights.items()
        for number in range(questions)
    ]  # fmt: skip
    return report_of(pl.DataFrame(rows, schema={**JUDGED_ITEMS, metric.name: pl.Float64}), metric)


def report_of(judged: pl.DataFrame, metric: Metric) -> ReportData:
    """A report of these judgements (JUDGED_ITEMS and the metric) of the task ``t/t`` in the profile
    ``strict``."""
    made = {"profile": pl.lit("strict"), "signature": pl.lit("task:t/t")}
    scores = [
        summarise_means(own, "t/t", [metric], []).with_columns(endpoint=pl.lit(model), **made)
        for (model,), own in judged.group_by("endpoint", maintain_order=True)
    ]
    signatures = {"task:t/t": Signature({"task": "t/t"})}
    return ReportData(
        "Small", "2026-01-01T00:00:00+00:00", (), pl.concat(scores), judged, metrics={"t/t": (metric,)},
        task_titles={"t/t": "Task"}, signatures=signatures,
    )  # fmt: skip
