"""blend/saq from items to scores, on a release of ours and on the published ones."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.benchmarks.registry import get_task
from folkways.errors import DataError, MissingExtraError, UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, SCORES, State
from folkways.text.tools import get_tool
from tests.support.blend_data import group as answers
from tests.support.blend_data import release_at, write_csv, write_release

TASK = get_task("blend/saq")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", your_country=True)


def replies(
    *rows: tuple[str, str, str | None], variant: str = "inst-4", state: str = State.ANSWERED
) -> pl.DataFrame:
    """Responses of (item, language, reply)."""
    table = [("blend/saq", item, language, variant, 0, state, reply, None) for item, language, reply in rows]
    names = ("task", "item", "language", "variant", "sample", "state", "response", "reason")
    return pl.DataFrame(
        table, schema={name: pl.Int64 if name == "sample" else pl.String for name in names}, orient="row"
    )


def judged(root: Path, profile: str, *rows: tuple[str, str, str | None], **more: Any) -> list[dict[str, Any]]:
    return TASK.judge(TASK.items(release_at(root)), replies(*rows, **more), profile).to_dicts()


def test_items_show_question_and_answers(root: Path) -> None:
    items = TASK.items(release_at(root))
    assert set(ITEMS) <= set(items.columns)
    assert items["item"].is_unique().all()
    drink = items.row(by_predicate=pl.col("item") == "KR/Q-1", named=True)
    assert drink["text"] == "What do people drink in South Korea?"
    assert drink["gold"] == "보리차 / barley tea (3); 차 / tea (1)"
    assert (drink["topic"], drink["question"], drink["release_id"]) == ("Food", "Q-1", "Q-1")
    assert items.filter(pl.col("skip_reason").is_not_null())["item"].to_list() == ["KR/Q-4", "ES/Q-4"]


def test_two_tasks_on_one_release_have_items_of_their_own_name(root: Path) -> None:
    """Both read the release once."""

    class Others(ShortAnswers):
        name = "others/saq"

    release = release_at(root)
    for task in (Others(), TASK, Others()):
        assert set(task.items(release)["task"]) == {task.name}


def test_items_in_full(root: Path) -> None:
    """A question that nobody annotated is an item, and so is one without an entry among the questions."""
    file = root / "questions" / "Spain_questions.csv"
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith('"Q-3"')]
    lines.append('"Q-9","Pets","ours","Who in your country, and who in your country?","¿Quién?"')
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = TASK.items(release_at(root))
    own = ("topic", "source", "local_language", "question_local", "question_en", "templates", "prompt_source")
    assert dict(items.schema) == {
        **ITEMS,
        **dict.fromkeys(own, pl.String),
        "groups": blend.ANNOTATIONS["groups"],
        "skip_reason": pl.String,
    }
    spain = items.filter(culture="ES")
    facts = (
        "item",
        "release_id",
        "question",
        "text",
        "gold",
        "topic",
        "source",
        "question_local",
        "skip_reason",
    )
    drinks, plays, knows = (
        "What do people drink in Spain?",
        "What is played in Spain?",
        "Which of these is unknown in Spain?",
    )
    nobody, listed, coffee = (
        "skipped: nobody answered",
        "English (US)",
        "café / coffee (3); té con limón / tea with lemon (1)",
    )
    assert spain.select(facts).rows() == [
        ("ES/Q-1", "Q-1", "Q-1", drinks, coffee, "Food", listed, "¿Qué se bebe?", None),
        ("ES/Q-2", "Q-2", "Q-2", plays, "fútbol / football (5)", "Sport", listed, "¿Qué se juega?", None),
        ("ES/Q-4", "Q-4", "Q-4", knows, "", "Food", listed, "¿Nada?", nobody),
        ("ES/Q-9", "Q-9", "Q-9", "Who in Spain, and who in Spain?", "", "Pets", "ours", "¿Quién?", nobody),
        (
            "ES/Q-3",
            "Q-3",
            "Q-3",
            "When does the family eat in Spain?",
            " 21:30 / 21:30 (6)",
            None,
            None,
            "¿A qué hora es?",
            None,
        ),
    ]
    assert spain["question_en"].to_list() == spain["text"].to_list()
    assert items.group_by("culture", maintain_order=True).agg(pl.col("local_language").unique()).rows() == [
        ("US", ["en"]),
        ("KR", ["ko"]),
        ("ES", ["es"]),
    ]
    assert (
        items.row(by_predicate=pl.col("item") == "US/Q-1", named=True)["text"]
        == "What do people drink in the US?"
    )
    assert (
        items.row(by_predicate=pl.col("item") == "KR/Q-2", named=True)["gold"]
        == "윷놀이 /  / yut nori / Yutnori (4); 축구 (2)"
    )
    assert (
        items.row(by_predicate=pl.col("item") == "US/Q-3", named=True)["gold"] == "6 (2)"
    )  # the same in both languages
    without_questions = shutil.copytree(
        root, root.parent / "bare", ignore=shutil.ignore_patterns("questions")
    )
    bare = TASK.items(release_at(without_questions))
    assert bare.schema == items.schema
    assert bare["item"].to_list() == [
        f"{culture}/Q-{number}" for culture in ("US", "KR", "ES") for number in (1, 2, 3, 4)
    ]
    assert bare["topic"].null_count() == bare["source"].null_count() == 12


def test_the_tools_that_are_there_are_told_each_once() -> None:
    tools = [get_tool(language) for language in ("ko", "es", "zh", "en", "ar", "el", "ha", "su")]
    assert TASK.text_tools().items() >= {(tool.name, tool.version) for tool in tools}
    assert list(TASK.text_tools()) == sorted(TASK.text_tools())
    assert TASK.with_tools("simple").text_tools() == {"simple": "2"}
    assert TASK.with_tools("paper").text_tools()["jieba"] == get_tool("zh", "paper").version


def test_prompts_are_the_releases_in_both_languages(root: Path) -> None:
    items = TASK.items(release_at(root))
    prompts = TASK.prompts(items, PromptOptions(), release_at(root))
    assert prompts.columns == list(PROMPTS)
    assert prompts.height == 2 * (4 + 2 * 4 + 2 * 4)
    korean = prompts.filter(pl.col("item") == "KR/Q-1")
    assert korean.select("language", "variant", "user").rows() == [
        ("ko", "inst-4", "하나만.\n\n질문: 무엇을 마셔요?\n답변:"),
        ("ko", "pers-3", "당신은 거기 삽니다. 무엇을 마셔요?"),
        ("en", "inst-4", "One answer, please.\n\nQuestion: What do people drink in South Korea?\nAnswer:"),
        ("en", "pers-3", "You live there. What do people drink in South Korea?"),
    ]
    american = prompts.filter(pl.col("item") == "US/Q-1")
    assert american["language"].unique().to_list() == ["en"]
    assert american["user"][1] == "You live there. What do people drink in the US?"
    assert prompts["prompt_source"].unique().to_list() == ["release"]
    of_items = [[item] * (2 if item.startswith("US/") else 4) for item in items["item"]]
    assert prompts["item"].to_list() == [item for several in of_items for item in several]


def test_nothing_is_asked_in_a_language_whose_text_tool_is_missing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = release_at(root)
    items = TASK.items(release)
    monkeypatch.setitem(sys.modules, "simplemma", None)  # as if it were not installed
    get_tool.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'folkways\[text\]'"):
        TASK.prompts(items, PromptOptions(languages=("local",)), release)


def test_choosing_languages_and_variants(root: Path) -> None:
    release = release_at(root)
    items = TASK.items(release)
    korean = TASK.prompts(items, PromptOptions(languages=("ko",)), release)
    assert TASK.prompts(items, PromptOptions(languages=("Korean",)), release).equals(korean)
    assert set(korean["item"].str.head(3)) == {"KR/"}
    local = TASK.prompts(items, PromptOptions(languages=("local",), variants=("pers-3",)), release)
    assert local.select("language").n_unique() == 3
    assert local.height == items.height
    everything = TASK.prompts(items, PromptOptions(variants=("all",)), release)
    assert (
        everything.filter(pl.col("item") == "ES/Q-1")["variant"].unique(maintain_order=True).to_list()[-1]
        == "inst-1"
    )
    twice = TASK.prompts(items, PromptOptions(variants=("inst-4", "all", "inst-4")), release)
    assert twice.sort(twice.columns).equals(everything.sort(everything.columns))
    korea = items.filter(pl.col("culture") == "KR")
    assert TASK.prompts(korea, PromptOptions(variants=("inst-1",)), release).is_empty()
    assert TASK.prompts(korea, PromptOptions(languages=("es",)), release).is_empty()
    with pytest.raises(UnknownNameError, match="inst-4") as unknown:
        TASK.prompts(korea, PromptOptions(variants=("inst-44",)), release)
    assert {*unknown.value.valid} == {"inst-1", "inst-4", "pers-3", "all"}
    with pytest.raises(UnknownNameError, match="local"):
        TASK.prompts(items, PromptOptions(languages=("fr",)), release)


def test_prompts_of_ones_own(root: Path) -> None:
    release = release_at(root)
    items = TASK.items(release).filter(pl.col("item") == "KR/Q-1")
    brought = PromptOptions(prompt_texts={"short": "{q}!", "short@ko": "{q}?!"})
    prompts = TASK.prompts(items, brought, release)
    assert prompts["user"].to_list() == ["무엇을 마셔요??!", "What do people drink in South Korea?!"]
    assert prompts["prompt_source"].unique().to_list() == ["file:short"]
    with pytest.raises(DataError, match=r"no \{question\}"):
        TASK.prompts(items, PromptOptions(prompt_texts={"short": "Answer!"}), release)
    named = PromptOptions(prompt_texts={"named": "{country}: {question}"}, languages=("local",))
    spain = TASK.items(release).filter(pl.col("item") == "ES/Q-1")
    assert TASK.prompts(spain, named, release)["user"].to_list() == ["Spain: ¿Qué se bebe?"]


def test_our_wording_where_the_release_has_none(tmp_path: Path) -> None:
    release = release_at(write_release(tmp_path, prompts=False))
    prompts = TASK.prompts(TASK.items(release), PromptOptions(), release)
    assert prompts.height == 40
    assert prompts["prompt_source"].unique().to_list() == ["folkways"]
    assert not prompts["user"].str.contains("{q}", literal=True).any()
    asked = prompts.filter(variant="inst-4", item="KR/Q-1").select("language", "user")
    assert dict(asked.iter_rows()) == {
        "ko": "이 질문에 짧은 답 하나만 쓰고 다른 말은 쓰지 마세요.\n\n무엇을 마셔요?",
        "en": "Please give one short answer to this question and nothing else.\n\nWhat do people drink in South "
        "Korea?",
    }


def test_a_culture_beyond_the_paper_is_asked_in_its_language_by_an_english_instruction(
    tmp_path: Path,
) -> None:
    root = write_release(tmp_path, prompts=False)
    for part, ending in (("annotations", "_data.json"), ("questions", "_questions.csv")):
        (root / part / f"Spain{ending}").rename(root / part / f"Kenya{ending}")
    release = release_at(root)
    items = TASK.items(release)
    assert items.filter(culture="KE")["local_language"].to_list() == ["sw"] * 4
    asked = TASK.prompts(items, PromptOptions(languages=("sw",), variants=("inst-4",)), release)
    assert asked.filter(item="KE/Q-1")["user"].item() == (
        "Please give one short answer to this question and nothing else.\n\n¿Qué se bebe?"
    )
    assert asked["item"].str.starts_with("KE/").all()


@pytest.mark.parametrize(
    ("item", "language", "reply", "paper", "strict"),
    [
        ("KR/Q-1", "ko", "보리차요.", ("substring_local: 보리차", 1.0), ("words_local: 보리차", 1.0)),
        ("KR/Q-1", "ko", "tea", ("substring_en: tea", 1 / 3), ("words_en: tea", 1 / 3)),
        ("KR/Q-1", "en", "보리차", ("no match", 0.0), ("no match", 0.0)),
        ("KR/Q-2", "ko", "모름", ("substring_local: ", 1.0), ("no match", 0.0)),
        ("KR/Q-3", "en", "17:00", ("substring_en: 7", 0.5), ("no match", 0.0)),
        ("KR/Q-3", "en", "7 pm", ("substring_en: 7", 0.5), ("words_en: 19:00", 1.0)),
        ("ES/Q-3", "es", "21:30", ("tokens_local:  21:30", 1.0), ("words_local:  21:30", 1.0)),
        ("US/Q-1", "en", "coffee", ("tokens_en: Coffee", 1.0), ("words_en: Coffee", 1.0)),
        ("US/Q-2", "en", "base ball", ("substring_en: base-ball", 1.0), ("words_en: base-ball", 1.0)),
    ],
)
def test_verdicts(
    root: Path, item: str, language: str, reply: str, paper: tuple[str, float], strict: tuple[str, float]
) -> None:
    for profile, (reason, weight) in (("paper", paper), ("strict", strict)):
        (row,) = judged(root, profile, (item, language, reply))
        assert (row["reason"], row["sem_w"], row["sem_b"]) == (reason, weight, float(weight > 0)), profile
        assert (row["state"], row["counted"]) == ("answered", True)


def test_every_reply_ends_in_a_state(root: Path) -> None:
    rows = judged(
        root,
        "paper",
        ("KR/Q-1", "ko", "  "),
        ("KR/Q-1", "ko", "None"),
        ("KR/Q-1", "ko", "죄송합니다"),
        ("KR/Q-1", "ko", "kola"),
    )
    assert [row["state"] for row in rows] == ["unreadable", "unreadable", "refused", "answered"]
    assert [row["refusal"] for row in rows] == [0.0, 0.0, 1.0, 0.0]
    assert [row["other_script"] for row in rows] == [None, 1.0, 0.0, 1.0]
    assert [row["other_language"] for row in rows] == [None, 1.0, 0.0, 1.0]
    for state in (State.FAILED, State.MISSING, State.REFUSED):
        (row,) = judged(root, "strict", ("KR/Q-1", "ko", None), state=state)
        assert (row["state"], row["sem_b"], row["sem_w"], row["sem_b_first"], row["counted"]) == (
            state,
            0.0,
            0.0,
            0.0,
            True,
        )
        # What nobody said is neither a refusal nor none; it has no script, no language and no answers either.
        assert row["refusal"] == (1.0 if state == State.REFUSED else None)
        assert [row[name] for name in ("other_script", "other_language", "answers_given")] == [None] * 3


@pytest.mark.parametrize("state", [State.ANSWERED, State.MISSING])
def test_a_question_counts_in_the_languages_in_which_somebody_can_be_right(
    tmp_path: Path, state: str
) -> None:
    """Without an English answer nothing said in English can match; in ``strict`` the question counts in
    Korean alone."""
    root = write_release(tmp_path)
    file = root / "annotations" / "South_Korea_data.json"
    table = json.loads(file.read_text(encoding="utf-8"))
    for group in table["Q-1"]["annotations"]:
        group["en_answers"] = []
    file.write_text(json.dumps(table), encoding="utf-8")
    reply = "kola" if state == State.ANSWERED else None
    rows = [("KR/Q-1", language, reply) for language in ("ko", "en")]
    assert [row["counted"] for row in judged(root, "strict", *rows, state=state)] == [True, False]
    assert [row["counted"] for row in judged(root, "paper", *rows, state=state)] == [True, True]


def test_the_word_none_is_an_answer_only_where_the_authors_do_not_lose_it(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    file = root / "annotations" / "US_data.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"nothing"', '"none"'), encoding="utf-8")
    assert judged(root, "paper", ("US/Q-4", "en", "None"))[0]["sem_b"] == 0.0
    assert judged(root, "paper", ("US/Q-4", "en", "none"))[0]["sem_b"] == 1.0
    assert judged(root, "strict", ("US/Q-4", "en", "None"))[0]["sem_b"] == 1.0


def test_questions_that_do_not_count_say_why(root: Path) -> None:
    rows = judged(root, "paper", ("ES/Q-4", "es", "té"), ("KR/Q-4", "ko", "없음"))
    assert [(row["counted"], row["sem_b"]) for row in rows] == [(False, None), (False, None)]
    assert rows[0]["reason"] == "skipped: nobody answered"
    assert rows[1]["reason"].startswith("skipped: too few people knew")


def test_a_list_of_answers_scores_for_its_first_alone_too(root: Path) -> None:
    (row,) = judged(root, "strict", ("ES/Q-1", "es", "vino, café, té"))
    assert (row["sem_b"], row["sem_b_first"], row["answers_given"]) == (1.0, 0.0, 3)
    (row,) = judged(root, "paper", ("ES/Q-1", "es", "vino, café, té"))
    assert (row["sem_b"], row["sem_b_first"], row["answers_given"]) == (1.0, 0.0, 3)


def test_what_only_a_longer_word_decided_is_told(root: Path) -> None:
    rows = judged(
        root, "paper", ("US/Q-1", "en", "steak"), ("US/Q-1", "en", "green tea"), ("US/Q-1", "en", "juice")
    )
    assert [(row["sem_b"], row["inside_word"]) for row in rows] == [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    assert "inside_word" not in judged(root, "strict", ("US/Q-1", "en", "steak"))[0]


def test_a_reply_in_another_language_is_told(root: Path) -> None:
    rows = judged(
        root,
        "strict",
        ("ES/Q-1", "es", "They usually drink it with the milk"),
        ("ES/Q-1", "es", "Suelen tomar el café"),
    )
    assert [row["other_language"] for row in rows] == [1.0, 0.0]
    assert [row["other_script"] for row in rows] == [0.0, 0.0]


def test_what_is_shown_of_an_item() -> None:
    """The most frequent answer comes first, in the culture's language; English speakers are asked in their
    own English."""
    asked = {"question_en": "What there?", "question_local": "무엇?", "local_language": "ko"}
    item = asked | {
        "groups": [answers(["차", ""], ["tea"], 1), answers(["보리차", "차"], ["차", "barley tea"], 3)]
    }
    assert TASK.accepted_answers(item) == (("보리차", "차", "barley tea"), ("차", "tea"))
    assert [TASK.question_in(item, language) for language in ("ko", "en")] == ["무엇?", "What there?"]
    british = asked | {"question_local": "What, here?", "local_language": "en"}
    assert TASK.question_in(british, "en") == "What, here?"


@pytest.mark.parametrize(("tools", "right"), [("default", 1.0), ("simple", 0.0)])
def test_words_are_reduced_by_the_tools_that_are_named(root: Path, tools: str, right: float) -> None:
    """Of plurals that no rule of endings tells."""
    task = TASK.with_tools(tools)
    said = replies(("ES/Q-1", "es", "tés con limones"))
    judged_by = task.judge(task.items(release_at(root)), said, "strict")
    assert judged_by["sem_b"].to_list() == [right]


def test_the_prompt_is_taken_out_of_the_reply(root: Path) -> None:
    echo = "One answer, please.\n\nQuestion: What do people drink in Spain?\nAnswer: vino"
    assert judged(root, "paper", ("ES/Q-1", "en", echo))[0]["answer"] == "vino"
    items = TASK.items(release_at(root))
    sent = replies(("ES/Q-1", "en", "Bebida: vino")).with_columns(prompt=pl.lit("Bebida:"))
    assert TASK.judge(items, sent, "paper")["answer"].item() == "vino"


def test_judgements_keep_the_order_of_the_responses(root: Path) -> None:
    table = replies(("US/Q-2", "en", "x"), ("KR/Q-1", "ko", "y"), ("US/Q-2", "en", "base-ball"))
    result = TASK.judge(TASK.items(release_at(root)), table, "paper")
    assert result["item"].to_list() == table["item"].to_list()
    assert list(result.columns)[: len(JUDGEMENTS)] == list(JUDGEMENTS)
    with pytest.raises(DataError, match="KR/Q-9"):
        TASK.judge(TASK.items(release_at(root)), replies(("KR/Q-9", "ko", "x")), "paper")


def test_scores_count_every_expected_item(root: Path) -> None:
    items = TASK.items(release_at(root))
    prompts = TASK.prompts(items, PromptOptions(), release_at(root))
    table = prompts.select("task", "item", "language", "variant").with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("missing"),
        response=pl.lit(None, dtype=pl.String),
        reason=pl.lit(None, dtype=pl.String),
    )
    scores = TASK.summarise(TASK.judge(items, table, "paper"))
    whole = scores.row(by_predicate=(pl.col("metric") == "sem_b") & (pl.col("facet") == "all"), named=True)
    assert (whole["n"], whole["missing"], whole["at_best"]) == (2 * (4 + 6 + 6), 32, 100.0)
    assert whole["score"] is None  # nothing was asked yet, which is no score of 0
    assert set(scores.columns) <= set(SCORES)
    assert "Food" in scores.filter(pl.col("facet") == "topic")["value"].to_list()


HEADER = ["ID", "Translation", "prompt", "response", "prompt_no"]


def test_the_authors_output_is_recognised(tmp_path: Path) -> None:
    rows = [("Q-1", "¿?", "P", "None", "inst-4"), ("Q-1", "¿?", "P", "", "inst-4")]
    null = pl.DataFrame([(*rows[0][:3], None, "inst-4")], schema=HEADER, orient="row")
    assert (empty := TASK.from_authors(null)) is not None
    assert empty["response"].to_list() == [""]
    write_csv(tmp_path / "out.csv", HEADER, rows)
    read = TASK.from_authors(pl.read_csv(tmp_path / "out.csv", infer_schema=False))
    assert read is not None
    assert read.select("release_id", "variant", "prompt", "response").rows() == [
        ("Q-1", "inst-4", "P", "None"),
        ("Q-1", "inst-4", "P", ""),
    ]
    assert TASK.from_authors(pl.DataFrame({"ID": ["Q-1"], "response": ["x"]})) is None


@pytest.mark.shared
@pytest.mark.parametrize(
    ("state", "source"),
    [
        ("24e7d73", "release"),
        pytest.param("3e4dcbd", "release", marks=pytest.mark.nightly),
        ("3c00d45", "folkways"),
    ],
)
def test_the_full_release_has_thirty_thousand_prompts(shared: Path, state: str, source: str) -> None:
    release = release_at(shared / "data" / "blend" / state)
    items = TASK.items(release)
    prompts = TASK.prompts(items, PromptOptions(), release)
    assert (items.height, prompts.height) == (8_000, 30_000)
    assert prompts["prompt_source"].unique().to_list() == [source]
    assert not prompts["user"].str.contains(r"\{q\}").any()
    assert not prompts.filter(pl.col("variant") == "inst-4")["user"].str.contains("your country").any()
    assert prompts.select("item", "language", "variant").is_unique().all()
