"""A tiny language model with random weights, saved as the hub would hand it out, and asked through
``hf/FOLDER``."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import re
import shutil
import sys
import threading
import time
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints import local
from folkways.endpoints.base import LOGLIK, LOGPROB, Completion, EndpointFailure, Settings
from folkways.endpoints.generation import LoadedModel, hub_answers, ids_of, pair_ids, prompt_of
from folkways.endpoints.local import PendingRequest, next_batch
from folkways.endpoints.registry import open_name
from folkways.errors import FolkwaysError, MissingExtraError
from folkways.records import likelihoods_of
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways, rows
from tests.support.endpoint_requests import ask_all, request
from tests.support.tiny_bert import make_bert

VOCABULARY = "rice tea bread what is eaten at home in the morning a b c d ? . user system"
WORDS = VOCABULARY.split()
TEMPLATE = "{% for m in messages %}{{ m.role }} {{ m.content }} . {% endfor %}"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
GREEDY = Settings(max_tokens=6)
READ = Settings(temperature=None, top_p=None, read=LOGLIK)
LOOP = asyncio.new_event_loop()


def test_without_the_extra_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'folkways\[local\]'"):
        asyncio.run(open_name("hf/org/name").open(1))


def make_model(folder: Path, template: str | None = None, seed: int = 0) -> Path:
    torch = pytest.importorskip("torch", reason="needs the extra local")
    transformers = pytest.importorskip("transformers", reason="needs the extra local")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate(["<pad>", "<end>", "<unk>", "<start>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    # Like most models', this tokenizer marks the start of a text; a chat template is expected to do so
    # itself.
    start = [("<start>", vocabulary["<start>"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="<start> $A", special_tokens=start)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>", pad_token="<pad>"
    )
    fast.chat_template = template
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    shape = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64, "initializer_range": 0.6}
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), bos_token_id=1, eos_token_id=1, pad_token_id=0, **shape
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"))


def ask(model: Path, *requests, concurrency: int = 4) -> list[Completion | BaseException]:
    return ask_all(f"hf/{model}", requests, concurrency)


def texts(*found) -> list[str]:
    return [one.text for one in found]


ASKED = [
    request("what is eaten in the morning ?", key="1", settings=GREEDY),
    request("tea", key="2", settings=GREEDY),
    request("is bread eaten at home in the morning or at home ?", key="3", settings=GREEDY),
    request("rice ?", key="4", system="a b c d", settings=GREEDY),
    request("bread", key="5", settings=GREEDY),
]


@pytest.mark.local_model
def test_a_stated_temperature_leaves_nothing_of_how_a_folder_would_decode(model, tmp_path):
    """Qwen's generation_config.json has a repetition penalty, which no signature tells."""
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    file = folder / "generation_config.json"
    plain = {name: value for name, value in json.loads(file.read_text("utf-8")).items() if "token" in name}
    own = {"repetition_penalty": 9.0, "do_sample": True, "top_k": 1, "suppress_tokens": [4, 5, 6, 7]}
    file.write_text(json.dumps(plain | own), "utf-8")
    for settings, alike in (
        (GREEDY, True),
        (replace(GREEDY, temperature=2.0), True),
        (replace(GREEDY, temperature=None, top_p=None), False),  # the model's publisher decides
        (GREEDY, True),
    ):
        asked = [request(one.user, key=one.key, settings=settings) for one in ASKED]
        assert (texts(*ask(folder, *asked)) == texts(*ask(model, *asked))) is alike


@pytest.mark.local_model
def test_a_batch_says_what_each_would_say_alone(model):
    """Left padding and the attention mask must leave no trace: five prompts of different lengths, in batches
    and one by one."""
    together = ask(model, *ASKED, concurrency=5)
    alone = [ask(model, one, concurrency=1)[0] for one in ASKED]
    assert texts(*together) == texts(*alone)
    assert len(set(texts(*together))) > 1
    assert [one.input_tokens for one in together] == [8, 2, 13, 7, 2]
    assert all(one.output_tokens <= 6 and one.finish_reason in {"stop", "length"} for one in together)
    assert all(one.output_tokens == 6 for one in together if one.finish_reason == "length")


LENGTHS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([GREEDY, Settings(max_tokens=9)])), min_size=1, max_size=12
)


