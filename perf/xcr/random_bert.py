"""A random BERT of the size of bert-base, with the tokenizer of another folder: python random_bert.py SOURCE
TARGET."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch
from transformers import BertConfig, BertModel


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    size = json.loads((source / "config.json").read_text(encoding="utf-8"))["vocab_size"]
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=max(size, 30_522))).save_pretrained(target)
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(source / name, target / name)


if __name__ == "__main__":
    main()
