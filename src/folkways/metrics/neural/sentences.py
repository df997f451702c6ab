"""Sentence embeddings in the manner of sentence-transformers, read from the model's own folder: one unit
vector per text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from folkways.errors import DataError
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.encoder import Encoder, Floats, TokenVectors, Told
from folkways.metrics.neural.folder import ModelFolder, parsed_json, read_json
from folkways.metrics.neural.vectors import TextVectors, VectorComputer, VectorRecipe

_PARTS = ("Transformer", "Pooling", "Normalize")
_POOLING = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token"}


@dataclass(frozen=True, slots=True)
class Pooling:
    """How a model's token vectors become one.

    mode: ``mean`` of all tokens, or ``cls``, the first.
    longest: tokens of a text at most (None: what the model takes).
    lower: whether texts are lower-cased first.
    """

    mode: str = "mean"
    longest: int | None = None
    lower: bool = False


class SentenceComparer:
    """Cosine similarity of texts by their sentence embeddings.

    See ``TextVectors`` for cache, tell and computed, ``read_pooling`` and ``Encoder`` for what may be raised.
    """

    def __init__(
        self,
        folder: ModelFolder,
        *,
        compute: Compute | None = None,
        cache: Path | None = None,
        tell: Told = lambda _done, _all: None,
        computed: VectorComputer | None = None,
    ) -> None:
        pooling = read_pooling(folder.path)
        encoder = Encoder(folder, longest=pooling.longest, compute=compute)
        self._lower = pooling.lower
        recipe = VectorRecipe(encoder, f"sentence-{pooling.mode}", _reducers[pooling.mode])
        self._vectors = TextVectors(recipe, cache=cache, tell=tell, computed=computed)
        self.name = f"{folder.name}#{folder.revision} {pooling.mode} {encoder.compute.precision}"

    def embed(self, texts: Sequence[str]) -> Floats:
        """The unit vectors of the texts, (texts, size)."""
        forms = [self._form(text) for text in texts]
        vectors = self._vectors.of(forms)
        return (
            np.concatenate([vectors[form].states for form in forms])
            if forms
            else np.zeros((0, 0), np.float32)
        )

    def compare(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """The cosine of each pair, -1 to 1."""
        if not pairs:
            return np.zeros(0)
        both = self.embed([text for pair in pairs for text in pair])
        cosines: npt.NDArray[np.float64] = np.einsum("ij,ij->i", both[::2], both[1::2]).astype(np.float64)
        return cosines

    def _form(self, text: str) -> str:
        text = text.strip()
        return text.lower() if self._lower else text


def read_pooling(folder: Path) -> Pooling:
    """What ``modules.json`` and the files that it names say; mean of the tokens where there is none, as
    sentence-transformers does.

    DataError for parts that are not known here (a dense layer, weighted pooling, prompts): their vectors
    would be others.
    """
    if not (folder / "modules.json").is_file():
        return Pooling()
    mode = None
    parts = parsed_json(folder / "modules.json")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise DataError("is not a list of parts", file=folder / "modules.json")
    for part in parts:
        kind = str(part.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _PARTS:
            raise DataError(
                f"has the part {kind or part!r}; those known are {', '.join(_PARTS)}",
                file=folder / "modules.json",
            )
        if kind == "Pooling":
            mode = _mode(folder / str(part.get("path", "")) / "config.json")
    if mode is None:
        raise DataError(
            "names no Pooling: this is not a model of sentence embeddings", file=folder / "modules.json"
        )
    settings_file = folder / "sentence_bert_config.json"
    settings = read_json(settings_file) if settings_file.is_file() else {}
    prompts = folder / "config_sentence_transformers.json"
    if prompts.is_file() and read_json(prompts).get("default_prompt_name"):
        raise DataError("puts a prompt before every text, which is not done here", file=prompts)
    return Pooling(mode, settings.get("max_seq_length"), bool(settings.get("do_lower_case")))


def _mode(path: Path) -> str:
    config = read_json(path)
    chosen = [name for name, value in config.items() if name.startswith("pooling_mode_") and value is True]
    if "pooling_mode" in config:  # how newer versions of sentence-transformers write it
        chosen = [f"pooling_mode_{config['pooling_mode']}"]
        chosen = [
            name + {"pooling_mode_mean": "_tokens", "pooling_mode_cls": "_token"}.get(name, "")
            for name in chosen
        ]
    modes = [mode for mode, name in _POOLING.items() if chosen == [name]]
    if not modes:
        raise DataError(
            f"pools by {', '.join(chosen) or 'nothing'}; those known are {', '.join(_POOLING)}", file=path
        )
    return modes[0]


def _mean_of_tokens(vectors: TokenVectors) -> TokenVectors:
    return TokenVectors(vectors.states.mean(axis=0, keepdims=True), np.ones(1, np.bool_))


def _first_token(vectors: TokenVectors) -> TokenVectors:
    return TokenVectors(vectors.states[:1], np.ones(1, np.bool_))


_reducers = {"mean": _mean_of_tokens, "cls": _first_token}
