"""One timer for many waits does what a timeout for each would do."""

from __future__ import annotations

import asyncio

import pytest

from folkways.endpoints.servers.deadline import Deadline
from tests.support.virtual_time import virtual_time


async def waited(deadline: Deadline, before: float, seconds: float) -> tuple[str, float]:
    """How a wait ended that begins after so many seconds, and when."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(before)
    began = loop.time()
    try:
        with deadline:
            await asyncio.sleep(seconds)
    except TimeoutError:
        return "late", round(loop.time() - began, 6)
    return "done", round(loop.time() - began, 6)


def test_each_wait_ends_at_its_own_time() -> None:
    async def wait() -> list[tuple[str, float]]:
        deadline = Deadline(10.0, asyncio.get_running_loop())
        waits = [(0, 3), (0, 30), (1, 9), (2, 50), (2, 10.5), (5, 4), (100, 1), (100, 20)]
        return await asyncio.gather(*(waited(deadline, *one) for one in waits))

    with virtual_time() as loop:
        done, late = "done", ("late", 10.0)
        assert loop.run_until_complete(wait()) == [
            (done, 3),
            late,
            (done, 9),
            late,
            late,
            (done, 4),
            (done, 1),
            late,
        ]


def test_a_task_may_wait_again_and_again() -> None:
    async def wait() -> list[tuple[str, float]]:
        deadline = Deadline(10.0, asyncio.get_running_loop())
        return [await waited(deadline, 1, seconds) for seconds in (9, 11, 9, 12)]

    with virtual_time() as loop:
        assert loop.run_until_complete(wait()) == [("done", 9), ("late", 10), ("done", 9), ("late", 10)]


def test_what_is_cancelled_by_others_is_cancelled_and_not_late() -> None:
    async def wait() -> tuple[bool, bool, tuple[str, float]]:
        deadline = Deadline(10.0, asyncio.get_running_loop())
        early, late = (asyncio.create_task(waited(deadline, 0, 30)) for _ in range(2))
        other = asyncio.create_task(waited(deadline, 9, 5))
        await asyncio.sleep(5)
        early.cancel()
        await asyncio.sleep(4.999999)
        asyncio.get_running_loop().call_later(
            0.000001, late.cancel
        )  # at the moment at which it is late as well
        await asyncio.gather(early, late, return_exceptions=True)
        return early.cancelled(), late.cancelled(), await other

    with virtual_time() as loop:
        assert loop.run_until_complete(wait()) == (True, True, ("done", 5))


@pytest.mark.parametrize("wrong", [ValueError("unreadable"), OSError("closed"), KeyboardInterrupt()])
def test_what_goes_wrong_while_a_late_wait_is_ended_is_told_as_it_is(wrong: BaseException) -> None:
    async def closed_late(deadline: Deadline) -> None:
        with deadline:
            try:
                await asyncio.sleep(30)
            finally:
                raise wrong

    async def wait() -> tuple[BaseException, int]:
        deadline = Deadline(10.0, asyncio.get_running_loop())
        task = asyncio.current_task()
        assert task is not None
        try:
            await closed_late(deadline)
        except BaseException as error:  # noqa: BLE001 - whatever it is
            return error, task.cancelling()
        raise AssertionError

    with virtual_time() as loop:
        assert loop.run_until_complete(wait()) == (wrong, 0)


def test_what_ends_slowly_is_cancelled_once() -> None:
    async def ended_slowly(deadline: Deadline) -> tuple[str, float]:
        began = asyncio.get_running_loop().time()
        try:
            with deadline:
                try:
                    await asyncio.sleep(30)
                finally:
                    await asyncio.sleep(20)
        except TimeoutError:
            return "late", asyncio.get_running_loop().time() - began
        return "done", 0.0

    async def wait() -> list[tuple[str, float]]:
        deadline = Deadline(10.0, asyncio.get_running_loop())
        return await asyncio.gather(ended_slowly(deadline), *(waited(deadline, at, 30) for at in (1, 2, 15)))

    with virtual_time() as loop:
        assert loop.run_until_complete(wait()) == [("late", 30), *[("late", 10)] * 3]
