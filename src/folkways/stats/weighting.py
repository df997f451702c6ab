"""Weights of people, so that a sample has the shares of groups that its population has (raking; Deming and
Stephan 1940)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ROUNDS, CLOSE = 1_000, 1e-9
TRIMMED = 5.0
"""Times the mean weight that a weight may have at most; heavier ones say more of single people than of
groups."""


def rake(
    groups: Mapping[str, Sequence[str | None]],
    margins: Mapping[str, Mapping[str, float]],
    heaviest: float = TRIMMED,
) -> Floats:
    """A weight for each person, with mean 1, so that the weighted shares of every variable are its margins.

    groups: variable -> the group of each person; None where it is not known, which leaves the person's weight
    alone. margins: variable -> group -> share in the population; they are brought to sum to 1. heaviest:
    weights above it are cut to it, so the margins are then met as nearly as that allows.

    Raises ValueError, with the variable and group, for a share that is not above 0, a group that nobody is
    in, and somebody in a group without a share.
    """
    members: list[tuple[npt.NDArray[np.bool_], float]] = []
    n = len(next(iter(groups.values()))) if groups else 0
    for variable, shares in margins.items():
        named = np.array([group is not None for group in groups[variable]])
        if unknown := {group for group in groups[variable] if group is not None} - shares.keys():
            raise ValueError(f"{variable}: no share is given for {min(unknown)!r}")
        whole = sum(shares.values())
        for group, share in shares.items():
            inside = np.array([each == group for each in groups[variable]])
            if not share > 0:
                raise ValueError(f"{variable}: the share of {group!r} is {share}; give one above 0")
            if not inside.any():
                raise ValueError(f"{variable}: nobody is in {group!r}, which no weight can make up for")
            members.append((inside, share / whole * float(named.mean())))
    weights = np.ones(n)
    for _ in range(ROUNDS):
        before = weights.copy()
        for inside, share in members:
            weights[inside] *= share * weights.sum() / weights[inside].sum()
        weights = np.minimum(weights / weights.mean(), heaviest)
        if np.abs(weights - before).max() < CLOSE:
            break
    for _ in range(ROUNDS):  # cutting lowers the mean, and making it 1 again raises what was cut
        weights = np.minimum(weights / weights.mean(), heaviest)
    return np.asarray(weights)


def effective_people(weights: Floats) -> float:
    """How many people of equal weight would tell as much (Kish 1965)."""
    return float(weights.sum() ** 2 / (weights**2).sum())