@given(LENGTHS, st.integers(1, 12))
def test_a_batch_is_the_first_and_those_nearest_to_it_in_length(asked, largest):
    waiting = [
        PendingRequest(request("x" * length, settings=settings), asyncio.Future(loop=LOOP))
        for length, settings in asked
    ]
    batch = next_batch(waiting, largest)
    alike = [one for one in waiting if one.request.settings == waiting[0].request.settings]
    assert waiting[0] in batch
    assert len(batch) == min(largest, len(alike))
    first = len(waiting[0].request.user)
    far = [abs(len(one.request.user) - first) for one in alike if one not in batch]
    assert all(one in alike for one in batch)
    assert max(abs(len(one.request.user) - first) for one in batch) <= min(far, default=99)


def test_the_length_of_a_request_is_that_of_its_two_parts():
    parts = [("x" * 10, None), ("x" * 14, None), ("x", "y" * 9)]
    waiting = [
        PendingRequest(request(user, system=system), asyncio.Future(loop=LOOP)) for user, system in parts
    ]
    assert next_batch(waiting, 2) == [waiting[0], waiting[2]]


class NotingModel:
    """Answers at once with the user's text, and notes what it is asked together, from which seed."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[str], int | None]] = []

    def generate(self, requests, seed, stop):
        """The prompts themselves; breaks where one says so, and refuses another."""
        self.batches.append(([one.user for one in requests], seed))
        if any(one.user == "break" for one in requests):
            raise ValueError("broken\x1b")
        return [EndpointFailure("no") if one.user == "no" else Completion(one.user) for one in requests]

    def choose(self, requests):
        """The first option of each."""
        self.batches.append(([one.user for one in requests], -1))
        return [Completion(one.choices[0]) for one in requests]


@pytest.fixture
def noting(monkeypatch) -> NotingModel:
    model = NotingModel()
    monkeypatch.setattr(local, "load_model", lambda source, revision: model)
    return model


@pytest.mark.parametrize(("concurrency", "sizes"), [(1, [16, 4]), (67, [16, 4]), (68, [17, 3]), (400, [20])])
def test_what_waits_is_answered_together_16_or_a_quarter_of_what_may_wait(noting, concurrency, sizes):
    requests = [request("x" * length, key=str(length), settings=GREEDY) for length in range(20)]
    assert texts(*ask("org/name", *requests, concurrency=concurrency)) == [one.user for one in requests]
    assert [len(users) for users, _ in noting.batches] == sizes
    assert {seed for _, seed in noting.batches} == {None}


def test_what_is_sampled_is_asked_alone_and_other_settings_apart(noting):
    warm = Settings(temperature=0.5, seed=3)
    requests = [
        request("first", key="a", settings=GREEDY),
        request("sampled", key="b", settings=warm),
        request("second", key="c", system="long " * 9, settings=GREEDY),
        request("read", key="d", settings=READ, choices=("no", "yes")),
        request("sampled too", key="b", settings=replace(warm, seed=None), sample=2),
        request("read too", key="e", settings=READ, choices=("yes", "no")),
        request("other", key="f", settings=Settings(max_tokens=9)),
    ]
    replies = ["first", "sampled", "second", "no", "sampled too", "yes", "other"]
    assert texts(*ask("org/name", *requests)) == replies
    seeds = {"sampled": 66_310_430_097_075_180, "sampled too": 17_995_460_149_061_481}
    assert noting.batches == [
        (["first", "second"], None),
        (["sampled"], seeds["sampled"]),
        (["read", "read too"], -1),
        (["sampled too"], seeds["sampled too"]),
        (["other"], None),
    ]


def test_what_a_models_code_raises_fails_the_requests_of_that_batch_alone(noting):
    other = Settings(max_tokens=9)
    requests = [
        request("break", key="1", settings=GREEDY),
        request("with it", key="2", settings=GREEDY),
        request("no", key="3", settings=other),
        request("yes", key="4", settings=other),
    ]
    broken, too, refused, good = ask("org/name", *requests)
    for failure in (broken, too):
        assert str(failure) == "hf/org/name: generating failed: ValueError: broken"
    assert (str(refused), good.text) == ("no", "yes")


def test_a_request_that_nobody_waits_for_any_more_is_not_answered(noting):
    endpoint = open_name("hf/org/name")

    async def run() -> str:
        await endpoint.open(1)
        given_up, waiting = (
            asyncio.create_task(endpoint.complete(request(user, key=user, settings=GREEDY)))
            for user in ("given up", "waiting")
        )
        await asyncio.sleep(0)
        given_up.cancel()
        reply = await waiting
        await endpoint.close()
        await endpoint.close()
        with pytest.raises(FolkwaysError, match="hf/org/name was asked before it was opened"):
            await endpoint.complete(request("late"))
        return reply.text

    assert asyncio.run(asyncio.wait_for(run(), 20)) == "waiting"
    assert noting.batches == [(["waiting"], None)]


def test_a_large_file_of_a_folder_counts_by_its_size_and_a_mebibyte_at_both_ends(tmp_path):
    edge = 1024 * 1024
    large, small = tmp_path / "weights.bin", tmp_path / "part" / "config.json"
    small.parent.mkdir()

    def identity(*changed: tuple[int, bytes], size: int = 2 * edge + 5, config: bytes = b"{}") -> str:
        content = bytearray(size)
        for at, byte in changed:
            content[at : at + 1] = byte
        large.write_bytes(content)
        small.write_bytes(config)
        name = open_name(f"hf/{tmp_path}").identity
        assert name.startswith("hf/folder:") and len(name) == len("hf/folder:") + 16
        return name

    first = identity()
    assert {identity((at, b"x")) for at in (edge, edge + 4)} == {first}, "between the ends"
    others = [identity((at, b"x")) for at in (0, edge - 1, edge + 5, 2 * edge + 4)]
    others += [identity(size=2 * edge + 6), identity(config=b"[]")]
    hardly = [identity((at, b"x"), size=edge + 3) for at in (0, edge - 1, edge, edge + 2)]
    assert len({first, *others, *hardly}) == 11
    identity()
    (tmp_path / ".cache").write_bytes(b"anything")
    assert open_name(f"hf/{tmp_path}").identity == first
    small.rename(tmp_path / "config.json")
    assert open_name(f"hf/{tmp_path}").identity != first


@pytest.mark.local_model
def test_sampling_is_seeded_by_request_and_not_by_order(model):
    warm = Settings(temperature=1.5, top_p=None, seed=3, max_tokens=8)
    asked = [replace(ASKED[0], key=str(number), settings=warm) for number in range(8)]
    first = dict(zip((one.key for one in asked), texts(*ask(model, *asked)), strict=True))
    again = dict(
        zip((one.key for one in asked[::-1]), texts(*ask(model, *asked[::-1], concurrency=1)), strict=True)
    )
    assert first == again
    assert len(set(first.values())) > 1
    other = texts(*ask(model, *(replace(one, settings=replace(warm, seed=4)) for one in asked)))
    assert other != list(first.values())


@pytest.mark.local_model
def test_chat_templates(tmp_path, model):
    asked = request("tea ?", system="a b", settings=GREEDY)
    plain, with_template, without_system = (
        ask(folder, asked)[0]
        for folder in (model, make_model(tmp_path / "1", TEMPLATE), make_model(tmp_path / "2", NO_SYSTEM))
    )  # fmt: skip
    assert plain.input_tokens == 5  # <start> a b tea ?
    assert with_template.input_tokens == 8  # system a b . user tea ? .
    assert without_system.input_tokens == 6  # user a b tea ? .


@pytest.mark.local_model
def test_identity_is_the_content_of_the_folder(tmp_path, model):
    same, other = make_model(tmp_path / "same"), make_model(tmp_path / "other", seed=1)
    identity = open_name(f"hf/{model}").identity
    assert identity == open_name(f"hf/{same}").identity
    assert identity != open_name(f"hf/{other}").identity


@pytest.mark.local_model
def test_one_prompt_that_is_too_long_spoils_no_other(model):
    long, good = ask(model, replace(ASKED[0], user="tea " * 70), ASKED[1])
    assert isinstance(long, EndpointFailure)
    assert "the prompt has 71 tokens; with max_tokens=6 the model takes 58" in str(long)
    assert not long.retryable
    assert isinstance(good, Completion)


@pytest.mark.local_model
def test_a_setting_that_a_local_model_has_not(model):
    (failure,) = ask(model, replace(ASKED[0], settings=Settings(reasoning_effort="low")))
    assert isinstance(failure, EndpointFailure)
    assert failure.fatal
    assert "settings='reasoning_effort=none'" in str(failure)


@pytest.mark.local_model
def test_closing_answers_everyone_who_waits(model):
    endpoint = open_name(f"hf/{model}")

    async def run() -> list[object]:
        await endpoint.open(1)
        waiting = [
            asyncio.create_task(endpoint.complete(replace(one, settings=Settings(max_tokens=40))))
            for one in ASKED
        ]
        await asyncio.sleep(0)
        await endpoint.close()
        return list(await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30))

    assert all(isinstance(one, (Completion, EndpointFailure)) for one in asyncio.run(run()))


@pytest.mark.local_model
def test_a_folder_without_a_model(tmp_path):
    pytest.importorskip("transformers", reason="needs the extra local")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FolkwaysError, match="cannot be loaded as a language model"):
        asyncio.run(open_name(f"hf/{tmp_path}").open(1))


@pytest.mark.local_model
@pytest.mark.parametrize(("endpoint", "answers"), [("http://127.0.0.1:9", False), ("", True)])
def test_a_hub_that_does_not_answer_is_not_asked_again_and_again(monkeypatch, endpoint, answers):
    """The loader tries each file for half a minute; what answers at all is asked, be it a page of HTML."""
    hub = pytest.importorskip("huggingface_hub", reason="needs the extra local")
    pytest.importorskip("transformers", reason="needs the extra local")
    with ChatServer() as server:
        monkeypatch.setattr(hub.constants, "ENDPOINT", endpoint or server.url)
        assert hub_answers("org/nothing", None) is answers
    if not answers:
        began = time.monotonic()
        with pytest.raises(FolkwaysError, match="must be in the cache"):
            asyncio.run(open_name("hf/org/nothing").open(1))
        assert time.monotonic() - began < 20


def test_a_folder_without_a_tokenizer_is_refused(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "trained")
    for file in folder.glob("*token*"):
        file.unlink()
    with pytest.raises(FolkwaysError, match=r"no tokenizer.*\n.*save_pretrained"):
        asyncio.run(open_name(f"hf/{folder}").open(1))


def _cut(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def _narrowed(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    sizes = {key: value // 2 for key, value in config.items() if key in ("n_embd", "hidden_size")}
    (folder / "config.json").write_text(json.dumps(config | sizes))


def _with_code(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    ours = {"model_type": "ours", "auto_map": {"AutoConfig": "c.C", "AutoModelForCausalLM": "m.M"}}
    (folder / "config.json").write_text(json.dumps(config | ours))


@pytest.mark.parametrize(
    ("broken", "remedy"), [(_cut, "is whole"), (_narrowed, "is whole"), (_with_code, "runs no code")]
)
def test_a_folder_that_cannot_be_loaded_says_what_to_check(model, tmp_path, broken, remedy):
    folder = shutil.copytree(model, tmp_path / "trained")
    broken(folder)
    with pytest.raises(
        FolkwaysError, match=f"the folder .*cannot be loaded as a language model: .*\n.*{remedy}"
    ):
        asyncio.run(open_name(f"hf/{folder}").open(1))


@pytest.mark.local_model
def test_a_model_that_fills_in_gaps_is_none_that_writes(tmp_path):
    """transformers loads a BERT as a language model, whose likelihoods would be of words that it has seen."""
    folder = make_bert(tmp_path / "bert")
    with pytest.raises(FolkwaysError, match=r"\(bert\) writes no text from left to right"):
        asyncio.run(open_name(f"hf/{folder}").open(1))


@pytest.mark.local_model
def test_a_model_that_was_saved_without_its_head_is_refused(model, tmp_path):
    transformers = pytest.importorskip("transformers", reason="needs the extra local")
    folder = make_model(tmp_path / "base")
    config = transformers.LlamaConfig(
        vocab_size=30, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.LlamaModel(config).save_pretrained(folder)
    with pytest.raises(FolkwaysError, match=r"has no weights for lm_head\.weight"):
        asyncio.run(open_name(f"hf/{folder}").open(1))


CHOICES = [
    request("what is eaten in the morning ?", key="1", settings=READ, choices=("a", "b", "c", "d")),
    request(
        "tea or bread ?",
        key="2",
        settings=READ,
        choices=("rice tea", "bread", "tea in the morning"),
        system="user",
    ),
    request("is rice eaten at home ? ", key="3", settings=READ, choices=("a b", "a c")),
    *(
        request(f"tea {'rice ' * number}?", key=f"9{number}", settings=READ, choices=("a", "b", "c", "d"))
        for number in range(12)
    ),
]


def directly(folder: Path, text: str, options: tuple[str, ...], between: str) -> dict[str, float]:
    """The log-probability of each option behind a text, with nothing but transformers: one option and one
    token at a time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForCausalLM.from_pretrained(folder).eval(),
    )
    special = between == " "
    found = {}
    for option in options:
        ids = tokenizer(text, add_special_tokens=special)["input_ids"]
        total = 0.0
        for token in tokenizer(f"{text}{between}{option}", add_special_tokens=special)["input_ids"][
            len(ids) :
        ]:
            with torch.no_grad():
                total += model(torch.tensor([ids])).logits[0, -1].log_softmax(0)[token].item()
            ids = [*ids, token]
        found[option] = total
    return found


