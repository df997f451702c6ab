"""What the judgements of a run say of themselves to programs: Croissant with its responsible-AI fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from folkways import __version__
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.display import plural
from folkways.integrations.stored_run import StoredRun
from folkways.releases.croissant import Croissant, CroissantTable

MISSING = (
    "An item without a reply has the state failed or missing, stays in every denominator and counts as "
    "wrong. A metric that does not apply is null."
)
PERSONAL = (
    "Nobody was asked anything for these data, and no person is named by intention. What a model said is "
    "there word for word, where the licence allows it: it may name people or be offensive."
)
USES = (
    "Testing: comparing what models know of everyday life in a culture, with intervals.",
    "Not for training: a model that has seen the questions can no longer be tested by them.",
)


def croissant(run: StoredRun, tasks: Sequence[str], tables: Mapping[str, CroissantTable]) -> bytes:
    """The file ``croissant.json``; the same for the same run. tasks: those that were written. tables: every
    configuration."""
    names = list(dict.fromkeys(get_task(task).benchmark for task in tasks))
    titles = [benchmarks()[name].title for name in names]
    models = plural(len(run.models), "model")
    records = [run.record(task) for task in tasks]
    signatures = run.scores["signature"].unique(maintain_order=True)
    parts = (f"{task}: {part}" for task in tasks for part in run.part_of_whole(task))
    whole = Croissant(
        name=f"judgements-{run.run.name}",
        about=f"Judgements of {models} on {', '.join(titles)}, by folkways.",
        licences=list(
            dict.fromkeys(run.record(task).licence for task in tasks if not run.why_items_stay(task))
        ),
        date=run.began[:10],
        creator="whoever ran folkways",
        tables=tables,
        cite="\n".join(dict.fromkeys(one.citation for one in records if one.citation)),
        rai={
            "dataCollection": f"folkways {run.run.version} asked {models} the questions of "
            f"{', '.join(titles)}, and judged the replies by the rules of these benchmarks.",
            "dataCollectionType": ["Software Collection", "Web API"],
            "dataCollectionTimeframe": [run.began, *([_ended(run)] if run.run.finished else [])],
            "dataCollectionMissingData": MISSING,
            "dataCollectionRawData": "; ".join(
                dict.fromkeys(f"{one.name} ({one.licence})" for one in records)
            ),
            "dataAnnotationProtocol": "Each reply is judged by a rule, not by people. Signatures of the "
            f"scores: {'; '.join(signatures)}",
            "machineAnnotationTools": [f"folkways {__version__}"],
            "annotationsPerItem": "one judgement for each reply and profile",
            "personalSensitiveInformation": [PERSONAL],
            "dataLimitations": [*parts, *filter(None, (benchmarks()[name].caution for name in names))],
            "dataUseCases": [*USES],
        },
    )
    return whole.document()


def _ended(run: StoredRun) -> str:
    return datetime.fromtimestamp(run.run.finished or run.run.created, UTC).isoformat(timespec="seconds")
