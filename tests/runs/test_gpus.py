"""The GPUs of a machine: which there are, and that none is given to two who need it whole."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.errors import FolkwaysError
from folkways.runs.deployment import Gpus, visible_gpus


@pytest.mark.parametrize(
    ("variable", "gpus"),
    [
        ("0,1, 3", ("0", "1", "3")),
        ("GPU-8932f937,MIG-3eb87630", ("GPU-8932f937", "MIG-3eb87630")),
        ("", ()),
        ("-1", ()),
        ("0,-1,1", ("0",)),
        ("NoDevFiles", ()),
        ("2,2", ("2",)),
    ],
)
def test_the_variable_names_them(variable: str, gpus: tuple[str, ...]) -> None:
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": variable}) == gpus


@pytest.mark.parametrize(
    ("script", "gpus"),
    [
        ("echo 0; echo 1; echo 2", ("0", "1", "2")),
        ("echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9", ()),
        ("echo 'No devices were found'", ()),
        (None, ()),
    ],
)
def test_without_it_nvidia_smi_lists_them(
    script: str | None, gpus: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script is not None:
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert visible_gpus({}) == gpus


def test_how_many_a_copy_takes() -> None:
    gpus = Gpus(("0", "1"), 4)
    assert [gpus.wanted(wanted, "m") for wanted in (None, 0, 0.5, 2)] == [1, 0, 0.5, 2]
    assert Gpus((), 4).wanted(None, "m") == 0
    with pytest.raises(FolkwaysError, match="m takes 3 GPUs, and there are 2 here"):
        gpus.wanted(3, "m")
    with pytest.raises(FolkwaysError, match=r"none here.*export CUDA_VISIBLE_DEVICES=0,1"):
        Gpus((), 4).wanted(0.5, "m")


def test_nobody_overtakes_who_needs_more() -> None:
    async def hand_out() -> list[str]:
        gpus = Gpus(("0", "1"), 1)
        first = await gpus.take(1, (1,))
        order: list[str] = []

        async def one(name: str, wanted: float, rank: int) -> None:
            seat = await gpus.take(wanted, (rank,))
            order.append(name)
            gpus.give_back(seat)

        tasks = [
            asyncio.create_task(one(*who))
            for who in (("large", 2, 2), ("small", 1, 3), ("none", 0, 9), ("given up", 1, 0))
        ]
        tasks[3].cancel()
        await asyncio.sleep(0)
        assert order in ([], ["none"]), "one is free, and is kept for the large one"
        gpus.give_back(first)
        await asyncio.wait(tasks)
        return order

    assert asyncio.run(hand_out()) == ["none", "large", "small"]


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from([0, 0.25, 0.5, 1, 2, 3]), st.integers(0, 3), st.integers(0, 2)), max_size=12
    ),
    st.sets(st.integers(0, 11)),
)
def test_no_gpu_is_given_twice_and_all_get_their_turn(
    count: int, models: list[tuple[float, int, int]], cancelled: set[int]
) -> None:
    """A model: what it wants, its rank, and for how many turns of the loop it keeps it."""

    async def run() -> None:
        gpus = Gpus([str(number) for number in range(count)], 2)
        taken = dict.fromkeys(gpus.names, 0.0)
        served: list[int] = []
        without = 0

        async def one(number: int, wanted: float, rank: int, turns: int) -> None:
            nonlocal without
            seat = await gpus.take(min(wanted, count), (rank, number))
            without += not seat.gpus
            assert without <= 2
            assert len(seat.gpus) == (1 if 0 < wanted < 1 else min(wanted, count))
            for gpu in seat.gpus:
                taken[gpu] += seat.share
                assert taken[gpu] <= 1
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                for gpu in seat.gpus:
                    taken[gpu] -= seat.share
                without -= not seat.gpus
                gpus.give_back(seat)
            served.append(number)

        tasks = [asyncio.create_task(one(number, *model)) for number, model in enumerate(models)]
        await asyncio.sleep(0)
        for number in cancelled & set(range(len(tasks))):
            tasks[number].cancel()
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert all(result is None or isinstance(result, asyncio.CancelledError) for result in results), (
            results
        )
        assert set(range(len(models))) - cancelled <= set(served)
        whole = await asyncio.wait_for(gpus.take(count, (0,)), 5)
        assert whole.gpus == gpus.names, "all came back"

    asyncio.run(run())
