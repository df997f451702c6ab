"""A program that is forked from a process with its imports finds what a new interpreter would find."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import environment
from tests.support.forked_programs import start_module
from tests.support.process_limits import limit_files

PROBE = """
import json, os, resource, signal, sys
names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGXFSZ")
streams = (sys.stdin, sys.stdout, sys.stderr)
print(json.dumps({
    "argv": sys.argv, "name": __name__, "file": __file__, "folder": os.getcwd(), "environment": dict(os.environ),
    "path": sys.path, "parent": os.getppid(), "group": os.getpgid(0), "session": os.getsid(0),
    "signals": {name: str(signal.getsignal(getattr(signal, name))) for name in names},
    "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "largest file": resource.getrlimit(resource.RLIMIT_FSIZE),
    "streams": [(one.encoding, one.errors, one.line_buffering, one.fileno(), one.isatty()) for one in streams],
    "said": sys.stdin.read(), "open": sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:3],
}))
sys.stderr.write("a word\\n")
code = sys.argv[-1]
if code == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(int(code) if code.isdigit() else code)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to a grandparent")


def new_interpreter(module: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", module, *map(str, arguments)], **options)


@pytest.mark.parametrize("end", ["0", "3", "a message", "killed"])
@pytest.mark.parametrize("encoding", ["", "cp1252:replace"])
def test_a_fork_finds_what_a_new_interpreter_finds(tmp_path: Path, end: str, encoding: str) -> None:
    (tmp_path / "probe_of_forks.py").write_text(PROBE, encoding="utf-8")
    folder = tmp_path / "here"
    folder.mkdir()
    env = environment(PYTHONPATH=str(tmp_path), MINE="mine") | (
        {"PYTHONIOENCODING": encoding} if encoding else {}
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    ended = []
    for start in (new_interpreter, start_module):
        limit = partial(limit_files, 123_456)
        process = start("probe_of_forks", "an argument", end, cwd=folder, env=env, preexec_fn=limit, **pipes)
        out, err = process.communicate("said", timeout=120)
        ended.append((process.returncode, err, json.loads(out) if out else {}))
    (code, err, expected), (forked_code, forked_err, found) = ended
    assert (forked_code, forked_err) == (code, err)
    for name in expected:
        assert (name, found[name]) == (name, expected[name])
    assert code == {"0": 0, "3": 3, "a message": 1, "killed": -signal.SIGKILL}[end]
    if found:
        assert found["parent"] == os.getpid() and found["environment"]["MINE"] == "mine"


def test_what_an_interpreter_reads_once_begins_a_new_one() -> None:
    """As a fork would not obey it."""
    pipes = {"stdout": subprocess.PIPE, "text": True}
    process = start_module("sysconfig", env=os.environ | {"PYTHONHASHSEED": "0"}, **pipes)
    assert type(process) is subprocess.Popen
    process.kill()
    process.communicate()
    plain = start_module("this", **pipes)
    assert type(plain) is not subprocess.Popen
    assert "Beautiful is better than ugly." in plain.communicate(timeout=60)[0]
