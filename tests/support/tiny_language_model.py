"""A causal language model of a few kilobytes with random weights, which reads any text byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest


def make_language_model(folder: Path, *, positions: int = 2048, seed: int = 0) -> Path:
    """Write model and tokenizer into ``folder``, as the hub would hand them out, without a chat template."""
    torch = pytest.importorskip("torch", reason="needs the extra local")
    transformers = pytest.importorskip("transformers", reason="needs the extra local")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate(["<end>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>"
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    shape = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": positions, "initializer_range": 0.6}
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=0, pad_token_id=0, **shape
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
