"""Small data of our own for the benchmarks of the three papers, and models that know a stated share of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from string import ascii_lowercase

from folkways.api import run
from folkways.benchmarks.xcr.labels import CATEGORIES, ELEMENTS, LEVELS
from folkways.benchmarks.xcr.release import ADAPTATION_FILES, BASE_FILE, PROMPT_FILES
from folkways.cultures import get_culture
from folkways.endpoints.base import Request
from folkways.endpoints.baselines import BaselineEndpoint
from tests.support.blend_data import NOT_KNOWING, group, mcq_row, write_csv, write_mcq
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench
from tests.support.culturalbench_model import answer_culturalbench, share
from tests.support.xcr_data import write_csv as write_rows

KNOWS = {
    "openai/gpt-4-turbo-2024-04-09": 0.5,
    "openai/gpt-4o-2024-05-13": 0.6,
    "openai/gpt-4o-2024-08-06": 0.7,
    "vllm/qwen2.5-7b-instruct": 0.3,
    "vllm/qwen2.5-72b-instruct": 0.6,
}
"""Model -> the share of questions that it knows."""
BLEND = ("KR", "KP", "CN", "ES", "US", "ET", "IN-AS")
TOPICS = ("Food", "Sport", "Family", "Holidays/Celebration/Leisure")
QUESTIONS = 10
COUNTRIES = ("United States", "South Korea", "China", "Italy")
SENTENCES = 10
METHODS = ("Cultural Equivalent", "Couplet (Label + Deletion)", "Transference")


def write_papers_data(folder: Path) -> dict[str, str]:
    """A release of each benchmark in a folder of its name, and a list of marking words. Returns benchmark -> folder."""
    places = {name: folder / name for name in ("blend", "culturalbench", "xcr")}
    for place in places.values():
        place.mkdir()
    _write_blend(places["blend"])
    easy, hard = culturalbench_rows()
    chosen = {
        row["question_idx"]
        for country in COUNTRIES
        for row in [one for one in easy if one["country"] == country][:4]
    }
    kept = [[row for row in rows if row["question_idx"] in chosen] for rows in (easy, hard)]
    write_culturalbench(places["culturalbench"], *kept)
    topics = [f"{row['question_idx']},{TOPICS[number % 3]},Daily life" for number, row in enumerate(kept[0])]
    (places["culturalbench"] / "topics.csv").write_text(
        "\n".join(["question_idx,topic,head", *topics]), encoding="utf-8"
    )
    _write_xcr(places["xcr"])
    (folder / "markers.csv").write_text("marker,side\nin-wb,IN-WB\nbd,BD\n", encoding="utf-8")
    return {name: str(place) for name, place in places.items()}


def run_models(releases: Mapping[str, str], workspace: Path) -> None:
    """A run of each benchmark, under its name, with the models of KNOWS; CulturalBench's alone has those that
    only differ in their date."""
    models = [BaselineEndpoint(name, name, _rule(name, knows)) for name, knows in KNOWS.items()]
    for name, release in releases.items():
        chosen = models if name == "culturalbench" else models[2:]
        done = run(name, models=chosen, workspace=str(workspace), name=name, releases={name: release})
        done.workspace.close()


def _word(culture: str, number: int) -> str:
    """The answer of a culture to a question."""
    return f"{culture.replace('-', '').lower()}ish{ascii_lowercase[number]}"


def _letter(culture: str, number: int) -> str:
    return "ABCD"[(BLEND.index(culture) + number) % 4]


def _write_blend(root: Path) -> None:
    choices = []
    for culture in BLEND:
        country = get_culture(culture).names["blend"]
        entries, rows = {}, []
        for number in range(QUESTIONS):
            key, word = f"Q-{number}", _word(culture, number)
            groups = [group([word], [word], 4), group(["tea"], ["tea"], 1)]
            text = f"What is number {number} in {country}?"
            entries[key] = {"question": text, "en_question": text, "annotations": groups, "idks": NOT_KNOWING}
            rows.append((key, TOPICS[number % 4], "English (US)", text, text))
            options = [_word(other, number) for other in BLEND if other != culture][:3]
            options.insert("ABCD".index(_letter(culture, number)), word)
            choices.append(mcq_row(len(choices), country, options, _letter(culture, number), key))
        (root / "annotations").mkdir(exist_ok=True)
        (root / "annotations" / f"{country}_data.json").write_text(json.dumps(entries), encoding="utf-8")
        write_csv(
            root / "questions" / f"{country}_questions.csv",
            ["ID", "Topic", "Source", "Question", "Translation"],
            rows,
        )
        templates = [(name, "Say: {q}", "Say it: {q}") for name in ("inst-4", "pers-3")]
        write_csv(root / "prompts" / f"{country}_prompts.csv", ["id", "English", "Translation"], templates)
    write_mcq(root, choices)


def _sentence(number: int) -> str:
    return f"On day {number} they bring <CSI> a cake of kind {ascii_lowercase[number % 26]} </CSI> to their friends."


def _versions(culture: str, number: int) -> tuple[str, str]:
    """A sentence adapted to a culture within English, and into its language."""
    text = _sentence(number).replace("a cake", f"a {culture.lower()} sweet")
    return text, text.replace("they bring", "they take")


def _write_xcr(root: Path) -> None:
    labels = (
        (CATEGORIES[number % 7], ELEMENTS[number % len(ELEMENTS)], LEVELS[number % 3])
        for number in range(SENTENCES)
    )
    base = [(_sentence(number), "A custom.", *each) for number, each in enumerate(labels)]
    head = ("sentence", "cultural_context", "csi_category", "csi_hall_mapping", "hall_level")
    write_rows(root / BASE_FILE, [head, *base])
    (root / "prompts").mkdir()
    for task, file in PROMPT_FILES.items():
        culture = "for Bengali/Chinese/Arabic culture" if task == "adaptation" else ""
        (root / file).write_text(f"Do it {culture}.\nInput: ", encoding="utf-8")
    for culture, file in ADAPTATION_FILES.items():
        rows = [(_sentence(number), *_versions(culture, number)) for number in range(SENTENCES)]
        write_rows(root / file, [("Sentence", "Intra-lingual", "Inter-lingual"), *rows])


def _rule(model: str, knows: float) -> Callable[[Request], str]:
    settings = json.dumps({model: {"default": knows, "hard": 0.7}})

    def reply(request: Request) -> str:
        known = share("knows", model, request.item + request.language) < knows
        if request.task.startswith("culturalbench/"):
            return answer_culturalbench(settings, model, request.user)
        if request.task.startswith("blend/"):
            return _of_blend(request, known)
        number = int(request.user.split("day ")[1].split()[0])
        if request.task == "xcr/adaptation":
            culture = request.item.split("/")[0]
            intra, inter = _versions(culture if known else "OTHER", number)
            return json.dumps([intra, inter, METHODS[number % 3]])
        return _sentence(number) if known else "On day they <CSI> bring </CSI> a cake to their friends."

    return reply


def _of_blend(request: Request, known: bool) -> str:
    if request.task == "blend/mcq":
        culture, number = divmod(int(request.item.split("_")[-1]), QUESTIONS)
        return _letter(BLEND[culture], number) if known else "A"
    name, question = request.item.split("/")
    other = BLEND[(BLEND.index(name) + 1) % len(BLEND)]
    number = int(question.split("-")[1])
    return _word(name if known else other, number) if known or number % 2 else "injera"
