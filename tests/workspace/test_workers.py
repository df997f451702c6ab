"""Which owners of claims are dead: processes of this machine, of containers on it, and of other machines."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkways.workspace.queue import workers
from folkways.workspace.queue.workers import (
    STALE_SECONDS,
    WATCHED_SECONDS,
    QueueWorker,
    WorkerWatch,
    is_dead_here,
    place,
    started,
)

NOW = 1_795_240_000.0
WHO = (
    "import os; from folkways.workspace.queue.workers import place, started as s; "
    "print(place(), os.getpid(), s(os.getpid()), sep='|')"
)


def worker(host: str, *, pid: int = 1, since: str = "1", heartbeat: float = NOW) -> QueueWorker:
    return QueueWorker("o", host, pid, since, heartbeat)


class Clock:
    """Seconds that go forward when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    assert process.stdin
    process.stdin.close()


def test_a_process_of_this_machine_is_alive_until_it_ends(
    child: subprocess.Popen[bytes], clock: Clock
) -> None:
    its = worker(place(), pid=child.pid, since=started(child.pid), heartbeat=NOW - 100 * STALE_SECONDS)
    watch = WorkerWatch(clock)
    assert watch.dead([its], NOW) == []
    child.send_signal(signal.SIGSTOP)
    clock.seconds += STALE_SECONDS + WATCHED_SECONDS + 1
    assert watch.dead([its], NOW) == []
    child.kill()
    os.waitid(
        os.P_PID, child.pid, os.WEXITED | os.WNOWAIT
    )  # it has ended, and nobody has looked after it: a zombie
    os.kill(child.pid, 0)
    assert watch.dead([its], NOW) == [its]
    child.wait()
    assert watch.dead([its], NOW) == [its]


def test_a_later_process_of_somebody_else_with_the_same_number_keeps_no_claim() -> None:
    its = worker(place(), pid=1, since="not when process 1 started")
    assert WorkerWatch().dead([its], NOW) == [its]


def test_a_process_in_a_container_with_the_same_host_name_is_not_looked_for_here(clock: Clock) -> None:
    """Its number means nothing here, and it is dead only when it has been silent."""
    unshare = shutil.which("unshare")
    command = [str(unshare), "--pid", "--fork", "--mount-proc", sys.executable, "-c", WHO]
    made = subprocess.run(command, capture_output=True, text=True, check=False) if unshare else None
    if made is None or made.returncode:
        pytest.skip("this system lets us make no PID namespace")
    host, pid, since = made.stdout.strip().split("|")
    assert (pid, host == place()) == ("1", False)
    assert host.split()[0] == place().split()[0]
    its = worker(host, pid=int(pid), since=since)
    watch = WorkerWatch(clock)
    assert watch.dead([its], NOW) == []
    clock.seconds += STALE_SECONDS - 1
    assert watch.dead([its], NOW + clock.seconds) == []
    clock.seconds += 2
    assert watch.dead([its], NOW + clock.seconds) == [its]


def test_who_was_silent_for_long_is_watched_for_a_while_first(clock: Clock) -> None:
    """Both machines, or the clock, may have just woken: one that lives says so soon."""
    its = worker("elsewhere", heartbeat=NOW - 3600)
    watch = WorkerWatch(clock)
    assert watch.dead([its], NOW) == []
    clock.seconds += WATCHED_SECONDS + 1
    assert watch.dead([worker("elsewhere", heartbeat=NOW)], NOW) == []  # it beat
    clock.seconds += WATCHED_SECONDS + 1
    assert watch.dead([worker("elsewhere", heartbeat=NOW)], NOW + clock.seconds) == []
    assert watch.dead([its], NOW) == []
    clock.seconds += WATCHED_SECONDS + 1
    assert watch.dead([its], NOW) == [its]


def test_a_heartbeat_from_the_future_does_not_last_for_ever(clock: Clock) -> None:
    its = worker("elsewhere", heartbeat=NOW + 86_400)
    watch = WorkerWatch(clock)
    assert watch.dead([its], NOW) == []
    clock.seconds += STALE_SECONDS + 1
    assert watch.dead([its], NOW) == [its]


@pytest.mark.parametrize(
    ("silent", "watched", "dead"),
    [
        (90.0, 90.0, False),
        (90.01, 90.01, True),
        (1e6, 30.0, False),
        (1e6, 30.01, True),
        (90.0, 31.0, False),
        (90.01, 31.0, True),
    ],
)
def test_how_long_silence_lasts_until_a_process_elsewhere_is_dead(
    clock: Clock, silent: float, watched: float, dead: bool
) -> None:
    """Ninety seconds; of somebody who is known for longer, thirty besides under our eyes."""
    its = worker("elsewhere", heartbeat=0.0)
    watch = WorkerWatch(clock)
    assert watch.dead([its], silent) == []
    clock.seconds += watched
    assert watch.dead([its], silent) == ([its] if dead else [])


def test_on_windows_a_process_is_not_touched_to_see_whether_it_lives(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the signal 0 ends it."""
    monkeypatch.setattr(workers.sys, "platform", "win32")
    monkeypatch.setattr(workers.os, "kill", None)
    assert WorkerWatch(clock).dead([worker(place(), pid=os.getpid(), since="other")], NOW) == []


def test_a_process_of_somebody_else_is_dead_only_if_it_began_at_another_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbidden(_pid: int, _signal: int) -> None:
        raise PermissionError

    mine = started(os.getpid())
    monkeypatch.setattr(workers.os, "kill", forbidden)
    assert is_dead_here(os.getpid(), mine) is False
    assert is_dead_here(os.getpid(), "1") is True
    monkeypatch.setattr(workers, "started", lambda _pid: "")
    assert is_dead_here(os.getpid(), "1") is None


def test_a_process_is_known_by_when_it_started_whatever_it_is_called(
    child: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert started(child.pid) == Path(f"/proc/{child.pid}/stat").read_text().split()[21]
    odd = tmp_path / "a) Z 9 (b"
    shutil.copy(str(shutil.which("sleep")), odd)
    with subprocess.Popen([odd, "60"]) as process:
        told = Path(f"/proc/{process.pid}/stat").read_text()
        assert told.split(" ", 1)[1].startswith("(a) Z 9 (b) ")
        assert started(process.pid) == told.rpartition(")")[2].split()[19]
        process.kill()
        process.wait()
        assert started(process.pid) == ""


def test_a_place_is_a_kernel_and_its_numbering_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    monkeypatch.setattr(workers.socket, "gethostname", lambda: "h" * 300)
    assert place.__wrapped__() == f"{'h' * 150} {boot} {Path('/proc/self/ns/pid').readlink()}"
    monkeypatch.setattr(workers, "Path", lambda _name: Path("/nowhere"))
    assert place.__wrapped__() == "h" * 250
