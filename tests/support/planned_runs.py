"""Runs that tests write down by hand: a number of prompts for one endpoint, without a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from folkways.endpoints.base import Settings
from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways.workspace.keys import prompt_hash, request_key, settings_json

CHOICES = ["A", "B", "C", "D"]


def plan_prompts(
    workspace: Workspace,
    identity: str,
    texts: Sequence[str],
    *,
    config: object = "test",
    max_tokens: int = 16,
    first: int = 1,
    task: str = "test/task",
    settings: Settings | None = None,
    name: str | None = None,
    command: str = "build questions",
) -> tuple[run_records.RunRecord, int]:
    """Write down a run that expects one answer to each text; returns the run and the endpoint's number.

    Like those of builders it asks no task that could be scored, unless ``command`` says another. The same
    ``config`` names the same run: for a second endpoint or task in it, ``first`` is the ordinal behind those
    of the first.
    """
    whole = config if isinstance(config, Mapping) else {"config": config}
    run, _ = run_records.begin_run(workspace, whole, [], "test", name, command)
    endpoint = run_records.endpoint_id(workspace, identity, identity)
    sent = settings_json(settings or Settings(max_tokens=max_tokens))
    settings_number = run_records.settings_id(workspace, sent)
    prompts, expected = [], []
    for ordinal, text in enumerate(texts, first):
        digest = prompt_hash(None, text, CHOICES)
        prompts.append({"prompt_hash": digest, "system": None, "user": text, "choices": '["A","B","C","D"]'})
        expected.append(
            {
                "run_id": run.id,
                "ordinal": ordinal,
                "endpoint_id": endpoint,
                "task": task,
                "item": f"item-{ordinal}",
                "language": "en",
                "variant": "plain",
                "sample": 0,
                "key": request_key(identity, digest, sent, 0),
                "prompt_hash": digest,
                "prompt_source": "folkways",
                "settings_id": settings_number,
            }
        )
    run_records.write_expected(workspace, prompts, expected)
    run_records.set_state(workspace, run, "running")
    return run, endpoint