@pytest.mark.local_model
@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_the_likeliest_option_is_that_of_a_direct_computation(tmp_path, template):
    folder = make_model(tmp_path, template)
    chosen = set()
    for asked, found in zip(CHOICES, ask(folder, *CHOICES, concurrency=4), strict=True):
        whole = asked.user if asked.system is None else f"{asked.system}\n\n{asked.user}"
        if template is not None:
            roles = [("system", asked.system)] * (asked.system is not None) + [("user", asked.user)]
            whole = "".join(f"{role} {content} . " for role, content in roles)
        expected = directly(folder, whole.rstrip(), asked.choices, " " if template is None else "")
        assert found.text == max(expected, key=expected.get)
        assert likelihoods_of(found.finish_reason) == pytest.approx([*expected.values()], abs=2e-3)
        assert found.output_tokens == 0
        chosen.add(found.text)
    assert len(chosen) > 2


@pytest.mark.local_model
def test_how_likely_texts_are_is_that_of_a_direct_computation(model):
    """Of a batch, in which each is looked at alone."""
    readings = [
        replace(one, settings=replace(READ, read=LOGPROB), choices=one.choices[:1]) for one in CHOICES[:3]
    ]
    for reading, completion in zip(readings, ask(model, *readings), strict=True):
        whole = reading.user if reading.system is None else f"{reading.system}\n\n{reading.user}"
        (expected,) = directly(model, whole.rstrip(), reading.choices, " ").values()
        assert float(completion.text) == pytest.approx(expected, abs=2e-3)
        assert (completion.finish_reason, completion.output_tokens) == ("logprob", 0)


