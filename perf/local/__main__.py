"""Tokens per second of ``hf/`` endpoints beside plain ``generate`` with one prompt at a time, on a model of
random weights.

    python -m perf.local
    python -m perf.local --layers 8 --prompts 128 --waiting 16,64,128 --threads 2

All generate the same number of tokens of the same prompts, whose lengths are as different as those of
questions are. CPU seconds are user and system time of this process; they move less than wall time on a
machine that does something else as well.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from folkways.endpoints.base import Request, Settings
from folkways.endpoints.local import LocalEndpoint

VOCABULARY = 16_000
SHORTEST, LONGEST = 30, 200
"""Words of a prompt."""


@dataclass(frozen=True)
class Measurement:
    """One way of generating: seconds, and the texts, in the order of the prompts."""

    name: str
    wall: float
    cpu: float
    texts: list[str]


def make_model(folder: Path, layers: int, width: int) -> Path:
    """A Llama of random weights with a vocabulary of numbered words, as the hub would hand it out. It never
    ends by itself."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = ["<pad>", "<end>", "<unk>", *(f"w{number}" for number in range(VOCABULARY - 3))]
    tokenizer = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>", pad_token="<pad>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    shape = {
        "hidden_size": width,
        "intermediate_size": 3 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
    }
    config = LlamaConfig(
        vocab_size=VOCABULARY, max_position_embeddings=2048, eos_token_id=None, pad_token_id=0, **shape
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def prompts(number: int, seed: int = 0) -> list[str]:
    """Prompts of different lengths; they mean nothing."""
    rng = random.Random(seed)
    return [
        " ".join(f"w{rng.randrange(VOCABULARY - 3)}" for _ in range(rng.randint(SHORTEST, LONGEST)))
        for _ in range(number)
    ]


def plain(folder: Path, asked: list[str], tokens: int) -> list[str]:
    """``generate`` of transformers, one prompt at a time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForCausalLM.from_pretrained(folder).eval(),
    )
    found = []
    for text in asked:
        ids = tokenizer(text, return_tensors="pt")
        ids.pop("token_type_ids", None)
        with torch.inference_mode():
            output = model.generate(**ids, max_new_tokens=tokens, do_sample=False, pad_token_id=0)
        found.append(tokenizer.decode(output[0, ids["input_ids"].shape[1] :], skip_special_tokens=True))
    return found


def batched(folder: Path, asked: list[str], tokens: int, waiting: int) -> list[str]:
    """The endpoint, asked as a run asks it: so many wait at once, and the next comes as soon as one is
    answered."""

    async def run() -> list[str]:
        endpoint = LocalEndpoint(str(folder))
        await endpoint.open(waiting)
        places = asyncio.Semaphore(waiting)

        async def one(number: int, text: str) -> str:
            async with places:
                request = Request(
                    key=str(number), user=text, system=None, settings=Settings(max_tokens=tokens)
                )
                return (await endpoint.complete(request)).text

        try:
            return list(await asyncio.gather(*(one(number, text) for number, text in enumerate(asked))))
        finally:
            await endpoint.close()

    return asyncio.run(run())


def measure(name: str, work: Callable[[], list[str]]) -> Measurement:
    """Run it once; wall and CPU seconds."""
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    texts = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measurement(name, time.perf_counter() - wall, cpu, texts)


def table(found: list[Measurement], tokens: int) -> str:
    """Rows against the first one."""
    base = found[0]
    lines = [
        "| way | tokens/s | x plain | tokens per CPU s | x plain | same texts |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        made = tokens * len(one.texts)
        same = sum(a == b for a, b in zip(one.texts, base.texts, strict=True)) / len(one.texts)
        lines.append(
            f"| {one.name} | {made / one.wall:,.0f} | {base.wall / one.wall:.1f} | {made / one.cpu:,.0f} "
            f"| {base.cpu / one.cpu:.1f} | {same:.0%} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, value in (("layers", 6), ("width", 512), ("prompts", 64), ("tokens", 32), ("threads", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--waiting", default="1,16,64")
    chosen = parser.parse_args()
    import torch

    torch.set_num_threads(chosen.threads)
    asked = prompts(chosen.prompts)
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        model = make_model(Path(folder), chosen.layers, chosen.width)
        plain(model, asked[:2], chosen.tokens)  # what the first call costs is not what is measured
        found = [measure("plain generate, one at a time", lambda: plain(model, asked, chosen.tokens))]
        for at_once in map(int, chosen.waiting.split(",")):
            name = f"hf/, {at_once} waiting at once"
            found.append(measure(name, lambda waiting=at_once: batched(model, asked, chosen.tokens, waiting)))
    shape = f"{chosen.layers} layers of {chosen.width}, {chosen.threads} threads, torch {torch.__version__}"
    print(
        f"{chosen.prompts} prompts of {SHORTEST} to {LONGEST} words, {chosen.tokens} tokens each; {shape}\n"
    )
    print(table(found, chosen.tokens))


if __name__ == "__main__":
    main()
