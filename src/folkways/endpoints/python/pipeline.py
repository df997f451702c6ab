"""A transformers pipeline as an endpoint: its model and tokenizer, asked as ``hf/`` asks them, in batches."""

from __future__ import annotations

from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

from folkways.endpoints.generation import LoadedModel
from folkways.endpoints.local import LocalEndpoint
from folkways.errors import FolkwaysError

_LOOKED_AT = 64
"""Numbers of each tensor of weights that go into the identity: training changes nearly all."""


def is_pipeline(thing: Any) -> bool:
    """Whether it is a pipeline of transformers, which is not imported for that."""
    return any(
        kind.__module__.startswith("transformers.") and kind.__name__ == "Pipeline"
        for kind in type(thing).__mro__
    )


class PipelineEndpoint(LocalEndpoint):
    """The model of a pipeline ``text-generation``. Its identity is a digest of weights and chat template."""

    def __init__(self, pipeline: Any, name: str | None, version: str | None) -> None:
        if pipeline.task != "text-generation":
            raise FolkwaysError(
                f"a pipeline of the kind {pipeline.task!r} does not reply to prompts; give "
                "pipeline('text-generation', ...), or a function that makes a text of what it returns"
            )
        model = pipeline.model
        self._pipeline = pipeline
        source = getattr(model.config, "_name_or_path", "")
        shown = name or (Path(source).name if Path(source).is_dir() else source) or model.config.model_type
        self._begin(
            f"python/{shown}",
            f"python:{name}@{version}" if version is not None else f"python:{_weights(pipeline)}",
        )

    def check(self) -> None:
        """Nothing lacks: it is here."""

    def _load(self) -> LoadedModel:
        pipeline = self._pipeline
        torch = import_module("torch")
        return LoadedModel(
            torch, pipeline.tokenizer, pipeline.model.eval(), str(pipeline.device), self.name, None
        )


def _weights(pipeline: Any) -> str:
    digest = blake2b(str(pipeline.tokenizer.chat_template).encode(), digest_size=8)
    for name, tensor in pipeline.model.state_dict().items():
        flat = tensor.detach().flatten()
        sample = flat[:: max(1, flat.numel() // _LOOKED_AT)][:_LOOKED_AT].float().cpu().tolist()
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}{sample}".encode())
    return f"{type(pipeline.model).__name__}#{digest.hexdigest()}"