@pytest.mark.local_model
def test_likelihoods_of_what_has_no_options_or_is_too_long(model):
    none, long, good = ask(
        model, replace(ASKED[0], settings=READ), replace(CHOICES[0], user="tea " * 70), CHOICES[0]
    )
    assert isinstance(none, EndpointFailure)
    assert none.fatal
    assert "this question has none" in str(none)
    assert isinstance(long, EndpointFailure)
    assert "the model takes 64" in str(long)
    assert isinstance(good, Completion)


@pytest.mark.local_model
def test_two_that_ask_one_model_share_one_copy_which_goes_with_the_last(model, monkeypatch):
    AutoModelForCausalLM = pytest.importorskip("transformers").AutoModelForCausalLM  # noqa: N806 - a class's name
    loads = []
    from_pretrained = AutoModelForCausalLM.from_pretrained

    def noted(source, **how):
        loaded = from_pretrained(source, **how)
        loads.append((source, weakref.ref(loaded[0])))
        return loaded

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", noted)

    async def use() -> None:
        first, second = open_name(f"hf/{model}"), open_name(f"hf/{model}")
        await asyncio.gather(first.open(4), second.open(4))
        read = replace(ASKED[1], settings=READ, choices=("rice", "tea"))
        await asyncio.gather(
            *map(first.complete, ASKED[:3]), second.complete(read), second.complete(ASKED[3])
        )
        await first.close()
        await second.complete(ASKED[4])
        await second.close()

    asyncio.run(use())
    ((source, loaded),) = loads
    assert source == str(model)
    gc.collect()
    assert loaded() is None


