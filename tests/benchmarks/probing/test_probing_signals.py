"""What each signal asks, and what replies are worth: those of a model that remembers all, and of one that
remembers nothing."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from folkways.benchmarks.probing.hidden_text import MASK, Continuation, DataSetName, MaskedOption, MaskedWord
from folkways.benchmarks.probing.signal import ItemGroup, Unit
from folkways.benchmarks.probing.signals import (
    SHUFFLES,
    SIGNALS,
    OptionOrder,
    Paraphrase,
    ReleasedOrder,
    control_task,
    signals,
)
from folkways.benchmarks.registry import get_task, tasks
from folkways.benchmarks.released_data import open_release
from folkways.errors import UnknownNameError


def group(name: str) -> ItemGroup:
    task = get_task(name)
    release = open_release(task.release, task.benchmark)
    items = task.items(release)
    return ItemGroup(task, release, items, items)


@pytest.fixture(scope="module")
def letters() -> ItemGroup:
    return group("demo/mcq")


@pytest.fixture(scope="module")
def short() -> ItemGroup:
    return group("demo/saq")


def question(group: ItemGroup, unit: Unit) -> str:
    """The item's question as it is asked."""
    item = unit.prompts[0].item.partition(":")[2]
    return str(next(row["asked"] for row in group.rows if row["item"] == item))


def test_a_hidden_option_is_wrong_and_stands_nowhere_in_the_prompt(letters: ItemGroup) -> None:
    signal = MaskedOption()
    units = signal.units(letters, [])
    assert len(units) == letters.items.height
    for unit, row in zip(units, letters.rows, strict=True):
        listed = letters.task.options_of(row)
        options, right = listed.texts, listed.right
        hidden = unit.about[0]
        assert hidden in options and hidden != options[right or 0]
        (prompt,) = unit.prompts
        assert MASK in prompt.text and hidden not in prompt.text
        assert prompt.text.endswith(f"{'ABCD'[options.index(hidden)]}.")
    assert signal.values(letters, units, [[unit.about[0]] for unit in units]) == [(1.0, 1.0)] * len(units)
    # Many models say again what stands before it.
    assert signal.values(letters, units, [[f"{unit.about[1]} {unit.about[0]}"] for unit in units]) == [
        (1.0, 1.0)
    ] * len(units)
    assert signal.values(letters, units, [[f"{unit.about[2]}\n{unit.about[0]}"] for unit in units]) == [
        (1.0, 1.0)
    ] * len(units)
    assert signal.values(letters, units, [["I do not know"] for _ in units]) == [(0.0, 0.0)] * len(units)


def test_a_hidden_word_is_in_the_language_that_the_question_is_asked_in(short: ItemGroup) -> None:
    signal = MaskedWord()
    units = signal.units(short, [])
    for unit in units:
        (prompt,) = unit.prompts
        assert unit.about not in prompt.text and unit.about in question(short, unit)
        assert prompt.max_tokens == 32
    assert {unit.prompts[0].language for unit in units} > {"en", "es", "de"}
    assert signal.values(short, units[:2], [[units[0].about], [MASK]]) == [(1.0,), (0.0,)]


def test_the_rest_of_an_item_with_and_without_the_name_of_its_data_set(letters: ItemGroup) -> None:
    plain, named = Continuation().units(letters, []), DataSetName().units(letters, [])
    for one, both in zip(plain, named, strict=True):
        assert both.prompts[1] == one.prompts[0]  # asked once for both
        assert letters.task.title in both.prompts[0].text and letters.task.title not in both.prompts[1].text
        first, rest = one.about
        assert one.prompts[0].text.endswith(first) and rest not in one.prompts[0].text
    first, rest = plain[0].about
    told = Continuation().values(
        letters, plain[:3], [[rest], [plain[1].about[0] + " " + plain[1].about[1]], ["No idea."]]
    )
    assert told[:2] == [(1.0,), (1.0,)] and told[2][0] < 0.2
    assert DataSetName().values(letters, named[:3], [[rest, ""], [rest, rest], ["", named[2].about[1]]])[
        0
    ] == (1.0,)
    assert DataSetName().values(letters, named[:2], [["", rest], ["", ""]]) == [(-1.0,), (0.0,)]


