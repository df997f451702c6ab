"""Questions of our own in the schemas of Global-MMLU-Lite, INCLUDE, Global PIQA and NormAd, as the hub has
their files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord

LETTERS = ("a", "b", "c", "d")
Row = dict[str, Any]

MMLU_QUESTIONS = (
    # sample_id, kind, country as annotated, region, subject category, right letter, language -> question and
    # options
    (
        "geography/test/1",
        "CS",
        "['Japan', 'Japan']",
        "['Asia']",
        "Social Sciences",
        "B",
        {
            "en": ("What is the capital of Japan?", "Osaka", "Tokyo", "Kyoto", "Nagoya"),
            "es": ("¿Cuál es la capital de Japón?", "Osaka", "Tokio", "Kioto", "Nagoya"),
            "ru": ("Как называется столица Японии?", "Осака", "Токио", "Киото", "Нагоя"),
            "ar": ("ما هي عاصمة اليابان؟", "أوساكا", "طوكيو", "كيوتو", "ناغويا"),
        },
    ),
    (
        "history/test/2",
        "CS",
        "['United States of America (USA)', 'France']",
        "['North America', 'Europe']",
        "Humanities",
        "C",
        {
            "en": (
                "Which country gave the Statue of Liberty to New York?",
                "Spain",
                "Italy",
                "France",
                "Greece",
            ),
            "es": (
                "¿Qué país regaló la Estatua de la Libertad a Nueva York?",
                "España",
                "Italia",
                "Francia",
                "Grecia",
            ),
            "ru": (
                "Какая страна подарила Нью-Йорку статую Свободы?",
                "Испания",
                "Италия",
                "Франция",
                "Греция",
            ),
            "ar": ("أي بلد أهدى تمثال الحرية إلى نيويورك؟", "إسبانيا", "إيطاليا", "فرنسا", "اليونان"),
        },
    ),
    (
        "arithmetic/test/3",
        "CA",
        "",
        "",
        "STEM",
        "A",
        {
            "en": ("How much is 2 + 2?", "4", "5", "3", "22"),
            "es": ("¿Cuánto es 2 + 2?", "4", "5", "3", "22"),
            "ru": ("Сколько будет 2 + 2?", "4", "5", "3", "22"),
            "ar": ("كم يساوي 2 + 2؟", "4", "5", "3", "22"),
        },
    ),
    (
        "biology/test/4",
        "CA",
        "[]",
        "[]",
        "STEM",
        "D",
        {
            "en": ("Which of these animals can fly?", "dog", "horse", "fish", "eagle"),
            "es": ("¿Cuál de estos animales puede volar?", "perro", "caballo", "pez", "águila"),
            "ru": ("Какое из этих животных умеет летать?", "собака", "лошадь", "рыба", "орёл"),
            "ar": ("أي من هذه الحيوانات يستطيع الطيران؟", "كلب", "حصان", "سمكة", "نسر"),
        },
    ),
)


def mmlu_rows(language: str) -> list[Row]:
    """The questions in a language, in English where they are in none of it."""
    rows = []
    for sample, kind, country, region, category, answer, texts in MMLU_QUESTIONS:
        question, *options = texts.get(language, texts["en"])
        rows.append(
            {
                "sample_id": sample,
                "subject": sample.split("/")[0],
                "subject_category": category,
                "question": question,
                **{f"option_{letter}": option for letter, option in zip(LETTERS, options, strict=True)},
                "answer": answer,
                "required_knowledge": "",
                "time_sensitive": "",
                "reference": "",
                "culture": "",
                "region": region,
                "country": country,
                "cultural_sensitivity_label": kind,
                "is_annotated": True,
            }
        )
    return rows


INCLUDE_QUESTIONS: dict[str, Sequence[tuple[str, str, str, str, Sequence[str], int]]] = {
    # language -> country, domain, regional feature, question, options, right answer from 0
    "Greek": [
        (
            "Greece",
            "Social Science",
            "Region explicit",
            "Ποια είναι η πρωτεύουσα της Ελλάδας;",
            ("Πάτρα", "Αθήνα", "Βόλος", "Χανιά"),
            1,
        ),
        (
            "Greece",
            "Licenses",
            "Culture",
            "Ποιο χρώμα φαναριού σημαίνει «σταμάτα»;",
            ("πράσινο", "μπλε", "κόκκινο", "άσπρο"),
            2,
        ),
    ],
    "Korean": [
        (
            "South Korea",
            "Humanities",
            "Region explicit",
            "한글을 만든 왕은 누구입니까?",
            ("세종", "정조", "태조", "영조"),
            0,
        ),
        (
            "South Korea",
            "STEM",
            "Region agnostic",
            "삼각형의 변은 몇 개입니까?",
            ("둘", "넷", "다섯", "셋"),
            3,
        ),
    ],
    "North Macedonian": [
        (
            "North Macedonia",
            "Social Science",
            "Region explicit",
            "Кој е главен град на Македонија?",
            ("Охрид", "Битола", "Скопје", "Велес"),
            2,
        )
    ],
    "Arabic": [
        (
            "Jordan",
            "Humanities",
            "Region explicit",
            "في أي بلد تقع مدينة البتراء؟",
            ("الأردن", "مصر", "المغرب", "تونس"),
            0,
        )
    ],
}


def include_rows(language: str, *, choices: bool = False) -> list[Row]:
    """The questions of a language, with a list of choices as in older files and in lite; one in English where
    there are none."""
    known = INCLUDE_QUESTIONS.get(
        language, [("Spain", "STEM", "Region agnostic", f"How much is 1 + 1? ({language})", "1234", 1)]
    )
    rows = []
    for country, domain, feature, question, options, answer in known:
        row: Row = {
            "language": language,
            "country": country,
            "domain": domain,
            "subject": "x",
            "regional_feature": feature,
        }
        shown = {f"option_{letter}": option for letter, option in zip(LETTERS, options, strict=True)}
        row |= {
            "level": "Academic",
            "question": question,
            **({"choices": list(options)} if choices else shown),
            "answer": answer,
        }
        rows.append(row)
    return rows


PIQA_PROMPTS = {
    "eng_latn": ("To keep tea warm on the table,", "put a cosy over the pot.", "put ice into the pot.", 0),
    "deu_latn": (
        "Um Brötchen frisch zu halten,",
        "legt man sie ins Wasser.",
        "legt man sie in einen Brotkasten.",
        1,
    ),
    "jpn_jpan": ("畳の部屋に入るときは、", "靴を履いたまま入る。", "靴を脱いで入る。", 1),
    "por_latn_braz": ("Para fazer pão de queijo,", "use polvilho.", "use areia.", 0),
}


def piqa_rows(variety: str, n: int = 1) -> list[Row]:
    prompt, first, second, label = PIQA_PROMPTS.get(variety, PIQA_PROMPTS["eng_latn"])
    told = {"prompt": prompt, "solution0": first, "solution1": second, "label": label, "language": variety}
    return [{**told, "prompt": f"{prompt}{' ' * number}", "example_id": str(number)} for number in range(n)]


_STORY = "{who} visits a friend in {where} and {does}. Is what {who} does acceptable?"
NORMAD_STORIES = (
    (
        "japan",
        "visiting",
        "cleanliness at home",
        "Shoes are taken off at the door.",
        "Tom",
        "takes off the shoes at the door",
        "yes",
    ),
    (
        "japan",
        "visiting",
        "cleanliness at home",
        "Shoes are taken off at the door.",
        "Ann",
        "walks in with muddy shoes",
        "no",
    ),
    (
        "türkiye",
        "eating",
        "hospitality",
        "One accepts the tea that a host offers.",
        "Max",
        "accepts the tea with thanks",
        "yes",
    ),
    ("egypt", "gifts", "respect", "A gift is given with both hands.", "Lea", "opens the window", "neutral"),
    (
        "timor-leste",
        "eating",
        "respect",
        "The oldest begin to eat.",
        "Ben",
        "eats before the grandparents sit down",
        "no",
    ),
    (
        "united_states_of_america",
        "tipping",
        "fairness",
        "Waiters are given a tip.",
        "Eva",
        "leaves a tip",
        "yes",
    ),
)


def normad_rows() -> list[Row]:
    return [
        {
            "ID": str(number),
            "Country": country,
            "Background": f"About {country}.",
            "Axis": "Etiquette",
            "Subaxis": subaxis,
            "Value": value,
            "Rule-of-Thumb": rule,
            "Story": _STORY.format(who=who, where="town", does=does),
            "Explanation": "Because of the rule.",
            "Gold Label": gold,
        }
        for number, (country, subaxis, value, rule, who, does, gold) in enumerate(NORMAD_STORIES)
    ]


def write_parquet(root: Path, path: str, rows: Sequence[Row]) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(list(rows)).write_parquet(root / path)


def write_delimited(root: Path, path: str, rows: Sequence[Row], delimiter: str = ",") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    with (root / path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_mmlu(root: Path, languages: Iterable[str] = ("en", "es", "ru", "ar")) -> Release:
    for language in languages:
        write_parquet(root, f"{language}/test-00000-of-00001.parquet", mmlu_rows(language))
    return release_over(root, "global-mmlu-lite")


def write_include(
    root: Path, languages: Iterable[str] = tuple(INCLUDE_QUESTIONS), *, choices: bool = False
) -> Release:
    for language in languages:
        write_parquet(
            root, f"{language}/test-00000-of-00001.parquet", include_rows(language, choices=choices)
        )
    return release_over(root, "include")


def write_piqa(root: Path, varieties: Iterable[str] = tuple(PIQA_PROMPTS), n: int = 3) -> Release:
    for variety in varieties:
        write_delimited(root, f"data/nonparallel_{variety}.tsv", piqa_rows(variety, n), "\t")
    return release_over(root, "global-piqa")


def write_normad(root: Path) -> Release:
    write_delimited(root, "normad_etiquette_final_data.csv", normad_rows())
    return release_over(root, "normad")


def release_over(root: Path, benchmark: str) -> Release:
    """The release over whatever lies in ``root``."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    files = tuple(ReleaseFile(path, path) for path in paths)
    record = ReleaseRecord(
        f"{benchmark}@test", benchmark, "0" * 40, "hub", f"example/{benchmark}", files, "CC0-1.0", "", "", ""
    )
    return Release(record, root)
