"""The words of data cards on the Hugging Face hub: its names of licences, its classes of size, and the YAML
before the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from folkways.releases.layout import UNKNOWN_LICENCE

_IDENTIFIER = "abcdefghijklmnopqrstuvwxyz0123456789.-"
_STEPS = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


def hub_licence(name: str) -> str:
    """The hub's identifier: SPDX in lower case, ``unknown`` where none is named, ``other`` for any other
    name."""
    if not name or name == UNKNOWN_LICENCE:
        return "unknown"
    plain = name.lower()
    return plain if set(plain) <= set(_IDENTIFIER) and not plain.startswith("licenseref-") else "other"


def size_category(rows: int) -> str:
    """The hub's name for this number of rows: ``n<1K``, ``1K<n<10K``."""
    step = max(0, len(str(rows)) - 3)
    if step == 0:
        return f"n<{_STEPS[0]}"
    return f"{_STEPS[step - 1]}<n<{_STEPS[step]}" if step < len(_STEPS) else f"n>{_STEPS[-1]}"


def yaml_text(document: Any) -> str:
    """A document as YAML in the order of its keys, any script as it is, without broken lines."""
    import yaml

    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1_000_000)


def eval_yaml(name: str, about: str, *tasks: Mapping[str, Any]) -> str:
    """An ``eval.yaml``, which makes a data set a benchmark there: what it is, and each task as Inspect asks
    and scores it.

    tasks: ``id``, ``config``, ``split``, ``field_spec``, ``solvers`` and ``scorers``, in the hub's words. The
    hub takes the frameworks on its own list alone, and a task that Inspect's parts cannot express has no
    place in the file.
    """
    return yaml_text(
        {"name": name, "description": about, "evaluation_framework": "inspect-ai", "tasks": [*tasks]}
    )


def front_matter(fields: Mapping[str, Any]) -> str:
    """The YAML at the head of a card, between its two lines of dashes."""
    return f"---\n{yaml_text(dict(fields))}---\n"