def test_an_order_that_was_learnt_by_heart(letters: ItemGroup) -> None:
    signal = OptionOrder()
    units = signal.units(letters, [])
    assert {len(unit.prompts) for unit in units} == {4}
    gold = {row["item"]: row["answer"] for row in letters.rows}
    letter = [gold[unit.prompts[0].item.partition(":")[2]] for unit in units]
    by_heart = signal.values(letters, units, [[own] * 4 for own in letter])
    assert by_heart == [(1.0,)] * len(units)  # the same letter, whatever stands behind it
    assert signal.values(letters, units, [["A"] * 4 for _ in units]) == [(0.0,)] * len(units)


def test_a_question_in_other_words(letters: ItemGroup) -> None:
    signal = Paraphrase()
    asked = [row["asked"] for row in letters.rows]
    assert [
        prompt.text.endswith(text) for prompt, text in zip(signal.before(letters), asked, strict=True)
    ] == [True] * len(asked)
    told = [f"Tell me: {text}" for text in asked]
    told[0], told[1] = "A dinner.", asked[1]  # an answer, and the same again
    units = signal.units(letters, told)
    assert len(units) == len(asked) - 2
    for unit, new in zip(units, told[2:], strict=True):
        published, reworded = (prompt.text for prompt in unit.prompts)
        assert new not in published and new in reworded and reworded.replace("Tell me: ", "") == published
    gold = [row["answer"] for row in letters.rows][2:]
    values = signal.values(letters, units, [[own, "none"] for own in gold])
    assert values == [(1.0,)] * len(units)


def test_neighbours_in_their_order_and_in_others(short: ItemGroup) -> None:
    signal = ReleasedOrder()
    units = signal.units(short, [])
    assert len(units) >= 5
    for unit in units:
        released, *others = (prompt.logprob_of or "" for prompt in unit.prompts)
        assert len(others) == SHUFFLES and released not in others
        assert all(sorted(other.split("\n\n")) == sorted(released.split("\n\n")) for other in others)
    (told,) = signal.values(
        short, units[:1], [["-10", *["-14"] * (SHUFFLES // 2), *["-16"] * (SHUFFLES // 2)]]
    )
    assert told == (5.0, 2.0)


@pytest.mark.parametrize(("order", "texts"), [("AAAA", 0), ("AABB", 0), ("AABBC", 1), ("ABAB", 1)])
def test_items_that_say_the_same_have_no_other_order(short: ItemGroup, order: str, texts: int) -> None:
    """The search for another order of equal items would never end."""
    rows = [short.items[place] for place in ["ABC".index(letter) for letter in order]]
    units = ReleasedOrder().units(replace(short, neighbours=pl.concat(rows)), [])
    assert len(units) == texts


def test_of_a_long_release_forty_texts_are_asked(short: ItemGroup) -> None:
    """From its beginning to near its end."""
    again = [
        short.items.with_columns(item=pl.format("{}-{}", "item", pl.lit(number))) for number in range(20)
    ]
    whole = replace(short, neighbours=pl.concat(again))
    items = [unit.question for unit in ReleasedOrder().units(whole, [])]
    assert len(set(items)) == len(items) == 40
    places = [whole.neighbours["item"].index_of(item) for item in items]
    assert places[0] == 0 and places[-1] > 0.6 * whole.neighbours.height


@pytest.mark.parametrize("name", list(tasks()))
def test_each_task_gives_a_signal_or_says_why_not(name: str) -> None:
    task = get_task(name)
    lacking = {signal.name: signal.lacks(task) for signal in SIGNALS}
    assert not lacking["continuation"] and not lacking["named"]
    assert bool(lacking["option-order"]) == (not task.permutes_options)
    assert bool(lacking["masked-option"]) == (not task.permutes_options)
    control = control_task(task)
    assert (control is None) == (task.benchmark == "demo")
    assert control is None or control.permutes_options == task.permutes_options


def test_signals_by_name() -> None:
    assert [signal.name for signal in signals(["named", "masked-word"])] == ["masked-word", "named"]
    with pytest.raises(UnknownNameError, match="released-order"):
        signals(["order"])