@pytest.mark.local_model
def test_two_models_that_are_sampled_at_once_say_what_each_says_alone(model, tmp_path):
    """torch draws from one generator per process: what one draws must not move what the other does."""
    other = make_model(tmp_path / "other", seed=5)
    warm = replace(GREEDY, temperature=2.0, max_tokens=20)
    requests = [request(f"what is eaten {word}", key=word, settings=warm) for word in WORDS[:8]]
    alone = [texts(*ask(folder, *requests)) for folder in (model, other)]

    async def both() -> list[list[str]]:
        opened = [open_name(f"hf/{folder}") for folder in (model, other)]
        await asyncio.gather(*(each.open(4) for each in opened))
        answers = await asyncio.gather(*(asyncio.gather(*map(each.complete, requests)) for each in opened))
        await asyncio.gather(*(each.close() for each in opened))
        return [texts(*each) for each in answers]

    assert asyncio.run(both()) == alone
    assert alone[0] != alone[1] and len(set(alone[0])) > 1


LETTERS = "?^abcd ."
"""The tokens of SuccessorModel: padding, the start of a text, letters, a space, the end."""


class LetterTokenizer:
    """A token for each letter. template: whether it has a chat template, which puts a space behind each message."""

    def __init__(self, *, template: bool = False) -> None:
        self.chat_template = "template" if template else None
        self.pad_token: str | None = None
        self.pad_token_id, self.eos_token = 0, "."

    def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
        return {"input_ids": [1] * add_special_tokens + [LETTERS.index(letter) for letter in text]}

    def decode(self, ids: list[int], *, skip_special_tokens: bool = False) -> str:
        return "".join(LETTERS[number] for number in ids if number > 1 or not skip_special_tokens)

    def apply_chat_template(self, messages, *, tokenize: bool, add_generation_prompt: bool) -> str:
        assert (tokenize, add_generation_prompt) == (False, True)
        if messages[0]["role"] == "system" and messages[0]["content"] == "none":
            raise RuntimeError("no system")
        return "".join(f"{one['content']} " for one in messages)


