"""Seconds of the virtual clock that asking takes, beside the best number of requests at once given from the
start.

    python -m perf.learner [--seeds 3] [--spread 0.05]

Servers and numbers are those of tests/engine/test_learning.py; nothing is sent, and no clock of this machine
counts.
"""

from __future__ import annotations

import argparse

from folkways.engine.asking import Limits
from tests.engine.test_learning import LARGE, SERVERS, WAVES
from tests.support.virtual_time import ModelServer, simulate


def main() -> None:
    """Print a table of Markdown: the worst of the seeds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--spread",
        type=float,
        default=0.05,
        help="of a reply's seconds: standard deviation of their logarithm",
    )
    chosen = parser.parse_args()
    print(
        "| server | best number | times as long | failed | refused | too late | most at once "
        "|\n|---|---|---|---|---|---|---|"
    )
    for name, (settings, best) in (SERVERS | LARGE).items():
        worst, row = 0.0, ""
        for seed in range(chosen.seeds):
            servers = [ModelServer(seed=seed, spread=chosen.spread, **settings) for _ in range(2)]
            fixed = simulate(servers[0], WAVES * best, Limits(concurrency=best))
            found = simulate(servers[1], WAVES * best)
            times, server = found.seconds / fixed.seconds, servers[1]
            if times > worst:
                worst = times
                counts = (found.progress.failed, server.refused, server.timeouts, server.most_in_flight)
                row = f"| {name} | {best} | {times:.2f} | {' | '.join(map(str, counts))} |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
