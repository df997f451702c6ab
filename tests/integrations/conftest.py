"""What tests of exported records share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tests.support.eval_records import SharedRun


@pytest.fixture(scope="session")
def valid(shared: Path) -> Callable[[SharedRun], int]:
    """Hold every document and instance against the schemas; returns how many instances there were."""
    schemas = [
        json.loads((shared / f"interop/every_eval_ever/{name}.schema.json").read_text())
        for name in ("eval", "inst")
    ]
    aggregate, instance = (jsonschema.Draft7Validator(schema) for schema in schemas)

    def check(files: SharedRun) -> int:
        count = 0
        for _, document in files.documents():
            aggregate.validate(document)
            if "detailed_evaluation_results" in document:
                for row in files.instances(document):
                    instance.validate(row)
                    count += 1
        return count

    return check
