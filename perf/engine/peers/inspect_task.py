"""The workload as an Inspect AI task: ask once, score the letter.  inspect eval inspect_task.py -T prompts=FILE"""

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import match
from inspect_ai.solver import generate


@task
def letters(prompts: str) -> Task:
    """Every prompt of the JSONL file ``prompts``, scored by exact match of the reply with ``target``."""
    return Task(
        dataset=json_dataset(prompts, FieldSpec(input="prompt", target="target", id="id")),
        solver=generate(),
        scorer=match(location="exact"),
    )
