"""A round of building a benchmark, from the first scenario to the report, as in CulturalBench's figure 2.

    scenario -> question by a helper -> challenge to a verifier -> revision -> submission     (red-teaming,
    section 3.1)
             -> researchers review
             -> five people of the region vote -> a finer group votes on what they do not know (verification,
             section 3.2)
             -> majority -> Easy and Hard -> two models are asked -> report                    (sections 3.3
             and 4)

Everything runs as it would for people: the studio and the models are servers, participants come by invitation
and read pages, the rest are commands. Who says what is written down below, and every figure that is expected
was worked out from it by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from folkways_studio.items import service as items
from folkways_studio.people import accounts, invites
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.work import judgements
from studio.tests.support.participant import Participant
from studio.tests.support.studies import PASSWORD
from studio.tests.support.studio_server import StudioProcess
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways

DONT_KNOW, CANNOT = "I don't have the knowledge", "This cannot be answered"
REASONS = {"?": DONT_KNOW, "!": CANNOT}


@dataclass(frozen=True)
class PlannedRound:
    """One question: the scenario it begins with, what the helper makes of it, what it is in the end, and how
    people vote.

    options: four, the right ones with a star. votes: of five people, positions of options ("01"), "?" for not
    knowing, "!" for a question without answer. finer: the same of the second round.
    """

    region: str
    scenario: str
    question: str
    options: str
    votes: str
    finer: str = ""
    draft: str = ""

    @property
    def texts(self) -> list[str]:
        return [text.strip(" *") for text in self.options.split("/")]

    @property
    def right(self) -> list[int]:
        return [place for place, text in enumerate(self.options.split("/")) if "*" in text]

    @property
    def truths(self) -> list[str]:
        return [self.texts[place] for place in self.right]

    @property
    def errors(self) -> list[str]:
        return [text for text in self.texts if text not in self.truths]

    def ticks(self, vote: str) -> list[str]:
        return [REASONS[vote]] if vote in REASONS else [self.texts[int(place)] for place in vote]


SOUP = PlannedRound(
    "korea",
    "It is Minji's birthday. She sits an exam on the same day, and her mother has been cooking since "
    "six in the morning.",
    "Minji sits an exam on her birthday. Which dish of the day does her mother leave out, for luck?",
    "rice cake soup / *seaweed soup / ginseng chicken / cold noodles",
    votes="1 1 1 1 1",
    draft="Which soup does Minji's mother make for her birthday?",
)
GLASS = PlannedRound(
    "korea",
    "Jun is out with his colleagues, and his boss offers to fill his glass.",
    "What does Jun do when his boss pours him a drink?",
    "fills his own glass first / *holds the glass with both hands / leaves a coin on the table / "
    "*turns his head away to drink",
    votes="13 13 13 13 1",
)
FLAT = PlannedRound(
    "korea",
    "Sora is invited to see a friend's new flat and buys something on the way.",
    "What does Sora bring to her friend's new flat?",
    "*toilet paper / *washing powder / a cake / a plant",
    votes="0 1 2 3 01",
)
QUEUE = PlannedRound(
    "uk",
    "Four people wait at a bus stop in Leeds when the bus comes.",
    "Four people wait at a stop in Leeds. Who gets on the bus first?",
    "whoever is oldest / whoever has a ticket / whoever stands next to the door / *whoever came to "
    "the stop first",
    votes="3 3 3 3 2",
)
CAWL = PlannedRound(
    "uk",
    "On the first of March, Rhys visits his grandmother near Carmarthen and smells lamb and leeks.",
    "What is in the pot of Rhys's grandmother near Carmarthen on the first of March?",
    "*cawl / stovies / cullen skink / cock-a-leekie",
    votes="? ? ? ? 3",
    finer="0 0 0 0 ?",
)
TEA = PlannedRound(
    "uk",
    "Somebody drinks tea in Britain.",
    "How much tea does somebody in Britain drink?",
    "*a cup / two cups / a pot / none",
    votes="! ! ! 0 1",
)
ROSCA = PlannedRound(
    "mexico",
    "On the sixth of January, Ana bites on a little figure in her slice of sweet bread.",
    "Ana finds a figure in her slice of bread on the sixth of January. What does she owe the others?",
    "a new bread / a round of drinks / *tamales in February / a song",
    votes="2 2 2 2 2",
)
ALTAR = PlannedRound(
    "mexico",
    "At the end of October, Luis's family builds an altar in the living room.",
    "What stands on the altar of Luis's family at the beginning of November?",
    "*marigolds / a decorated fir / *photographs of the dead / *dishes that the dead liked",
    votes="023 023 023 023 0123",
)
SPIDER = PlannedRound(
    "mexico",
    "A spider sits on the wall of a house in Puebla.",
    "How many legs has the spider on the wall of a house in Puebla?",
    "six / *eight / four / ten",
    votes="",
)
STALL = PlannedRound(
    "mexico",
    "It is late in Mérida, and only one stall is still open on the square.",
    "What is sold at the last open stall on the square of Mérida?",
    "*marquesitas / churros / elotes / tacos",
    votes="? ? ? ? 0",
)
PLANNED = (SOUP, GLASS, FLAT, QUEUE, CAWL, TEA, ROSCA, ALTAR, SPIDER, STALL)

STUDY: Mapping[str, Any] = {
    "name": "round",
    "title": "A round in three regions",
    "workflow": "red-teaming",
    "licence": "CC-BY-4.0",
    "consent": "What you write is published under a code in place of your name.",
    "populations": [
        {
            "name": name,
            "title": title,
            "culture": culture,
            "language": "en",
            "criteria": [
                {"name": "home", "ask": "Where did you mainly live before you were 18?", "accept": [title]}
            ],
            **more,
        }
        for name, title, culture, more in (
            ("korea", "South Korea", "KR", {}),
            ("uk", "United Kingdom", "GB", {}),
            ("wales", "Wales", "GB", {"part_of": "uk"}),
            ("mexico", "Mexico", "MX", {}),
        )
    ],
    "stages": [
        {
            "name": "write",
            "kind": "write_question",
            "cap": 3,
            "challenge_required": True,
            "next": {"done": "review"},
        },
        {"name": "review", "kind": "review", "role": "researcher", "next": {"done": "verify"}},
        {"name": "verify", "kind": "vote", "answers": 5, "majority": 4},
    ],
}
HOMES = {each["name"]: each["title"] for each in STUDY["populations"]}

KNOWS = {planned.question: planned.truths for planned in PLANNED}
"""What a model believes that knows these places."""

DOES_NOT = {planned.question: planned.errors for planned in PLANNED} | {
    QUEUE.question: KNOWS[QUEUE.question],
    CAWL.question: KNOWS[CAWL.question],
    ROSCA.question: [
        *KNOWS[ROSCA.question],
        "a song",
    ],  # enough to choose one of four, and too much when asked one by one
}
"""What a model believes that knows Britain alone."""

VERIFIER = {planned.question: planned.errors for planned in PLANNED} | {SOUP.draft: ["seaweed soup"]}


@pytest.fixture
def models() -> Iterator[ChatServer]:
    """A helper, a verifier, and the two models that are measured in the end."""
    makes = {
        each.scenario: {
            "question": each.draft or each.question,
            "options": each.texts,
            "right": [place + 1 for place in each.right],
        }
        for each in PLANNED
    }
    believes = {"verifier": VERIFIER, "knows": KNOWS, "does-not": DOES_NOT}
    with ChatServer(mode=f"round:{json.dumps({'makes': makes, 'believes': believes})}") as server:
        yield server


@dataclass
class Round:
    """The studio that the round takes place in."""

    studio: StudioProcess
    folder: Path
    study: int

    def person(self, region: str) -> Participant:
        """Somebody recruited for a region, who has come by an invitation and is let in."""
        _, token = invites.create_invite(self.studio.workspace, self.study, population=region)
        return Participant(self.studio.url).come(f"/join/{token}", home=HOMES[region])

    def command(self, *arguments: object) -> str:
        """What a command prints on the round's database."""
        done = folkways(*arguments, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def items(self, stage: str) -> tuple[Any, ...]:
        return items.list_items(self.studio.workspace, self.study, stage)


@pytest.fixture
def whole_round(models: ChatServer, tmp_path: Path) -> Iterator[Round]:
    """An open study with both models in the loop, and a researcher."""
    named = {purpose: purpose for purpose in ("helper", "verifier")}
    (tmp_path / "round.yaml").write_text(yaml.safe_dump({**STUDY, "models": named}), encoding="utf-8")
    offered = {purpose: [f"{models.url}/v1#{purpose}"] for purpose in named}
    with StudioProcess(tmp_path / "folkways.db", models=offered) as studio:
        accounts.create_account(studio.workspace, "researcher@example.org", PASSWORD)
        for command in (
            ("create-study", "round.yaml", "--owner", "researcher@example.org", "--open"),
            ("account", "researcher@example.org", "--study", "round", "--role", "researcher"),
        ):
            done = folkways("studio", *command, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
        yield Round(studio, tmp_path, studies.get_study(studio.workspace, "round").id)


@pytest.mark.nightly
def test_from_the_first_scenario_to_the_final_report(whole_round: Round, models: ChatServer) -> None:
    red_teaming(whole_round)
    review(whole_round)
    verification(whole_round)
    second_round(whole_round)
    easy_and_hard(whole_round)
    two_models_are_asked(whole_round, models)
    report(whole_round)


def red_teaming(whole_round: Round) -> None:
    """People write scenarios; a helper makes questions, which they try on a verifier and revise. Three each,
    at most."""
    korean, british, mexican, other = (
        whole_round.person(region) for region in ("korea", "uk", "mexico", "mexico")
    )
    write(korean, SOUP, revise_by="combine")
    for author, written in (
        (korean, (GLASS, FLAT)),
        (british, (QUEUE, CAWL, TEA)),
        (mexican, (ROSCA, ALTAR, SPIDER)),
        (other, (STALL,)),
    ):
        for planned in written:
            write(author, planned)
    for author in (korean, british, mexican):
        assert author.next("write") is None, "nobody writes a fourth question"
    assert other.give_back() is None, "whoever has written enough is not asked again"
    written = {item.content["question"]: item for item in whole_round.items("write") if item.state == "done"}
    assert set(written) == {planned.question for planned in PLANNED}
    soup = written[SOUP.question]
    told = [
        (each.step, each.strategy)
        for each in items.revisions(whole_round.studio.workspace, whole_round.study, soup.id)
    ]
    assert told == [
        ("begun", None),
        ("scenario", None),
        ("suggestion", None),
        ("challenge", None),
        ("revision", "combine"),
        ("challenge", None),
        ("submitted", None),
    ]
    assert [each["fooled"] for each in soup.content["challenges"]] == [False, True]
    assert all(item.result["fooled"] for item in written.values()), (
        "every question fools the model in its last wording"
    )


def write(author: Participant, planned: PlannedRound, revise_by: str = "") -> None:
    """Scenario, suggestion, challenge; where the model holds, a revision and another challenge;
    submission."""
    page = author.next("write")
    assert page is not None
    page = author.step("suggest", [("scenario", planned.scenario)])
    assert page.values["question"] == [planned.draft or planned.question]
    assert page.values["options"] == planned.texts
    intended = [("intended", str(place)) for place in planned.right]
    fields = [("scenario", planned.scenario), *(("options", text) for text in planned.texts), *intended]
    author.step("challenge", [*fields, ("question", planned.draft or planned.question)])
    if revise_by:
        author.step("challenge", [*fields, ("question", planned.question), ("strategy", revise_by)])
    author.submit([*fields, ("question", planned.question)])


def review(whole_round: Round) -> None:
    """A researcher drops what is not about the culture. Reviewers see who wrote nothing, and verifiers not
    what was held right."""
    researcher = Participant(whole_round.studio.url).sign_in("researcher@example.org", PASSWORD, "round")
    page = researcher.next("review")
    while page is not None:
        drop = page.values["question"] == [SPIDER.question]
        wording = [(name, value) for name in ("question", "options") for value in page.values[name]]
        decision = (
            [("decision", "drop"), ("reason", "not about the culture")] if drop else [("decision", "keep")]
        )
        page = researcher.submit([*wording, *decision])
    (soup,) = [item for item in whole_round.items("write") if item.content.get("question") == SOUP.question]
    lineage = researcher.get(f"/studies/round/items/{soup.id}")
    assert lineage.status == 200 and SOUP.draft in unescape(lineage.text), (
        "how a question came about can be read"
    )
    (dropped,) = [item for item in whole_round.items("review") if item.state == "dropped"]
    assert (dropped.content["question"], dropped.reason) == (SPIDER.question, "not about the culture")
    assert {item.content["question"] for item in whole_round.items("verify")} == {
        each.question for each in PLANNED
    } - {SPIDER.question}
    assert all(set(item.content) == {"question", "options"} for item in whole_round.items("verify"))


def vote(
    whole_round: Round, region: str, votes: Mapping[str, Sequence[str]], planned: Mapping[str, PlannedRound]
) -> None:
    """Five people of a region answer everything that they are given, as planned."""
    for number in range(5):
        person = whole_round.person(region)
        page, answered = person.next("verify"), []
        while page is not None:
            answered.append(page.subject)
            page = person.tick(*planned[page.subject].ticks(votes[page.subject][number]))
        assert sorted(answered) == sorted(votes), f"person {number + 1} of {region}"


def verification(whole_round: Round) -> None:
    """Five people of each region choose every option that is right, or say why they choose none."""
    by_question = {planned.question: planned for planned in PLANNED}
    for region in ("korea", "uk", "mexico"):
        theirs = {
            each.question: each.votes.split() for each in PLANNED if each.region == region and each.votes
        }
        vote(whole_round, region, theirs, by_question)
    ends = {
        item.content["question"]: (item.state, item.result.get("gold"), item.reason)
        for item in whole_round.items("verify")
        if item.round == 1
    }
    none = "no option was chosen by 4 of 5 people"
    assert ends == {
        SOUP.question: ("done", [1], None),
        GLASS.question: ("done", [1, 3], None),
        FLAT.question: ("dropped", None, none),
        QUEUE.question: ("done", [3], None),
        CAWL.question: ("dropped", None, "4 of 5 did not have the knowledge; asked again of a subpopulation"),
        TEA.question: ("dropped", None, none),
        ROSCA.question: ("done", [2], None),
        ALTAR.question: ("done", [0, 2, 3], None),
        STALL.question: ("dropped", None, "4 of 5 did not have the knowledge"),
    }


def second_round(whole_round: Round) -> None:
    """What most Britons did not know is put to people from Wales; Mexico has no finer group here."""
    vote(whole_round, "wales", {CAWL.question: CAWL.finer.split()}, {CAWL.question: CAWL})
    (again,) = [item for item in whole_round.items("verify") if item.round == 2]
    assert (again.content["question"], again.state, again.result["gold"]) == (CAWL.question, "done", [0])
    assert len(judgements.list_judgements(whole_round.studio.workspace, whole_round.study, again.id)) == 5
    for row in progress.progress(whole_round.studio.workspace, whole_round.study):
        assert (row.open, row.slots_open, row.slots_leased) == (0, 0, 0), (
            f"{row.stage} of {row.population} is over"
        )


def easy_and_hard(whole_round: Round) -> None:
    """Votes become a release: single-mode and multi-mode questions of Easy, and every option on its own in
    Hard."""
    whole_round.command("studio", "export", "round", "--out", "votes")
    told = whole_round.command("build", "easy", "--votes", "votes", "--out", "mine")
    assert "6 questions (4 single-mode, 2 multi-mode) of 9, from 50 votes of 20 people" in told
    whole_round.command("build", "hard", "--votes", "votes", "--out", "mine")
    assert "Nothing odd was found." in whole_round.command("data", "check", "mine")
    mine = whole_round.folder / "mine"
    dropped = pl.read_csv(mine / "dropped.csv")
    assert dict(dropped.select("question", "dropped").iter_rows()) == {
        FLAT.question: "no-majority",
        TEA.question: "cannot-answer",
        STALL.question: "dont-know",
    }
    easy, hard = (
        pl.read_csv(mine / f"CulturalBench-{config}.csv", infer_schema=False) for config in ("Easy", "Hard")
    )
    assert set(easy["question_idx"]) == set(hard["question_idx"])
    assert sorted(easy["country"]) == [
        "Mexico",
        "Mexico",
        "South Korea",
        "South Korea",
        "United Kingdom",
        "United Kingdom",
    ]
    true = {
        (row["prompt_question"], row["prompt_option"])
        for row in hard.iter_rows(named=True)
        if row["answer"] in ("True", "true")
    }
    kept = (SOUP, GLASS, QUEUE, CAWL, ROSCA, ALTAR)
    assert hard.height == 24 and true == {(each.question, text) for each in kept for text in each.truths}


def two_models_are_asked(whole_round: Round, models: ChatServer) -> None:
    """One model knows these places. The other knows Britain: two of six in Hard, and one more in Easy by
    choosing among four."""
    named = [part for name in ("knows", "does-not") for part in ("-m", f"{models.url}/v1#{name}")]
    whole_round.command(
        "run", "culturalbench/easy", "culturalbench/hard", "--release", "culturalbench=mine", *named
    )


def report(whole_round: Round) -> None:
    """Both tasks with both models, the people of each country, and a map."""
    whole_round.command("report", "last", "--out", "report")
    scores = pl.read_csv(whole_round.folder / "report" / "scores.csv").filter(
        ~pl.col("endpoint").str.starts_with("baseline/")
    )
    headline = scores.filter(
        ((pl.col("task") == "culturalbench/easy") & (pl.col("metric") == "right"))
        | ((pl.col("task") == "culturalbench/hard") & (pl.col("metric") == "all_right"))
    )
    found = {
        (row["task"].rpartition("/")[2], row["endpoint"].rpartition("#")[2], row["value"]): round(
            row["score"], 1
        )
        for row in headline.filter(pl.col("facet").is_in(["all", "culture"])).iter_rows(named=True)
    }
    assert found == {
        **{(task, "knows", where): 100.0 for task in ("easy", "hard") for where in ("all", "KR", "GB", "MX")},
        ("easy", "does-not", "all"): 50.0,
        ("easy", "does-not", "KR"): 0.0,
        ("easy", "does-not", "GB"): 100.0,
        ("easy", "does-not", "MX"): 50.0,
        ("hard", "does-not", "all"): 33.3,
        ("hard", "does-not", "KR"): 0.0,
        ("hard", "does-not", "GB"): 100.0,
        ("hard", "does-not", "MX"): 0.0,
    }
    told = (whole_round.folder / "report" / "report.md").read_text(encoding="utf-8")
    # Who chose what the others chose: 5 of 5 and 4 of 5 in Korea and in Mexico; 4 of 5 and, of those in Wales
    # who know, 4 of 4.
    for country, right, answers in (
        ("South Korea", "90.0", 10),
        ("United Kingdom", "88.9", 9),
        ("Mexico", "90.0", 10),
    ):
        of_country = [line for line in told.splitlines() if line.startswith(f"| {country} |")]
        rows = [line.split(" | ") for line in of_country if line.endswith(f" n={answers} |")]
        assert len(rows) == 2, "Easy and Hard"
        assert all(row[-1].startswith(f"{right} [") and row[-1].endswith(f"n={answers} |") for row in rows), (
            rows
        )
    page = (whole_round.folder / "report" / "report.html").read_text(encoding="utf-8")
    assert "CulturalBench-Easy" in page and "CulturalBench-Hard" in page
    drawn = page[page.index('id="figure-world"') :]
    assert all(f'data-place="{culture}"' in drawn for culture in ("KR", "GB", "MX"))