class SuccessorModel:
    """After each token the next one is three times as likely as any other; that one it says. It has 12 places,
    and memory for so many texts at once."""

    def __init__(self, torch, memory: int = 9, ends: int | list[int] | None = 7) -> None:
        self.config = SimpleNamespace(max_position_embeddings=12, _commit_hash="abc")
        self.generation_config = SimpleNamespace(eos_token_id=ends)
        self.torch, self.memory = torch, memory
        self.calls: list[dict[str, Any]] = []

    def note(self, call: dict[str, Any]) -> None:
        tensors = {name: value.tolist() for name, value in call.items() if self.torch.is_tensor(value)}
        self.calls.append({**call, **tensors})
        if len(tensors["input_ids"]) > self.memory:
            raise self.torch.OutOfMemoryError("too small")

    def forward(self, input_ids, attention_mask, position_ids, logits_to_keep, use_cache): ...

    def __call__(self, **call):
        self.note(call)
        following = (call["input_ids"][:, -call["logits_to_keep"] :] + 1) % len(LETTERS)
        logits = 3 * self.torch.nn.functional.one_hot(following, len(LETTERS)) + 1e-9
        return SimpleNamespace(logits=logits.clamp(min=1).log())

    def generate(self, **call):
        self.note({**call, "seed": self.torch.initial_seed()})
        output = call["input_ids"]
        for _ in range(call["max_new_tokens"]):
            output = self.torch.cat([output, (output[:, -1:] + 1) % len(LETTERS)], dim=1)
            if call["stopping_criteria"][0](output, None).any():
                break
        return output


def loaded(memory: int = 9, *, template: bool = False, **how: Any) -> tuple[LoadedModel, SuccessorModel]:
    torch = pytest.importorskip("torch", reason="needs the extra local")
    model = SuccessorModel(torch, memory, **how)
    return LoadedModel(torch, LetterTokenizer(template=template), model, "cpu", "org/m", "r1"), model


def generated(model: LoadedModel, *users: str, **settings: Any) -> list[Completion | EndpointFailure]:
    requests = [request(user, settings=Settings(**settings)) for user in users]
    return model.generate(requests, None, threading.Event())


def test_what_a_model_goes_on_with_ends_at_its_end_or_at_the_limit():
    (whole,) = generated(loaded()[0], "ab", max_tokens=9)
    assert whole == Completion("cd ", "stop", model="org/m@abc", input_tokens=3, output_tokens=4)
    for ends, most, text, reason, tokens in (
        (7, 4, "cd ", "stop", 4),
        (7, 3, "cd ", "length", 3),
        ([6, 5], 9, "c", "stop", 2),
        (None, 5, "cd .", "length", 5),
    ):
        (completion,) = generated(loaded(ends=ends)[0], "ab", max_tokens=most)
        assert (completion.text, completion.finish_reason, completion.output_tokens) == (text, reason, tokens)


