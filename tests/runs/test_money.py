"""What a run cost, in every way of asking: by the tokens that a provider reports, at the price of the model,
each reply once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from folkways.api import Run, run
from folkways.benchmarks.build import Prompt
from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.runs.asking import AskSession
from folkways.runs.models import Model
from folkways.runs.options import AskOptions
from folkways.workspace import results

QUESTIONS = 18
INPUT, OUTPUT = 3, 5
REPLY = (INPUT * 1000 + OUTPUT * 2000) / 1e6
"""US dollars of one reply of ``lab/priced``."""

PRICES = """[usd_per_million_tokens]
"lab/priced" = { input = 1000, output = 2000 }
"lab/half" = { input = 500, output = 1000 }
"lab/output" = { input = 0, output = 2000 }
"lab/free" = { input = 0, output = 0 }
"""

Answer = Callable[[int, Request], Completion]


def _counted(_number: int, _request: Request) -> Completion:
    return Completion("A", input_tokens=INPUT, output_tokens=OUTPUT)


@dataclass
class Lab:
    """A model of a provider. answer: what it says to a request, which has this number."""

    name: str = "lab/priced"
    answer: Answer = _counted
    local: bool = False
    asked: int = 0
    item_addressed: bool = False
    default_concurrency: int = 1
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        self.identity = self.name

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """What ``answer`` says."""
        self.asked += 1
        return self.answer(self.asked, request)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    return file


Ask = Callable[..., Run]


@pytest.fixture
def ask(tmp_path: Path, prices: Path) -> Ask:
    """Run demo/mcq by these models."""

    def asked(*models: Lab, name: str = "r", **options: Any) -> Run:
        where = {"workspace": tmp_path / "w.db", "prices": prices, "name": name}
        return run("demo/mcq", models=list(models), **where, **options)

    return asked


def cost(done: Run) -> float | None:
    return done.report_data(with_judgements=False, with_verdict=True).runs[0].cost


def _says(**counts: Any) -> Answer:
    return lambda _number, _request: Completion("A", **counts)


def _busy_first(number: int, request: Request) -> Completion:
    """The first try is turned away."""
    if number == 1:
        raise EndpointFailure("busy", status=503, retryable=True, retry_after=0.0)
    return _counted(number, request)


def _lost_first(number: int, request: Request) -> Completion:
    """Nobody knows whether the first try was answered."""
    if number == 1:
        raise EndpointFailure("the connection was lost", retryable=True, retry_after=0.0)
    return _counted(number, request)


def _refuses_some(number: int, request: Request) -> Completion:
    if number <= 4:
        raise EndpointFailure("no", status=400)
    return _counted(number, request)


def _declines(number: int, request: Request) -> Completion:
    return Completion("", refusal="no", input_tokens=INPUT, output_tokens=OUTPUT)


WAYS: dict[str, tuple[list[Lab], dict[str, Any], float | None]] = {
    "one by one": ([Lab()], {}, QUESTIONS * REPLY),
    "many at once": ([Lab()], {"concurrency": 9}, QUESTIONS * REPLY),
    "part of the items": ([Lab()], {"limit": 7}, 7 * REPLY),
    "several samples": ([Lab()], {"samples": 3}, 3 * QUESTIONS * REPLY),
    "a try that was turned away": ([Lab(answer=_busy_first)], {}, QUESTIONS * REPLY),
    "a try that was lost": ([Lab(answer=_lost_first)], {}, QUESTIONS * REPLY),
    "requests that failed": ([Lab(answer=_refuses_some)], {"max_failed": 1.0}, (QUESTIONS - 4) * REPLY),
    "replies that decline": ([Lab(answer=_declines)], {}, QUESTIONS * REPLY),
    "two models": ([Lab(), Lab("lab/half")], {}, 1.5 * QUESTIONS * REPLY),
    "a free one beside": ([Lab(), Lab("lab/free")], {}, QUESTIONS * REPLY),
    "a baseline beside": ([Lab(), "baseline/first"], {}, QUESTIONS * REPLY),  # type: ignore[list-item]
    "one without a price beside": ([Lab(), Lab("lab/unknown")], {}, None),
    "no price": ([Lab("lab/unknown")], {}, None),
    "output alone has a price": ([Lab("lab/output")], {}, QUESTIONS * OUTPUT * 2000 / 1e6),
    "input not counted, and free": (
        [Lab("lab/output", _says(output_tokens=OUTPUT))], {}, QUESTIONS * OUTPUT * 2000 / 1e6,
    ),
    "input not counted": ([Lab(answer=_says(output_tokens=OUTPUT))], {}, None),
    "output not counted": ([Lab(answer=_says(input_tokens=INPUT))], {}, None),
    "nothing counted": ([Lab(answer=_says())], {}, None),
    "nothing counted, and free": ([Lab("lab/free", _says())], {}, 0.0),
    "one reply of all not counted": (
        [Lab(answer=lambda number, request: _counted(number, request) if number > 1 else Completion("A"))], {}, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_what_a_run_cost(way: str, ask: Ask) -> None:
    models, options, expected = WAYS[way]
    for model in models:
        if isinstance(model, Lab):
            model.asked = 0
    assert cost(ask(*models, **options)) == (None if expected is None else pytest.approx(expected))


def test_a_local_model_has_no_price_but_its_own(ask: Ask) -> None:
    """It costs nothing to ask; a price in the file is what somebody wants it to cost."""
    assert cost(ask(Lab("lab/free", local=True))) == 0.0
    assert cost(ask(Lab("lab/priced", local=True), name="s")) == pytest.approx(QUESTIONS * REPLY)


def test_what_is_resumed_is_paid_once(ask: Ask) -> None:
    model = Lab()
    part = ask(model, budget="7requests")
    assert (part.record.state, cost(part)) == ("budget", pytest.approx(7 * REPLY))
    whole = ask(model, budget="7requests")
    assert (whole.record.state, cost(whole), model.asked) == ("budget", pytest.approx(14 * REPLY), 14)
    whole = ask(model)
    assert (whole.record.state, cost(whole), model.asked) == (
        "finished",
        pytest.approx(QUESTIONS * REPLY),
        QUESTIONS,
    )


def test_what_is_stored_is_not_paid_again(ask: Ask) -> None:
    """A run tells what its replies cost, whoever asked for them; the model is asked for none of them again."""
    model = Lab()
    ask(model, limit=7)
    more = ask(model, name="s")
    assert (model.asked, cost(more)) == (QUESTIONS, pytest.approx(QUESTIONS * REPLY))
    afresh = ask(model, name="t", afresh=True)
    assert (model.asked, cost(afresh)) == (2 * QUESTIONS, pytest.approx(QUESTIONS * REPLY))


@pytest.mark.parametrize("replies", [1, 7, QUESTIONS])
def test_a_budget_in_dollars_is_spent_to_the_last_reply_that_fits(ask: Ask, replies: int) -> None:
    """The next one is sent as long as its worst case fits: all the bytes of its prompt, and a token out."""
    model = Lab(answer=_says(input_tokens=INPUT, output_tokens=1))
    reply = (INPUT * 1000 + 2000) / 1e6
    worst: list[float] = []
    plain = model.answer

    def answer(number: int, request: Request) -> Completion:
        size = len(request.user.encode()) + len((request.system or "").encode()) + 16
        worst.append((size * 1000 + 2000) / 1e6)
        return plain(number, request)

    model.answer = answer
    settings = {"max_tokens": 1}
    whole = ask(model, name="whole", settings=settings)
    assert cost(whole) == pytest.approx(QUESTIONS * reply)
    needed = list(itertools.accumulate([reply] * (replies - 1), initial=0.0))
    limit = max(spent + most for spent, most in zip(needed, worst, strict=False))
    again = Lab(answer=plain)
    part = ask(again, name="part", settings=settings, afresh=True, budget=f"{limit + 1e-9:.9f}usd")
    assert again.asked >= replies and again.asked * reply <= limit + 1e-9
    assert cost(part) == pytest.approx(again.asked * reply)
    following = worst[again.asked] if again.asked < QUESTIONS else None
    assert following is None or again.asked * reply + following > limit


def test_a_try_that_may_have_been_billed_counts_against_the_budget(ask: Ask) -> None:
    """The server lost a connection: its worst case is spent; one that it turned away costs nothing."""
    settings = {"max_tokens": 1}
    asked = {}
    for name, answer in (("fine", _counted), ("busy", _busy_first), ("lost", _lost_first)):
        model = Lab(answer=answer)
        ask(model, name=name, settings=settings, afresh=True, budget="0.5usd")
        asked[name] = model.asked
    assert (asked["fine"], asked["busy"]) == (QUESTIONS, QUESTIONS + 1) and asked["lost"] < QUESTIONS


def test_a_judge_model_is_paid_for_what_it_says_and_for_nothing_that_is_stored(
    ask: Ask, prices: Path
) -> None:
    done = ask(Lab("lab/free"))
    judge, options = Model(Lab()), AskOptions(prices=prices)
    prompts = [Prompt(f"Is {number} right?", "demo/mcq", f"i{number}", 8) for number in range(5)]
    for expected in (5 * REPLY, 0.0):
        with AskSession(done.workspace, {"judge": "x"}, [judge], "judging", options, "judging-") as session:
            session.ask(judge, [*prompts, *prompts])
            assert session.usd == pytest.approx(expected)
    assert judge.endpoint.asked == 5  # type: ignore[attr-defined]


def test_tokens_that_nobody_counted_are_told(ask: Ask) -> None:
    done = ask(Lab(answer=_says(input_tokens=INPUT)))
    (use,) = results.usage(done.workspace, done.record)
    assert (use.uncounted_input, use.uncounted_output) == (0, QUESTIONS)
