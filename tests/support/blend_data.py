"""A BLEnD release in miniature, written by us: three cultures, four questions, one of each hazard that a
reader must survive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from folkways.releases.release_records import Release, ReleaseRecord

NOT_KNOWING = {"idk": 0, "no-answer": 0, "not-applicable": 0}


def group(local: list[str], english: list[str], count: int) -> dict[str, Any]:
    return {"answers": local, "en_answers": english, "count": count}


QUESTIONS = {
    "Q-1": ("Food", "무엇을 마셔요?", "¿Qué se bebe?", "What do people drink in {}?"),
    "Q-2": ("Sport", "무엇을 해요?", "¿Qué se juega?", "What is played in {}?"),
    "Q-3": ("Family", "몇 시예요?", "¿A qué hora es?", "When does the family eat in {}?"),
    "Q-4": ("Food", "없음?", "¿Nada?", "Which of these is unknown in {}?"),
}

ANSWERS: dict[str, dict[str, tuple[list[dict[str, Any]], dict[str, int]]]] = {
    "South_Korea": {
        "Q-1": ([group(["보리차"], ["barley tea"], 3), group(["차"], ["tea"], 1)], {}),
        "Q-2": ([group(["윷놀이", ""], ["yut nori", "Yutnori"], 4), group(["축구"], [], 2)], {"i forgot": 1}),
        "Q-3": ([group(["19:00"], ["19:00"], 2), group(["7"], ["7"], 1)], {"no-answer": 2}),
        "Q-4": ([group(["없음"], ["None"], 1)], {"no-answer": 2, "not-applicable": 1}),
    },
    "Spain": {
        "Q-1": ([group(["café"], ["coffee"], 3), group(["té con limón"], ["tea with lemon"], 1)], {}),
        "Q-2": ([group(["fútbol"], ["football"], 5)], {}),
        "Q-3": ([group([" 21:30"], ["21:30"], 6)], {}),
        "Q-4": ([], {"idk": 5}),
    },
    "US": {
        "Q-1": ([group(["Coffee"], ["Coffee"], 4), group(["tea"], ["tea"], 2)], {}),
        "Q-2": ([group(["base-ball"], ["base-ball"], 3)], {}),
        "Q-3": ([group(["6"], ["6"], 2)], {}),
        "Q-4": ([group(["nothing"], ["nothing"], 1)], {"idk": 4}),
    },
}

NAMES = {"South_Korea": "South Korea", "Spain": "Spain", "US": "the US"}


def local_question(country: str, key: str) -> str:
    _, korean, spanish, english = QUESTIONS[key]
    return {"South_Korea": korean, "Spain": spanish}.get(country, english.format(NAMES[country]))


def write_release(
    root: Path, *, swapped: bool = False, your_country: bool = False, prompts: bool = True
) -> Path:
    """Write the release; ``swapped`` puts local questions under the header Question, as the newest state
    does."""
    for folder in ("annotations", "questions", "prompts") if prompts else ("annotations", "questions"):
        (root / folder).mkdir(parents=True)
    for country, answers in ANSWERS.items():
        entries, rows = {}, []
        for key, (groups, not_knowing) in answers.items():
            place = "your country" if your_country else country.replace("_", " ")
            local, english = local_question(country, key), QUESTIONS[key][3].format(place)
            idks = {**NOT_KNOWING, **not_knowing}
            entries[key] = {"question": local, "en_question": english, "annotations": groups, "idks": idks}
            rows.append(
                (key, QUESTIONS[key][0], "English (US)", *((local, english) if swapped else (english, local)))
            )
        text = json.dumps(entries, ensure_ascii=False, indent=1)
        (root / "annotations" / f"{country}_data.json").write_text(text, encoding="utf-8")
        write_csv(
            root / "questions" / f"{country}_questions.csv",
            ["ID", "Topic", "Source", "Question", "Translation"],
            rows,
        )
        if prompts:
            templates = [
                ("inst-4", "One answer, please.\n\nQuestion: {q}\nAnswer:", "하나만.\n\n질문: {q}\n답변:"),
                ("pers-3", "You live there. {q}", "당신은 거기 삽니다. {q}"),
                ("inst-4", "A second one with the same name: {q}", "둘째: {q}"),
            ]
            if country == "Spain":
                templates.append(("inst-1", "Think first. {q}", "Piensa. {q}"))
            write_csv(
                root / "prompts" / f"{country}_prompts.csv", ["id", "English", "Translation"], templates
            )
    return root


def write_csv(path: Path, header: list[str], rows: Sequence[tuple[str, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [tuple(header), *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def release_at(root: Path, name: str = "blend@made") -> Release:
    record = ReleaseRecord(name, "blend", "0", "github", "nobody/nothing", (), "CC0-1.0", "", "", "")
    return Release(record, root)


MCQ_HEADER = ["MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx"]


def mcq_row(number: int, country: str, choices: list[str], answer: str, key: str = "Q-1") -> tuple[str, ...]:
    lettered = dict(zip("ABCD", choices, strict=False))
    options = "\n".join(f"{letter}. {text}" for letter, text in lettered.items())
    prompt = f"What do people drink? Without any explanation, answer with a letter.\n\n{options}\n\nAnswer:"
    return (
        f"{key}_{number}",
        key,
        country,
        prompt,
        json.dumps(lettered),
        json.dumps(dict.fromkeys(lettered, country)),
        answer,
    )


MCQ_ROWS = [
    mcq_row(0, "South_Korea", ["barley tea", "coffee", "None", "wine"], "A"),
    mcq_row(1, "South_Korea", ["barley tea", "coffee", "mate", "wine"], "A"),
    mcq_row(2, "Spain", ["barley tea", "coffee", "mate", "rum"], "B"),
    mcq_row(3, "Spain", ["football", "golf", "chess", "yut"], "A", "Q-2"),
]


def write_mcq(root: Path, rows: list[tuple[str, ...]] | None = None) -> Path:
    write_csv(root / "mc_questions_file.csv", MCQ_HEADER, rows or MCQ_ROWS)
    return root