def test_prompts_of_a_batch_end_together_and_those_without_room_are_left_out():
    model, noted = loaded()
    fits, long, short = generated(model, "a" * 9, "a" * 10, "a", max_tokens=2)
    assert (fits.text, fits.input_tokens, short.text, short.input_tokens) == ("bc", 10, "bc", 2)
    assert str(long) == "org/m@abc: the prompt has 11 tokens; with max_tokens=2 the model takes 10"
    (call,) = noted.calls
    assert call["input_ids"] == [[1, *[2] * 9], [*[0] * 8, 1, 2]]
    assert call["attention_mask"] == [[1] * 10, [*[0] * 8, 1, 1]]
    (none,) = generated(model, "a")
    assert str(none) == "org/m@abc: the prompt has 2 tokens; with max_tokens=512 the model takes 0"
    assert len(noted.calls) == 1


def test_how_a_model_is_told_to_sample():
    greedy = {"do_sample": False, "num_beams": 1, "temperature": None, "top_p": None, "top_k": None}
    for settings, options in (
        ({}, greedy),
        ({"temperature": 0.0, "top_p": 0.5}, greedy),
        (
            {"temperature": 0.7, "top_p": 0.5},
            {"do_sample": True, "temperature": 0.7, "top_p": 0.5, "top_k": 0},
        ),
        (
            {"temperature": 0.7, "top_p": None},
            {"do_sample": True, "temperature": 0.7, "top_p": 1.0, "top_k": 0},
        ),
        ({"temperature": None, "top_p": None}, {}),
    ):
        model, noted = loaded()
        model.generate([request("a", settings=Settings(**settings, max_tokens=3))], 41, threading.Event())
        (call,) = noted.calls
        fixed = {"max_new_tokens": 3, "pad_token_id": 0, "seed": 41}
        tensors = ("input_ids", "attention_mask", "stopping_criteria")
        assert {name: value for name, value in call.items() if name not in tensors} == fixed | options


def test_a_model_that_is_stopped_says_so_and_may_be_asked_again():
    model, _ = loaded()
    stop = threading.Event()
    stop.set()
    (failure,) = model.generate([request("a", settings=GREEDY)], None, stop)
    assert str(failure) == "org/m@abc: stopped while generating"
    assert failure.retryable


def test_a_batch_that_is_too_large_for_the_memory_is_halved():
    model, noted = loaded(memory=1)
    assert texts(*generated(model, "a", "ab", "abc", max_tokens=1)) == ["b", "c", "d"]
    assert [len(call["input_ids"]) for call in noted.calls] == [3, 1, 2, 1, 1]
    asked = [request(user, settings=READ, choices=("b",)) for user in ("a", "b", "c")]
    assert texts(*model.choose(asked)) == ["b", "b", "b"]
    for answer in (*generated(loaded(memory=0)[0], "a", max_tokens=1), *loaded(memory=0)[0].choose(asked)):
        assert str(answer) == "org/m@abc: the memory of the GPU is too small for this prompt"


LIKELY, OTHER = math.log(0.3), math.log(0.1)  # 3 and 1 of 3 + 7


def test_how_likely_options_are_is_summed_over_their_tokens():
    model, noted = loaded(template=True)
    (completion,) = model.choose([request("d", settings=READ, choices=("a", "bc", ".?^"))])
    expected = [LIKELY + OTHER, LIKELY + OTHER + LIKELY, 4 * LIKELY]  # each after the template's space
    assert likelihoods_of(completion.finish_reason) == pytest.approx(expected, abs=1e-4)
    assert (completion.text, completion.output_tokens) == ("a", 0)
    assert completion.input_tokens == len("d ") + len("d b") + len("d .?")
    (call,) = noted.calls
    assert call["input_ids"] == [[0, 0, 5, 6], [0, 5, 6, 3], [5, 6, 7, 0]]
    assert call["position_ids"] == [[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 2, 3]]
    assert (call["logits_to_keep"], call["use_cache"]) == (4, False)


