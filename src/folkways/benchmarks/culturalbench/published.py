"""What has been published about models on CulturalBench: reference points, never part of anything that is computed.

Source: Chiu et al. (2024), arXiv:2410.02677, first version; the regional scores of the first 16 models of its public leaderboard;
and the estimate that looking at the options alone gives 40 % on Easy, which is not in the paper. Only the numbers are here.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import polars as pl

from folkways.records import Schema

PUBLISHED: Schema = {
    "source": pl.String,  # a section of the paper, or "leaderboard"
    "setup": pl.String,  # "easy" or "hard"
    "subject": pl.String,  # as it is called there
    "kind": pl.String,  # "model", "mean" of models, "people" or "baseline"
    "facet": pl.String,  # "all", "mode" or "region"
    "group": pl.String,
    "value": pl.Float64,  # percent
}


@cache
def published() -> pl.DataFrame:
    """PUBLISHED, in the order of the paper and of the leaderboard."""
    return pl.read_csv(files("folkways").joinpath("data", "published", "culturalbench.csv").read_bytes(), schema=dict(PUBLISHED))
