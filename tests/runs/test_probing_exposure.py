"""Probes of models that have seen the items and that have not: signals rise with exposure, and their control
stays where it was."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any
from zlib import crc32

import pytest
from scipy import stats

from folkways.benchmarks.probing.signal import ItemGroup
from folkways.benchmarks.probing.signals import ReleasedOrder
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.endpoints.base import LOGPROB, Completion, EndpointOptions, Request, Settings
from folkways.runs.models import open_models
from folkways.runs.probing import probe
from folkways.workspace.database import open_workspace
from tests.support.exposed_model import ExposedModel, write_release

Row = dict[str, Any]
HIDING, ORDER, SEQUENCE = (
    ("continuation", "overlap"),
    ("option-order", "right"),
    ("released-order", "log-probability"),
)


def probed(
    folder: Path, models: list[str], only: tuple[str, ...], limit: int
) -> dict[str, dict[tuple[str, str], Row]]:
    """Model -> signal and measure -> row."""
    releases = {"release": str(folder / "seen"), "control": str(folder / "unseen")}
    opened = open_models(models, EndpointOptions())
    done = probe(
        open_workspace(folder / "w.db"), "culturalbench/easy", opened, only=only, limit=limit, **releases
    )
    assert done.run.state == "finished", done.run.reason
    rows = done.signals.to_dicts()
    return {
        name: {(row["signal"], row["measure"]): row for row in rows if row["endpoint"] == name}
        for name in models
    }


def releases(folder: Path, items: int) -> None:
    for seed, name in enumerate(("seen", "unseen", "practice")):
        write_release(folder / name, items, seed)


@pytest.mark.local_model
@pytest.mark.nightly
def test_signals_rise_with_exposure_and_their_control_does_not(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra local")
    releases(tmp_path, 16)
    model = ExposedModel(tmp_path / "seen", tmp_path / "practice")
    never = model.save(tmp_path / "never")
    model.train(40)
    often = model.save(tmp_path / "often")
    found = probed(tmp_path, [never, often], ("option-order", "released-order"), 16)
    assert found[never][ORDER]["difference_low"] <= 0 <= found[never][ORDER]["difference_high"]
    assert found[often][ORDER]["difference_low"] > 20
    assert found[often][ORDER]["control_low"] <= 0 <= found[often][ORDER]["control_high"]
    assert abs(found[never][SEQUENCE]["value"]) < 1
    assert found[often][SEQUENCE]["value"] > 5
    assert abs(found[often][SEQUENCE]["control_value"]) < found[often][SEQUENCE]["value"] / 2


@pytest.mark.nightly
@pytest.mark.local_model
def test_signals_rise_exposure_by_exposure(tmp_path: Path) -> None:
    releases(tmp_path, 36)
    model = ExposedModel(tmp_path / "seen", tmp_path / "practice")
    names = []
    for times in (0, 1, 19, 60):
        model.train(times, practice=8)
        names.append(model.save(tmp_path / f"after-{len(names)}"))
    only = ("masked-option", "continuation", "option-order", "released-order")
    found = probed(tmp_path, names, only, 36)
    for measure in (("masked-option", "overlap"), HIDING, ORDER, SEQUENCE):
        rows = [found[name][measure] for name in names]
        never, once, _, often = (row["difference"] for row in rows)
        assert often > rows[2]["difference"] - 5 > once - 10
        assert abs(once - never) < (often - never) / 2
        assert rows[0]["difference_low"] <= 0 <= rows[0]["difference_high"]
        assert rows[-1]["difference_low"] > 0
        level = [row["control_value"] for row in rows]
        assert max(level) - min(level) < (rows[-1]["value"] - rows[0]["value"]) / 2


class Weighing:
    """Says how likely a text is: by a hash of it, so that every order of the same words has a number of its own."""

    name = identity = "lab/weighing"
    item_addressed = False
    local = reads_long_texts = True
    default_concurrency = 4

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """The number of the one text among the choices."""
        self.requests.append(request)
        (text,) = request.choices or ()
        return Completion(str(likelihood(text)), finish_reason="logprob")


def likelihood(text: str) -> float:
    return -(crc32(text.encode()) % 10_000) / 100


def test_the_order_of_a_release_is_weighed_against_other_orders_and_these_against_each_other(
    tmp_path: Path,
) -> None:
    folder = write_release(tmp_path / "seen", 48, 0)
    model = Weighing()
    done = probe(
        open_workspace(tmp_path / "w.db"),
        "culturalbench/easy",
        open_models([model], EndpointOptions()),
        release=str(folder),
        only=("released-order",),
    )
    (row,) = done.signals.to_dicts()
    task, release = get_task("culturalbench/easy"), open_release(str(folder), "culturalbench")
    neighbours = task.items(release)
    units = ReleasedOrder().units(ItemGroup(task, release, neighbours, neighbours), [])
    numbers = [[likelihood(prompt.logprob_of or "") for prompt in unit.prompts] for unit in units]
    half = (len(numbers[0]) - 1) // 2
    ahead = [of[0] - fmean([fmean(of[1 : 1 + half]), fmean(of[1 + half :])]) for of in numbers]
    apart = [fmean(of[1 : 1 + half]) - fmean(of[1 + half :]) for of in numbers]
    assert len(units) > 5
    assert (row["n"], row["control_n"], row["unanswered"]) == (len(units), len(units), 0)
    assert (row["value"], row["control_value"]) == pytest.approx((fmean(ahead), fmean(apart)))
    differences = [one - other for one, other in zip(ahead, apart, strict=True)]
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    assert row["difference"] == pytest.approx(fmean(differences))
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((low, high))
    assert row["control"] == "the same items in other orders" and row["lacking"] is None
    texts = {prompt.logprob_of for unit in units for prompt in unit.prompts}
    assert {(request.choices or ("",))[0] for request in model.requests} == texts, (
        "and nothing of the control"
    )
    assert {request.settings for request in model.requests} == {
        Settings(temperature=None, top_p=None, read=LOGPROB)
    }, "nothing is drawn, so that no setting of drawing belongs to what is stored"
    again = Weighing()
    probe(
        open_workspace(tmp_path / "w.db"),
        "culturalbench/easy",
        open_models([again], EndpointOptions()),
        release=str(folder),
        only=("released-order",),
    )
    assert not again.requests
