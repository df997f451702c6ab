"""All signals, and the items that they are held against where nobody hands in better ones."""

from __future__ import annotations

from collections.abc import Sequence

from folkways.benchmarks.base import Task
from folkways.benchmarks.probing.asking_otherwise import OptionOrder, Paraphrase
from folkways.benchmarks.probing.hiding import Continuation, MaskedOption, MaskedWord, Named
from folkways.benchmarks.probing.released_order import ReleasedOrder
from folkways.benchmarks.probing.signal import Signal
from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError

SIGNALS: tuple[Signal, ...] = (
    MaskedOption(),
    MaskedWord(),
    Continuation(),
    Named(),
    OptionOrder(),
    Paraphrase(),
    ReleasedOrder(),
)


def signals(names: Sequence[str] | None = None) -> list[Signal]:
    """The signals of these names, in one order; all for None. UnknownNameError for a name that is none."""
    known = [signal.name for signal in SIGNALS]
    for name in names or ():
        if name not in known:
            raise UnknownNameError("signal", name, known)
    return [signal for signal in SIGNALS if names is None or signal.name in names]


def control_task(task: Task) -> Task | None:
    """The task of folkways' own demo with items of the same kind; None for the demo itself.

    Its items are younger than most models, and of another kind than those of any benchmark: a stand-in for
    items of one's own.
    """
    found = get_task("demo/mcq" if task.permutes_options else "demo/saq")
    return None if task.benchmark == found.benchmark else found
