"""Descriptions of studies: those that come with folkways, and every mistake with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import DataError, UnknownNameError
from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.workflows.definition import DefinitionError, load_definition, read_definition
from folkways_studio.workflows.helping import strategies
from folkways_studio.workflows.templates import TEMPLATES, template, template_text
from folkways_studio.workflows.yaml_text import parse_yaml
from studio.tests.support.studies import described

VOTE = {"name": "verify", "kind": "vote"}


@pytest.mark.parametrize("name", list(TEMPLATES))
def test_every_template_is_a_study(name: str) -> None:
    found = template(name)
    assert (found.name, found.workflow) == (name, name)
    assert found.consent
    assert found.licence.startswith("CC-") or name == "interface-translation", (
        "what becomes part of folkways has its licence"
    )


def texts_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            yield from (text for each in value.values() for text in texts_in(each))
        case list():
            yield from (text for each in value for text in texts_in(each))


@pytest.mark.parametrize("name", list(TEMPLATES))
def test_no_text_of_a_template_breaks_in_the_middle_of_a_sentence(name: str) -> None:
    """Pages keep line breaks, and a file has them where its lines end: long texts are folded (``>``), with
    empty lines between paragraphs.
    """
    broken = [
        text
        for text in texts_in(parse_yaml(template_text(name), name))
        if re.search(r"[^\n]\n[^\n]", text.strip())
    ]
    assert broken == []


def test_the_templates_use_every_kind_of_stage() -> None:
    assert {stage.kind for name in TEMPLATES for stage in template(name).stages} == set(STAGE_KINDS)


def test_an_unknown_template_names_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'judging'\?"):
        template_text("juding")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "My Study"}, "name: has to be small letters, digits and hyphens, not 'My Study'"),
        ({"licence": None}, "licence: is missing"),
        ({"consent": "  "}, "consent: has to be text"),
        ({"colour": "red"}, "colour: is no setting here; valid: name, title"),
        ({"populations": []}, "populations: has to be a list with at least one entry"),
        (
            {"populations": [{"name": "x", "culture": "Atlantis"}]},
            r"populations\[0\].culture: unknown culture 'Atlantis'",
        ),
        (
            {"populations": [{"name": "x", "culture": "KR", "language": "xx"}]},
            r"populations\[0\].language: unknown language 'xx'",
        ),
        (
            {"populations": [{"name": "x", "culture": "WORLD"}]},
            r"populations\[0\].language: is missing, and WORLD has no language that it could be; valid: "
            r"af, am",
        ),
        (
            {"populations": [{"name": "x", "culture": "KR", "part_of": "y"}]},
            r"populations\[0\].part_of: 'y' is no population above it",
        ),
        (
            {"populations": [{"name": "x", "culture": "KR"}] * 2},
            r"populations\[1\].name: 'x' is the name of another",
        ),
        (
            {"populations": [{"name": "x", "culture": "KR", "people": 0}]},
            r"populations\[0\].people: has to be a whole number from 1",
        ),
        (
            {
                "populations": [
                    {"name": "x", "culture": "KR", "criteria": [{"name": "a", "ask": "?", "accept": "yes"}]}
                ]
            },
            r"populations\[0\].criteria\[0\].accept: has to be a list",
        ),
        (
            {
                "populations": [
                    {
                        "name": "x",
                        "culture": "KR",
                        "criteria": [{"name": "a", "ask": "?", "options": ["y"], "accept": ["n"]}],
                    }
                ]
            },
            r"criteria\[0\].accept: accepts an answer that is not among the options",
        ),
        *(
            (
                {
                    "populations": [
                        {"name": "x", "culture": "KR", "criteria": [{"name": "a", "ask": "?", **more}]}
                    ]
                },
                why,
            )
            for more, why in (
                ({"accept": []}, r"criteria\[0\].accept: has to be a list"),
                *(
                    ({"name": name}, r"criteria\[0\].name: is kept for recruitment services")
                    for name in ("prolific_pid", "prolific_study", "prolific_session", "return_code")
                ),
                ({"of": "a", "over": 0.5}, r"criteria\[0\].of: 'a' is no other criterion here"),
                ({"over": 0.5}, r"criteria\[0\].of: belongs with over"),
            )
        ),
        (
            {"stages": [{"name": "v", "kind": "votes"}]},
            r"stages\[0\].kind: 'votes' is no kind of stage; valid: adapt, adjudicate",
        ),
        (
            {"stages": [{**VOTE, "answers": "five"}]},
            r"stages\[0\].answers: has to be a whole number, not 'five' \(how many people",
        ),
        ({"stages": [{**VOTE, "answers": True}]}, r"stages\[0\].answers: has to be a whole number"),
        ({"stages": [{**VOTE, "answers": 0}]}, r"stages\[0\].answers: has to be at least 1"),
        ({"stages": [{**VOTE, "majority": 2}]}, r"stages\[0\].majority: 2 of 5 is no majority"),
        ({"stages": [{**VOTE, "majority": 6}]}, r"stages\[0\].majority: 6 of 5 is no majority"),
        ({"stages": [{**VOTE, "role": "owner"}]}, r"stages\[0\].role: 'owner' is no role that works"),
        *(
            (
                {
                    "stages": [
                        {
                            "name": "f",
                            "kind": "form",
                            "show": [{"field": "t", "type": "text"}],
                            "ask": [{"key": "k", "type": "choice", "label": "?", "options": options}],
                        }
                    ]
                },
                r"ask\[0\]\.options",
            )
            for options in (
                ["a"],
                ["a", "a"],
                ["a", " "],
                [f"o{number}" for number in range(201)],
                ["a", 2],
                [{"value": "a", "label": "A", "more": 1}, "b"],
                [{"label": "A"}, "b"],
                [{"value": "a", "label": " "}, "b"],
                [{"value": "b", "label": "A"}, "b"],
            )
        ),
        (
            {"stages": [{**VOTE, "next": {"done": "later"}}]},
            r"stages\[0\].next.done: 'later' is no stage; valid: verify",
        ),
        (
            {"stages": [{**VOTE, "next": {"done": "verify"}}]},
            r"stages\[0\].next.done: 'verify' is this stage itself; items only move on",
        ),
        (
            {"stages": [VOTE, {**VOTE, "name": "again", "next": {"done": "verify"}}]},
            r"stages\[1\].next.done: 'verify' comes before 'again'; items only move on",
        ),
        (
            {"stages": [{**VOTE, "next": {"disagree": "b"}}, {"name": "b", "kind": "vote"}]},
            r"vote has no such end; valid: done",
        ),
        ({"stages": [VOTE, VOTE]}, r"stages\[1\].name: 'verify' is the name of another stage"),
        ({"models": {"helper": 3}}, "models.helper: has to be the name of a model"),
        ({"models": {"judge": "x"}}, "models.judge: is no setting here; valid: helper, verifier"),
        ({"prolific": {"code": "x"}}, "prolific.code: is no setting here; valid: completed"),
        ({"prolific": {"reward": 3}}, "prolific.reward: is no setting here; valid: completed"),
    ],
)
def test_mistakes_are_told_with_their_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message) as error:
        read_definition({**described([VOTE]), **changes}, "mine.yaml")
    assert str(error.value).startswith("mine.yaml: 1 thing is wrong")


TEST, RULE = {"questions": 4}, {"then": "pause"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"qualification": {}}, "qualification.questions: is missing: how many questions the test has"),
        (
            {"qualification": {"questions": 0}},
            "qualification.questions: has to be a whole number from 1, not 0",
        ),
        (
            {"qualification": {**TEST, "pass_mark": 75}},
            "qualification.pass_mark: has to be a number above 0 and at most 1, not 75",
        ),
        (
            {"qualification": {**TEST, "mark": 1}},
            "qualification.mark: is no setting here; valid: questions, pass_mark, tries",
        ),
        (
            {"qualification": {**TEST, "populations": ["x"]}},
            "qualification.populations: 'x' is no population; valid: korea",
        ),
        (
            {"qualification": {**TEST, "pay": "double"}},
            "qualification.pay: 'double' is none that there is; valid: completed, scr",
        ),
        (
            {"qualification": {**TEST, "feedback": "yes"}},
            "qualification.feedback: has to be true or false, not 'yes'",
        ),
        ({"gold": {}}, "gold: needs either every .* or share"),
        ({"gold": {"every": 5, "share": 0.2}}, "gold: needs either every .* or share"),
        ({"gold": {"every": 1}}, "gold.every: has to be at least 2"),
        ({"gold": {"share": 0.6}}, "gold.share: has to be at most 0.5"),
        (
            {"gold": {"every": 5, "overlap": 0.5}},
            "gold.overlap: is for marks, and an answer of vote has none",
        ),
        (
            {"gold": {"every": 5, "rules": [{}]}},
            r"gold.rules\[0\].then: is missing; valid: warn, pause, exclude",
        ),
        ({"gold": {"every": 5, "rules": [{"pay": "none"}]}}, r"gold.rules\[0\].then: is missing"),
        (
            {"gold": {"every": 5, "rules": [{"then": "exclud", "pay": "none"}]}},
            r"gold.rules\[0\].then: 'exclud' is none that there is; valid: warn, pause, exclude",
        ),
        (
            {"gold": {"every": 5, "rules": [{"then": "exclude", "pay": "all"}]}},
            r"gold.rules\[0\].pay: 'all' is none that there is; valid: completed, screened_out, none",
        ),
        ({"gold": {"every": 0}}, "gold.every: has to be a whole number from 1, not 0"),
        ({"gold": {"share": 0}}, "gold.share: has to be a number above 0 and at most 1, not 0"),
        ({"gold": {"share": "many"}}, "gold.share: has to be a number above 0 and at most 1, not 'many'"),
        ({"qualification": {}}, "qualification.questions: is missing"),
        ({"qualification": {"questions": None}}, "qualification.questions: is missing"),
        ({"qualification": {**TEST, "populations": None}}, "qualification.populations: has to be a list"),
        ({"qualification": {**TEST, "tries": 0}}, "qualification.tries: has to be a whole number from 1"),
        (
            {"gold": {"every": 5, "rules": [RULE, {**RULE, "pay": "none"}]}},
            r"gold.rules\[1\].pay: is for those who are excl",
        ),
        (
            {"gold": {"every": 5, "rules": [{**RULE, "below": 60}]}},
            r"gold.rules\[0\].below: has to be a number above 0",
        ),
        ({"gold": {"every": 5}, "check_every": 5}, "check_every: gold says how often known answers come"),
        (
            {"kind": "write_question", "gold": {"every": 5}},
            "gold: an answer of write_question cannot be known beforehand",
        ),
    ],
)
def test_mistakes_about_known_answers_are_told_with_their_place(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(DefinitionError, match=rf"stages\[0\]\.{message}") as error:
        read_definition(described([{**VOTE, **settings}]))
    assert len(error.value.problems) == 1


def test_what_settings_of_known_answers_leave_out_is_filled_in() -> None:
    (stage,) = read_definition(
        described([{**VOTE, "qualification": TEST, "gold": {"share": 0.1, "rules": [RULE]}}])
    ).stages
    assert stage.config["qualification"] == {
        "questions": 4,
        "pass_mark": 0.75,
        "tries": 1,
        "feedback": False,
        "populations": [],
        "pay": "screened_out",
    }
    rule = {"then": "pause", "below": 0.6, "after": 5, "pay": "completed"}
    assert stage.config["gold"] == {"every": None, "share": 0.1, "overlap": 1.0, "rules": [rule]}


def test_a_population_speaks_what_its_culture_speaks() -> None:
    populations = [{"name": f"p-{code.lower()}", "culture": code} for code in ("CZ", "RO", "TH", "KR", "CA")]
    found = read_definition({**described([VOTE]), "populations": populations})
    assert [population.language for population in found.populations] == ["cs", "ro", "th", "ko", "en"]


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(DefinitionError) as error:
        read_definition({"name": 1, "populations": 3, "stages": [5, {"kind": "vote"}]})
    assert len(error.value.problems) == 6


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe", b"- 1\n- 2\n", b""])
def test_what_is_no_description_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"mine\.yaml"):
        load_definition(path)


def test_yaml_cannot_make_objects(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: !!python/object/apply:os.system ['echo']\n")
    with pytest.raises(DataError, match="not valid YAML"):
        load_definition(path)


def test_every_strategy_has_a_worked_example() -> None:
    for strategy in strategies().values():
        assert strategy.before != strategy.after
        assert all((strategy.title, strategy.about, strategy.before, strategy.after))
