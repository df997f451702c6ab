"""Judging what models answered (BLEnD, section 5): right, half right or wrong, and what is odd about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from folkways.sdk.studies import Study, StudyItem, Vote
from folkways_studio.stages.base import Config, Content, Decision
from folkways_studio.stages.kind import StageKind

if TYPE_CHECKING:
    import polars as pl

LABEL_CONTENT = ("run", "task", "language", "variant", "sample", "endpoint")
"""Fields of the content that a row of ``labels`` repeats."""


class Judging(StageKind):
    """A verdict on a reply; the label is the mean of the verdicts' scores."""

    @property
    def scores(self) -> Mapping[str, float]:
        """Verdict -> its value as a label, 0 to 1."""
        return {option["value"]: option["score"] for option in self.ask[0]["options"]}

    @property
    def flags(self) -> list[str]:
        """What may be odd about a reply."""
        return [option["value"] for option in self.ask[1]["options"]]

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        label = sum(self.scores[vote.payload["verdict"]] for vote in votes) / len(votes)
        counts = Counter(flag for vote in votes for flag in vote.payload["flags"])
        return Decision(
            "done",
            result={
                "label": label,
                "flags": [flag for flag in self.flags if 2 * counts[flag] >= len(votes) and counts[flag]],
            },
        )

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**super().labels(payload), "flags": frozenset(payload["flags"] or ["none"])}

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        verdict = next(
            (verdict for verdict, value in self.scores.items() if value == result.get("label")), None
        )
        return {"verdict": verdict} if verdict else {}

    def tables(self, study: Study, configs: Mapping[str, Config]) -> Mapping[str, pl.DataFrame]:
        items = list(study.of(self.name))
        return {"labels": self._label_table(items), "errors": self._error_table(items)}

    def _label_table(self, items: Iterable[StudyItem]) -> pl.DataFrame:
        """A row per judgement; readers average several judgements of one reply."""
        import polars as pl

        names = ("run", "task", "item", "language", "variant", "sample", "endpoint", "participant")
        schema = {
            **dict.fromkeys(names, pl.String),
            "sample": pl.Int64,
            "label": pl.Float64,  # 1, 0.5 or 0
            "verdict": pl.String,
            "flags": pl.String,  # separated by spaces
            "comment": pl.String,
        }
        rows = [
            {
                **{name: item.content.get(name) for name in LABEL_CONTENT},
                "item": item.content.get("item_id", item.key),
                "participant": vote.participant,
                "label": self.scores[vote.payload["verdict"]],
                "verdict": vote.payload["verdict"],
                "flags": " ".join(vote.payload["flags"]),
                "comment": vote.payload["comment"],
            }
            for item in items
            for vote in item.votes
        ]
        return pl.DataFrame(rows, schema=schema)

    def _error_table(self, items: Iterable[StudyItem]) -> pl.DataFrame:
        """The mean score of the verdicts in percent, with its interval over replies, and percent of the
        judgements with each verdict and flag, by culture, language and model, in order of first appearance
        (Table 13); ``answers``: how many replies were judged."""
        import polars as pl

        names = (*self.scores, *self.flags)
        rows = [
            {
                "culture": item.culture,
                "language": item.content.get("language"),
                "endpoint": item.content.get("endpoint"),
                "item": item.id,
                "score": self.scores[vote.payload["verdict"]],
                **{
                    name: 100.0 * (name in (vote.payload["verdict"], *vote.payload["flags"]))
                    for name in names
                },
            }
            for item in items
            for vote in item.votes
        ]
        groups = ("culture", "language", "endpoint")
        schema = {
            **dict.fromkeys(groups, pl.String),
            "item": pl.Int64,
            "score": pl.Float64,
            **dict.fromkeys(names, pl.Float64),
        }
        judged = pl.DataFrame(rows, schema=schema)
        tables = [_in_percent(group, names) for _, group in judged.group_by(groups, maintain_order=True)]
        return pl.concat(tables) if tables else _in_percent(judged, names)


def _in_percent(judged: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The row of one culture, language and model; none without judgements."""
    import polars as pl

    from folkways.sdk.statistics import cluster_totals, clustered_mean

    low = high = None
    if judged.height:
        scores = judged["score"].to_numpy()
        sums, counts = cluster_totals(scores, judged["item"].to_numpy())
        interval = clustered_mean(sums, counts, float(scores @ scores)).interval()
        low, high = 100 * interval.low, 100 * interval.high
    return judged.group_by("culture", "language", "endpoint").agg(
        pl.col("item").n_unique().cast(pl.Int64).alias("answers"),
        pl.len().cast(pl.Int64).alias("judgements"),
        score=100 * pl.col("score").mean(),
        low=pl.lit(low, pl.Float64),
        high=pl.lit(high, pl.Float64),
        **{name: pl.col(name).mean() for name in names},
    )
