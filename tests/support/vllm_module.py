"""A stand-in for vLLM's Python package, written to a folder that a real process imports ``vllm`` from.

It has the classes and arguments of vLLM 0.33 that folkways uses, and refuses all others. Its tokens are
characters, its likelihoods a function of all that comes before (``likelihood``), and its engine batches
continuously: one token per sequence and step. What it was given is written to ``vllm.jsonl`` in the same
folder.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any


def write_vllm(
    folder: Path, *, version: str = "0.33.0", template: bool = True, dies_after: int = 0, loads: bool = True
) -> Path:
    """Write the package into the folder. version: one before 0.20 knows no ``logprob_token_ids``; dies_after:
    replies, once."""
    package = folder / "vllm"
    package.mkdir(parents=True)
    settings = {
        "version": version,
        "template": template,
        "dies_after": dies_after,
        "loads": loads,
        "folder": str(folder),
    }
    (package / "__init__.py").write_text(f"SETTINGS = {settings!r}\n{PACKAGE}", encoding="utf-8")
    return folder


def journal(folder: Path, event: str) -> list[dict[str, Any]]:
    """What the package noted: ``load``, ``add``, ``join`` (a sequence that begins while others run) or
    ``end``."""
    path = folder / "vllm.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if line["event"] == event]


def likelihood(before: list[int], token: int) -> float:
    """The log-probability of a token behind others, as the package has it."""
    return -int.from_bytes(blake2b(repr((before, token)).encode(), digest_size=2).digest(), "big") / 8192


PACKAGE = r'''
import json
import os
import time
from hashlib import blake2b


def likelihood(before, token):
    """The log-probability of a token behind others."""
    return -int.from_bytes(blake2b(repr((list(before), token)).encode(), digest_size=2).digest(), "big") / 8192


def note(event, **what):
    with open(os.path.join(SETTINGS["folder"], "vllm.jsonl"), "a") as file:
        file.write(json.dumps({"event": event, "gpus": os.environ.get("CUDA_VISIBLE_DEVICES"), "pid": os.getpid(), **what}) + "\n")


__version__ = SETTINGS.get("version", "0.33.0")
LONGEST = 4000


class SamplingParams:
    if not __version__.startswith("0.1"):
        logprob_token_ids = None

    def __init__(self, *, temperature=1.0, top_p=1.0, max_tokens=16, seed=None, logprobs=None, prompt_logprobs=None,
                 allowed_token_ids=None, **more):  # fmt: skip
        if set(more) - {name for name in ("logprob_token_ids",) if hasattr(SamplingParams, name)}:
            raise TypeError(f"Unexpected keyword argument {sorted(more)}")
        self.__dict__.update(temperature=temperature, top_p=top_p, max_tokens=max_tokens, seed=seed, logprobs=logprobs)
        self.__dict__.update(prompt_logprobs=prompt_logprobs, allowed_token_ids=allowed_token_ids, **more)


class Logprob:
    def __init__(self, logprob):
        self.logprob, self.rank, self.decoded_token = logprob, None, None


class CompletionOutput:
    def __init__(self, text, token_ids, logprobs, finish_reason):
        self.index, self.text, self.token_ids, self.logprobs, self.finish_reason = 0, text, token_ids, logprobs, finish_reason


class RequestOutput:
    def __init__(self, request_id, prompt_token_ids, prompt_logprobs, outputs, finished):
        self.request_id, self.prompt_token_ids, self.prompt_logprobs = request_id, prompt_token_ids, prompt_logprobs
        self.outputs, self.finished = outputs, finished


class Tokenizer:
    chat_template = "{{ messages }}" if SETTINGS.get("template") else None

    def __call__(self, text, add_special_tokens=True):
        return {"input_ids": ([1] if add_special_tokens else []) + [ord(letter) for letter in text]}

    def apply_chat_template(self, messages, tokenize, add_generation_prompt):
        assert not tokenize and add_generation_prompt
        return "".join(f"<{one['role']}>\n{one['content']}\n" for one in messages) + "<assistant>\n\n"


class LLMEngine:
    def __init__(self):
        self.waiting, self.running, self.done = [], [], 0

    def add_request(self, request_id, prompt, params):
        if not isinstance(request_id, str):
            raise TypeError("request_id must be a string")
        if len(prompt["prompt_token_ids"]) + 1 > LONGEST:
            raise ValueError(f"The decoder prompt is longer than the maximum model length")
        note("add", id=request_id, ids=prompt["prompt_token_ids"], **vars(params))
        self.waiting.append((request_id, prompt["prompt_token_ids"], params, []))
        return request_id

    def has_unfinished_requests(self):
        return bool(self.waiting or self.running)

    def step(self):
        old = len(self.running)
        time.sleep(0.005)  # the next request comes while these are on their way, as with a real model
        while self.waiting and len(self.running) < 8:
            self.running.append(self.waiting.pop(0))
        if old and len(self.running) > old:
            note("join", running=len(self.running))
        outputs, on = [], []
        for request_id, ids, params, said in self.running:
            allowed = params.allowed_token_ids
            reply = (66, 46, 2) if sum(ids) % 2 else (66, 2)
            said.append(max(allowed, key=lambda one: likelihood(ids, one)) if allowed else reply[len(said)])
            finished = said[-1] == 2 or len(said) >= params.max_tokens
            if not finished:
                on.append((request_id, ids, params, said))
            table = None
            if params.logprobs is not None:
                wanted = [*(getattr(params, "logprob_token_ids", None) or ()), said[0]]
                table = [{token: Logprob(likelihood(ids, token)) for token in wanted}]
            prompt = None
            if params.prompt_logprobs is not None:
                prompt = [None, *({ids[at]: Logprob(likelihood(ids[:at], ids[at])), 0: Logprob(-0.1)} for at in range(1, len(ids)))]
            text = "".join(chr(token) for token in said if token != 2)
            reason = None if not finished else "stop" if said[-1] == 2 else "length"
            outputs.append(RequestOutput(request_id, ids, prompt, [CompletionOutput(text, list(said), table, reason)], finished))
            self.done += finished
        self.running = on
        died = os.path.join(SETTINGS["folder"], "died")
        if SETTINGS["dies_after"] and self.done >= SETTINGS["dies_after"] and not os.path.exists(died):
            open(died, "w").close()
            print("torch.OutOfMemoryError: CUDA out of memory", flush=True)
            os._exit(1)
        return outputs


class LLM:
    def __init__(self, model, *, revision=None, seed=None, tensor_parallel_size=1, enable_prefix_caching=None):
        note("load", model=model, revision=revision, seed=seed, tensor_parallel_size=tensor_parallel_size, enable_prefix_caching=enable_prefix_caching)
        print("INFO loading weights")
        if not SETTINGS["loads"]:
            raise ValueError("Free memory on device cuda:0 (1.2/80 GiB) on startup is less than desired GPU memory utilization")
        self.llm_engine = LLMEngine()

    def get_tokenizer(self):
        return Tokenizer()

    def get_default_sampling_params(self):
        return SamplingParams()
'''
