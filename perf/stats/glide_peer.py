"""Intervals of glide-py: FILE.npz -> [[low, high], ...]. ``perf.stats.judging`` runs this with an interpreter
that has glide."""

import json
import sys

import numpy as np
from glide.estimators import StratifiedPPIMeanEstimator


def main() -> None:
    """Read arrays with one row per draw: verdicts, labels, cultures."""
    drawn = np.load(sys.argv[1])
    found = []
    for verdicts, labels, cultures in zip(drawn["verdicts"], drawn["labels"], drawn["cultures"], strict=True):
        try:
            interval = StratifiedPPIMeanEstimator().estimate(labels, verdicts, cultures).confidence_interval
            found.append([float(interval.lower_bound), float(interval.upper_bound)])
        except ValueError:  # labels or verdicts of one stratum that are all alike
            found.append([float("nan")] * 2)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
