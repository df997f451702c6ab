"""A tiny language model with random weights, trained on the items of a release as often as one likes: what a
probe should notice.

The items are made of invented words, so that nothing of them can be guessed. What the model is trained on is
what a crawl would hold: the items one after the other as they were published, and the benchmark's prompts
with the right letter. Of the probes' own prompts it is shown those about items of a third release, so that it
has met their instructions.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.probing.hidden_text import Continuation, DataSetName, MaskedOption
from folkways.benchmarks.probing.signal import ItemGroup
from folkways.benchmarks.probing.signals import BEFORE
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from tests.support.culturalbench_data import write_culturalbench

WORDS = [
    a + b + c
    for a in ("ba", "do", "ke", "lu", "mi", "no")
    for b in ("pa", "ri", "so", "tu")
    for c in ("ve", "za", "fo", "gi")
]
PAD, END, UNKNOWN = 0, 1, 2
WINDOW = 64


def write_release(folder: Path, items: int, seed: int) -> Path:
    """Questions of random words, with random options and a random right one."""
    draw = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(count))

    easy, hard = [], []
    for number in range(items):
        shared = {
            "question_idx": str(number),
            "prompt_question": f"In Spain, {words(8)}?",
            "country": "Spain",
        }
        options, gold = [words(2) for _ in range(4)], draw.choice("ABCD")
        letters = {f"prompt_option_{letter}": option for letter, option in zip("abcd", options, strict=True)}
        easy.append({"data_idx": str(number), **shared, **letters, "answer": gold})
        for place, option in enumerate(options):
            true = str("ABCD"[place] == gold)
            hard.append(
                {"data_idx": str(4 * number + place), **shared, "prompt_option": option, "answer": true}
            )
    folder.mkdir()
    write_culturalbench(folder, easy, hard)
    return folder


def group(folder: Path) -> ItemGroup:
    """The release's items as a probe sees them."""
    task, release = get_task("culturalbench/easy"), open_release(str(folder), "culturalbench")
    items = task.items(release)
    return ItemGroup(task, release, items, items)


def _answered(items: ItemGroup) -> list[str]:
    answers = dict(items.items.select("item", "answer").iter_rows())
    prompts = items.task.prompts(items.items, PromptOptions(), items.release)
    return [f"{row['user']} {answers[row['item']]}" for row in prompts.iter_rows(named=True)]


def _practised(items: ItemGroup) -> list[str]:
    """The probes' prompts with what they ask for behind them."""
    found = [f"{unit.prompts[0].text} {unit.about[0]}" for unit in MaskedOption().units(items, [])]
    return found + [
        f"{unit.prompts[0].text} {unit.about[1]}"
        for probe in (Continuation(), DataSetName())
        for unit in probe.units(items, [])
    ]


@dataclass
class ExposedModel:
    """A model that can be trained further and saved. seen, practice: folders of releases."""

    seen: Path
    practice: Path
    rate: float = 5e-3
    draw: random.Random = field(default_factory=lambda: random.Random(0))

    def __post_init__(self) -> None:
        import torch
        import transformers
        from tokenizers import Tokenizer, models, pre_tokenizers

        self.torch = torch
        seen, practice = group(self.seen), group(self.practice)
        practised, answered = _practised(practice), _answered(seen)
        texts = "\n\n".join(seen.whole_text(row) for row in seen.neighbour_rows)
        split = pre_tokenizers.Whitespace()
        words = sorted(
            {
                word
                for word, _ in split.pre_tokenize_str(
                    " ".join([*WORDS, *practised, *answered, texts, BEFORE])
                )
            }
        )
        vocabulary = {word: number for number, word in enumerate(["<pad>", "<end>", "<unk>", *words])}
        tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
        tokenizer.pre_tokenizer = split
        special = {"eos_token": "<end>", "unk_token": "<unk>", "pad_token": "<pad>"}
        self.tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
        torch.manual_seed(0)
        shape = {
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
        }
        ids = {"bos_token_id": END, "eos_token_id": END, "pad_token_id": PAD, "max_position_embeddings": 512}
        # Positions that are relative: what was learnt in one place of a text is known in another.
        self.model = transformers.LlamaForCausalLM(
            transformers.LlamaConfig(vocab_size=len(vocabulary), **shape, **ids)
        )
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=self.rate)
        self._stream = self._ids(texts)
        self._answered = [[*self._ids(text), END] for text in answered]
        self._practised = [[*self._ids(text), END] for text in practised]

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text)["input_ids"])

    def train(self, times: int, *, practice: int = 0) -> None:
        """Show the release so many times, each time with so many texts of practice."""
        for _ in range(times):
            start = self.draw.randrange(WINDOW)
            ends = range(start, len(self._stream) + WINDOW, WINDOW)
            rows = [
                row for row in (self._stream[max(0, end - WINDOW) : end] for end in ends) if row
            ] + self._answered
            rows += [self.draw.choice(self._practised) for _ in range(practice)]
            self.draw.shuffle(rows)
            for at in range(0, len(rows), 16):
                self._step(rows[at : at + 16])

    def _step(self, rows: list[list[int]]) -> None:
        torch: Any = self.torch
        width = max(map(len, rows))
        ids = torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        loss = self.model(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()

    def save(self, folder: Path) -> str:
        """Write it where ``hf/FOLDER`` finds it; returns that name."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        return f"hf/{folder}"