def test_options_without_a_template_come_after_a_space_and_long_ones_are_told():
    model, noted = loaded()
    fits, long = model.choose(
        [
            request("d", settings=READ, choices=("a" * 9,)),
            request("d ", settings=READ, choices=("a", "a" * 10)),
        ]
    )
    # ^d, then a space as is likely, then 9 that are not
    assert likelihoods_of(fits.finish_reason) == pytest.approx([LIKELY + 9 * OTHER], abs=1e-4)
    assert fits.input_tokens == len("^d ") + 8
    assert str(long) == "org/m@abc: prompt and option have 14 tokens; the model takes 12"
    weighed = model.choose(
        [request(user, settings=replace(READ, read=LOGPROB), choices=("a",)) for user in "dd"]
    )
    assert [float(one.text) for one in weighed] == pytest.approx([LIKELY + OTHER] * 2, abs=1e-4)
    assert [(one.finish_reason, one.input_tokens, one.output_tokens) for one in weighed] == [
        ("logprob", 3, 0)
    ] * 2
    assert [len(call["input_ids"]) for call in noted.calls] == [1, 1, 1]


def test_the_text_that_a_model_goes_on_with():
    plain, templated = LetterTokenizer(), LetterTokenizer(template=True)
    for tokenizer, system, prompt in (
        (plain, None, "a"),
        (plain, "b", "b\n\na"),
        (templated, None, "a "),
        (templated, "b", "b a "),
        (templated, "none", "none\n\na "),
    ):
        assert prompt_of(tokenizer, request("a", system=system)) == prompt
    assert (ids_of(plain, "ab"), ids_of(templated, "ab")) == ([1, 2, 3], [2, 3])
    assert pair_ids(plain, "a ", "b") == ([1, 2], [6, 6, 3])
    assert pair_ids(templated, "a ", "b") == ([2], [6, 3])


@pytest.mark.parametrize(
    ("commit", "revision", "name"),
    [("abc", "r1", "org/m@abc"), (None, "r1", "org/m@r1"), (None, None, "org/m@local")],
)
def test_a_model_is_named_with_its_commit_or_revision(commit, revision, name):
    torch = pytest.importorskip("torch", reason="needs the extra local")
    model, tokenizer = SuccessorModel(torch), LetterTokenizer()
    vars(model.config)["_commit_hash"] = commit
    (completion,) = generated(
        LoadedModel(torch, tokenizer, model, "cpu", "org/m", revision), "a", max_tokens=1
    )
    assert completion.model == name
    assert tokenizer.pad_token == "."


def test_replies_tell_by_which_chat_template_they_were_asked():
    torch = pytest.importorskip("torch", reason="needs the extra local")
    told = []
    for template in ("one", "other", "one"):
        tokenizer = LetterTokenizer(template=True)
        tokenizer.chat_template = template
        model = LoadedModel(torch, tokenizer, SuccessorModel(torch), "cpu", "org/m", None)
        said = generated(model, "a", max_tokens=1)
        chosen = model.choose([request("a", settings=READ, choices=("a", "b"))])
        weighed = model.choose([request("a", settings=replace(READ, read=LOGPROB), choices=("a",))])
        (name,) = {one.model for one in (*said, *chosen, *weighed)}
        assert re.fullmatch("org/m@abc template=[0-9a-f]{8}", name)
        told.append(name)
    assert told[0] == told[2] != told[1]


@pytest.mark.local_model
def test_a_model_without_its_package_is_refused_before_a_run_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, workspace = make_model(tmp_path / "model"), tmp_path / "w.db"
    asked = (
        "run",
        "demo/mcq",
        "--limit",
        2,
        "--name",
        "one",
        "--read",
        "loglik",
        "--model",
        f"hf/{folder}",
        "-w",
        workspace,
    )
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "torch", None)
        done = folkways(*asked)
        assert (done.returncode, "pip install 'folkways[local]'" in done.stderr) == (2, True), done.stderr
        assert "Starting" not in done.stderr
        assert rows(workspace, "SELECT 1 FROM runs") == []
    done = folkways(*asked)
    assert done.returncode == 0, done.stderr
    with monkeypatch.context() as hidden:  # all is stored: nothing has to be asked here
        hidden.setitem(sys.modules, "torch", None)
        again = folkways(*asked)
        assert (again.returncode, "Continuing one" in again.stderr) == (0, True), again.stderr
    assert rows(workspace, "SELECT name FROM runs") == [("one",)]


@pytest.mark.local_model
def test_two_readings_of_one_model_in_one_run(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    readings = ("--model", f"hf/{folder}", "--model", f"hf/{folder}?read=loglik")
    done = folkways("run", "demo/mcq", "--limit", 4, "--setting", "max_tokens=4", *readings, cwd=tmp_path)
    assert rows(tmp_path / "folkways.db", "SELECT state FROM runs") == [("finished",)], done.stderr
