"""One worker of a crew: claims requests and stores replies as the engine does, and asks nobody.

    python -m perf.scale.worker URL RUN ENDPOINT FEED LATENCY FROM BEGIN

Prints one JSON object: how many transactions of each kind, and the processor's and the clock's seconds in
them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from folkways.endpoints.base import Completion, Request
from folkways.workspace.database import open_workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest

SAVED_AT_ONCE = 256
CONCURRENCY = 32
FLUSH_SECONDS = 0.05


class Meter:
    """Adds up what calls take."""

    def __init__(self) -> None:
        self.count, self.cpu, self.wall = 0, 0.0, 0.0

    def of(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call, and count what it took."""
        cpu, wall = time.process_time(), time.perf_counter()
        result = call(*arguments)
        self.count, self.cpu, self.wall = (
            self.count + 1,
            self.cpu + time.process_time() - cpu,
            self.wall + time.perf_counter() - wall,
        )
        return result


def replies(requests: Sequence[Request]) -> list[AnsweredRequest]:
    """Replies of a sentence, none like another."""
    said = "It is mostly bread and tea with neighbours here, for {} of us in the older streets."
    return [
        AnsweredRequest(
            request, Completion(said.format(request.key[:6]), "stop", None, "made", 60, 20), 0.2, 1
        )
        for request in requests
    ]


def main() -> None:
    """Work until nothing is pending that nobody holds."""
    url, run, endpoint, feed, latency, place, begin = sys.argv[1:]
    workspace = open_workspace(url, create=False)
    queue = RequestQueue(workspace, int(run))
    queue.enter()
    claims, saves, done, empty, after = Meter(), Meter(), 0, 0, int(place)
    wraps = after > 0
    time.sleep(max(0.0, float(begin) - time.time()))
    started = time.time()
    at_once = int(CONCURRENCY * FLUSH_SECONDS / float(latency)) if float(latency) else SAVED_AT_ONCE
    while True:
        batch = claims.of(queue.claim, int(endpoint), after, int(feed), ())
        if batch.seen == 0:
            if not wraps:
                break
            after, wraps = 0, False
            continue
        after = batch.last
        empty += not batch.requests
        due = time.monotonic()
        for start in range(0, len(batch.requests), at_once):
            part = batch.requests[start : start + at_once]
            due += len(part) * float(latency) / CONCURRENCY
            time.sleep(max(0.0, due - time.monotonic()))
            saves.of(queue.save, int(endpoint), replies(part))
            done += len(part)
    ended = time.time()
    queue.leave()
    told = {
        "done": done,
        "empty": empty,
        "started": started,
        "ended": ended,
        "claims": vars(claims),
        "saves": vars(saves),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
