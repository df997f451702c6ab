"""Encoders of a few kilobytes with random weights, in folders as the Hugging Face hub hands them out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

WORDS = (
    "the",
    "a",
    "we",
    "they",
    "split",
    "bill",
    "tea",
    "house",
    "at",
    "in",
    "morning",
    "bread",
    "market",
    "rice",
    "water",
    "dates",
    "and",
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def make_bert(
    folder: Path,
    *,
    seed: int = 0,
    layers: int = 4,
    size: int = 32,
    kind: str = "bert",
    limit: int | None = 64,
) -> Path:
    """A BERT with the vocabulary WORDS and single letters, or a relative of it. Skips the test where torch or
    transformers is not there.

    kind: as configurations name it (``roberta``). limit: tokens that its tokenizer says a text may have; None
    where that says nothing.
    """
    torch = pytest.importorskip("torch", reason="needs the extra neural")
    transformers = pytest.importorskip("transformers", reason="needs the extra neural")
    vocabulary = [*MARKS, *"<>/.,", *LETTERS, *(f"##{letter}" for letter in LETTERS), *WORDS]
    config = transformers.CONFIG_MAPPING[kind](
        vocab_size=len(vocabulary),
        hidden_size=size,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * size,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    torch.manual_seed(seed)
    transformers.AutoModel.from_config(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    marks = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), MARKS, strict=True))
    about = {"tokenizer_class": "BertTokenizer", **marks, **({"model_max_length": limit} if limit else {})}
    write_json(folder / "tokenizer_config.json", about)
    return folder


def make_sentence_model(
    folder: Path, mode: str = "mean_tokens", *, longest: int | None = 32, lower: bool = False
) -> Path:
    """The same with the files of sentence-transformers: pooling by ``pooling_mode_MODE``, then vectors of
    length one."""
    make_bert(folder)
    parts = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(parts)
    ]
    write_json(folder / "modules.json", modules)
    pooling = {f"pooling_mode_{known}": known == mode for known in ("cls_token", "mean_tokens", "max_tokens")}
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 32, **pooling})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": longest, "do_lower_case": lower})
    return folder


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")
