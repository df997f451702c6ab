"""A server that sends very long replies to everything at once: what is taken in of them is bounded in sum."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.chat_server import ChatServer
from tests.support.server_process import REPOSITORY

AT_ONCE, MEGABYTES = 64, 6

ASK = """
import asyncio, resource, sys
from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import open_name
from tests.support.endpoint_requests import request

async def ask(endpoint, number):
    return len((await endpoint.complete(request(f"question {number}", key=str(number)))).text)

async def main():
    endpoint = open_name(sys.argv[1], EndpointOptions())
    at_once = int(sys.argv[2])
    await endpoint.open(at_once)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lengths = await asyncio.gather(*(ask(endpoint, number) for number in range(at_once)))
    await endpoint.close()
    print(sum(lengths), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_large_bodies_take_turns() -> None:
    with ChatServer(faults={"chances": {f"big+megabytes={MEGABYTES}": 1.0}}) as server:
        command = [sys.executable, "-c", ASK, f"{server.url}/v1#m", str(AT_ONCE)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    characters, megabytes = map(int, done.stdout.split())
    assert characters == AT_ONCE * MEGABYTES * 1024 * 1024
    assert (
        megabytes < 0.6 * AT_ONCE * MEGABYTES
    )  # each is there as bytes, as JSON and as text: all at once, that is more than once
