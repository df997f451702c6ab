"""Loading a transformers model and generating with it. torch and transformers are imported here, when a model
is loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from folkways.endpoints.base import LOGPROB, TEMPLATE, Completion, EndpointFailure, Request, Settings
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.likelihood import choice, pair, weight
from folkways.errors import FolkwaysError, of_extra

T = TypeVar("T")
Answer = Completion | EndpointFailure

DEFAULT_NEW_TOKENS = 512
"""Output tokens at most where the settings name no max_tokens."""

UNDECODED = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "cache_implementation")
"""What holds of a model's generation_config.json where a run states the temperature: which tokens begin and
end a text, not how it is decoded (repetition_penalty, top_k, forced tokens, ...)."""

HUB_SECONDS = 10
"""How long the hub may take to say that it has a model."""

MOST_BY_ARITHMETIC = 0.1
"""Nats by which the same log-probabilities differ at most, on average: 16-bit arithmetic is coarse."""

ONE_AT_A_TIME = threading.Lock()
"""Held while a model is loaded or computes: transformers loads one at a time only, a tokenizer serves one
thread, and torch has one generator of random numbers per process."""

_loaded: WeakValueDictionary[tuple[str, str | None], LoadedModel] = WeakValueDictionary()


def load_model(source: str, revision: str | None) -> LoadedModel:
    """Model and tokenizer from a hub name or a folder, on the GPU if there is one; the same copy for all that
    use it at one time.

    FolkwaysError with the remedy if that fails.
    """
    with ONE_AT_A_TIME:
        model = _loaded.get((source, revision))
        if model is None:
            model = _loaded[source, revision] = _load(source, revision)
        return model


def _load(source: str, revision: str | None) -> LoadedModel:
    with of_extra("local", f"the endpoint hf/{source}"):
        torch, transformers = import_module("torch"), import_module("transformers")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # On a CPU 16-bit arithmetic is slow and coarse; on a GPU the precision is the one the model was published
    # in.
    precision = "auto" if device == "cuda" else torch.float32
    renamed = tuple(map(int, transformers.__version__.split(".")[:2])) >= (4, 56)
    is_folder = Path(source).is_dir()
    only = {} if is_folder or hub_answers(source, revision) else {"local_files_only": True}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, revision=revision, **only)
        model, loading = transformers.AutoModelForCausalLM.from_pretrained(
            source,
            revision=revision,
            output_loading_info=True,
            **only,
            **{"dtype" if renamed else "torch_dtype": precision},
        )
        model = model.to(device).eval()
    except Exception as error:  # noqa: BLE001 - of torch, transformers, safetensors and what a folder holds
        what = str(error) if isinstance(error, OSError | ValueError) else f"{type(error).__name__}: {error}"
        remedy = (
            "Check that the folder is whole: config.json, the weights, and the files of the tokenizer"
            if is_folder
            else "Check the name and revision; a gated model needs HF_TOKEN, and without a network the model "
            "must be in the cache"
        )
        if "trust_remote_code" in what:
            remedy = (
                "folkways runs no code that comes with a model: serve it with a program that does, as "
                "vLLM, and ask that server (http://HOST/v1#MODEL)"
            )
        where = "the folder" if is_folder else "the Hugging Face hub's"
        raise FolkwaysError(
            f"{where} {source} cannot be loaded as a language model: {quotable(what)}\n{remedy}"
        ) from None
    if len(tokenizer) <= len(tokenizer.all_special_ids):  # what transformers makes up where it finds no files
        raise FolkwaysError(
            f"hf/{source} has no tokenizer, so that the model would read nothing of a question\n"
            "Save it beside the model: AutoTokenizer.from_pretrained(BASE_MODEL).save_pretrained(FOLDER)"
        )
    loaded = LoadedModel(torch, tokenizer, model, device, source, revision)
    if loaded.looks_ahead():
        raise FolkwaysError(
            f"hf/{source} ({model.config.model_type}) writes no text from left to right: what it expects at "
            "a place depends on the words after it, so that neither its replies nor its likelihoods mean "
            "anything\nAsk a causal language model instead (GPT, Llama, Qwen and the like); models such as "
            "BERT fill in gaps"
        )
    if absent := sorted({*loading["missing_keys"]} & dict(model.named_parameters()).keys()):
        raise FolkwaysError(
            f"hf/{source} has no weights for {', '.join(absent[:2])}{', ...' if absent[2:] else ''}, and "
            "would say what chance puts there\nAsk a model that was saved whole, as a causal language model: "
            "those for embeddings or classes have no head that writes, and an encoder is left out"
        )
    return loaded


def hub_answers(source: str, revision: str | None) -> bool:
    """Whether the hub says anything on this model, be it that there is none; without a connection the loader
    would try for a minute before it looks into the cache."""
    hub = import_module("huggingface_hub")
    try:
        hub.HfApi().model_info(source, revision=revision, timeout=HUB_SECONDS)
    except ValueError:  # no name of a model, which the loader says better
        return True
    except Exception as error:  # noqa: BLE001 - of requests or httpx, as the version of the hub's client has it
        return getattr(error, "response", None) is not None
    return True


def prompt_of(tokenizer: Any, request: Request) -> str:
    """The text to continue: by the model's chat template if it has one, else system prompt, empty line,
    question."""

    def templated(messages: list[dict[str, str]]) -> str:
        return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    whole = request.user if request.system is None else f"{request.system}\n\n{request.user}"
    if not tokenizer.chat_template:
        return whole
    user = {"role": "user", "content": request.user}
    if request.system is not None:
        try:
            return templated([{"role": "system", "content": request.system}, user])
        except Exception:  # noqa: BLE001 - templates without a system role raise whatever their author chose
            user = {"role": "user", "content": whole}
    return templated([user])


def template_mark(template: object) -> str:
    """What the model's name in replies ends with, of the chat template that made their prompts: 8 hexadecimal
    digits over it. Empty without a template."""
    if not template:
        return ""
    return f"{TEMPLATE}{blake2b(str(template).encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def ids_of(tokenizer: Any, text: str) -> list[int]:
    """The tokens of a text; a chat template writes the special ones itself."""
    return list(tokenizer(text, add_special_tokens=not tokenizer.chat_template)["input_ids"])


def pair_ids(tokenizer: Any, prompt: str, label: str) -> tuple[list[int], list[int]]:
    """The tokens of a prompt, and those of a label after it (folkways.endpoints.likelihood)."""
    context, continuation = pair(prompt, label, templated=bool(tokenizer.chat_template))
    start = ids_of(tokenizer, context)
    return start, ids_of(tokenizer, context + continuation)[len(start) :]


class LoadedModel:
    """A causal language model with its tokenizer, ready to generate."""

    def __init__(
        self, torch: Any, tokenizer: Any, model: Any, device: str, source: str, revision: str | None
    ) -> None:
        self._torch = torch
        self._tokenizer = tokenizer
        self._model = model
        self._device = device
        self._published = model.generation_config
        self._plain = type(self._published)(
            **{name: getattr(self._published, name, None) for name in UNDECODED}
        )
        self._name = f"{source}@{getattr(model.config, '_commit_hash', None) or revision or 'local'}"
        self._reported_name = self._name + template_mark(tokenizer.chat_template)
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.decode([0])

    def looks_ahead(self) -> bool:
        """Whether what may follow a token depends on the one that does follow, as in models that fill in
        gaps. transformers loads these as language models too."""
        size = self._model.get_input_embeddings().num_embeddings
        first, one, other = (size * part // 4 for part in (1, 2, 3))
        before, after = (table[0] for table in self._log_probabilities([[first, one], [first, other]], 2))
        return float((before - after).abs().mean()) > MOST_BY_ARITHMETIC

    def prompt(self, request: Request) -> str:
        """The text to continue."""
        return prompt_of(self._tokenizer, request)

    def generate(self, requests: list[Request], seed: int | None, stop: threading.Event) -> list[Answer]:
        """One answer per request, in order; all have the same settings. ``seed``: of the sampling, None for
        greedy decoding.

        A batch that does not fit into the memory is halved. Setting ``stop`` ends the generation after the
        next token.
        """
        with ONE_AT_A_TIME:
            return self._answers(requests, seed, stop)

    def _answers(self, requests: list[Request], seed: int | None, stop: threading.Event) -> list[Answer]:
        new_tokens = requests[0].settings.max_tokens or DEFAULT_NEW_TOKENS
        longest = getattr(self._model.config, "max_position_embeddings", None)
        answers: list[Completion | EndpointFailure | None] = [None] * len(requests)
        rows = [self._ids(self.prompt(request)) for request in requests]
        fitting = []
        for at, length in enumerate(map(len, rows)):
            if longest is not None and length + new_tokens > longest:
                room = f"with max_tokens={new_tokens} the model takes {max(longest - new_tokens, 0)}"
                answers[at] = EndpointFailure(f"{self._name}: the prompt has {length} tokens; {room}")
            else:
                fitting.append(at)
        generated = self._generate([rows[at] for at in fitting], requests[0].settings, new_tokens, seed, stop)
        for at, answer in zip(fitting, generated, strict=True):
            answers[at] = answer
        return [answer for answer in answers if answer is not None]

    def choose(self, requests: list[Request]) -> list[Answer]:
        """The likeliest option of each request, in order (folkways.endpoints.likelihood). A batch that is too
        large is halved.

        With read=LOGPROB how likely its one text is. Such texts are long, and what may follow at each of
        their tokens takes much memory: each is looked at alone.
        """
        with ONE_AT_A_TIME:
            return self._choices(requests)

    def _choices(self, requests: list[Request]) -> list[Answer]:
        weighs = requests[0].settings.read == LOGPROB
        if weighs and len(requests) > 1:
            return [answer for request in requests for answer in self._choices([request])]
        longest = getattr(self._model.config, "max_position_embeddings", None)
        answers: list[Completion | EndpointFailure | None] = [None] * len(requests)
        # which request, context, continuation; one for each option
        wanted: list[tuple[int, list[int], list[int]]] = []
        for at, request in enumerate(requests):
            pairs = [self._pair_ids(request, label) for label in request.choices or ()]
            length = max(len(context) + len(more) for context, more in pairs)
            if longest is not None and length > longest:
                answers[at] = EndpointFailure(
                    f"{self._name}: prompt and option have {length} tokens; the model takes {longest}"
                )
            else:
                wanted += [(at, *ids) for ids in pairs]
        rows = list(dict.fromkeys((*context, *more[:-1]) for _, context, more in wanted))
        numbers = {row: number for number, row in enumerate(rows)}
        most = max((len(more) for *_, more in wanted), default=1)
        try:
            tables = self._log_probabilities([list(row) for row in rows], most)
        except self._torch.OutOfMemoryError:
            return self._halved(requests, self._choices)
        likelihoods: dict[int, list[float]] = {}
        for at, context, more in wanted:
            table = tables[numbers[(*context, *more[:-1])]]
            likelihoods.setdefault(at, []).append(
                sum(float(table[index - len(more), token]) for index, token in enumerate(more))
            )
        for at, values in likelihoods.items():
            tokens = sum(
                len(row)
                for row in {(*context, *more[:-1]) for number, context, more in wanted if number == at}
            )
            if weighs:
                answers[at] = weight(values[0], model=self._reported_name, tokens=tokens)
            else:
                answers[at] = choice(
                    requests[at].choices or (), values, model=self._reported_name, tokens=tokens
                )
        return [answer for answer in answers if answer is not None]

    def _pair_ids(self, request: Request, label: str) -> tuple[list[int], list[int]]:
        return pair_ids(self._tokenizer, self.prompt(request), label)

    def _log_probabilities(self, rows: list[list[int]], most: int) -> list[Any]:
        """Of each row of tokens what may follow at its last ``most`` places: a table of places by
        vocabulary."""
        torch = self._torch
        if not rows:
            return []
        batch = self._padded(rows)
        parameters = signature(self._model.forward).parameters
        options: dict[str, Any] = {}
        if "position_ids" in parameters:
            options["position_ids"] = (batch["attention_mask"].cumsum(dim=1) - 1).clamp(min=0)
        if "logits_to_keep" in parameters:
            options["logits_to_keep"] = most
        with torch.inference_mode():
            logits = self._model(**batch, use_cache=False, **options).logits[:, -most:]
            return list(logits.float().log_softmax(dim=-1).cpu())

    def _ids(self, text: str) -> list[int]:
        return ids_of(self._tokenizer, text)

    def _generate(
        self,
        rows: list[list[int]],
        settings: Settings,
        new_tokens: int,
        seed: int | None,
        stop: threading.Event,
    ) -> list[Answer]:
        if not rows:
            return []
        torch = self._torch
        try:
            output, width, lengths = self._run(rows, settings, new_tokens, seed, stop)
        except torch.OutOfMemoryError:
            return self._halved(rows, lambda half: self._generate(half, settings, new_tokens, seed, stop))
        if stop.is_set():
            return [EndpointFailure(f"{self._name}: stopped while generating", retryable=True) for _ in rows]
        return [
            self._completion(row[width:].tolist(), length)
            for row, length in zip(output, lengths, strict=True)
        ]

    def _halved(self, batch: list[T], work: Callable[[list[T]], list[Answer]]) -> list[Answer]:
        """The answers of a batch for which the memory was too small, one half after the other."""
        self._torch.cuda.empty_cache()
        if len(batch) == 1:
            return [EndpointFailure(f"{self._name}: the memory of the GPU is too small for this prompt")]
        half = len(batch) // 2
        return [*work(batch[:half]), *work(batch[half:])]

    def _run(
        self,
        rows: list[list[int]],
        settings: Settings,
        new_tokens: int,
        seed: int | None,
        stop: threading.Event,
    ) -> tuple[Any, int, list[int]]:
        torch = self._torch
        batch = self._padded(rows)
        if seed is not None:
            torch.manual_seed(seed)
        options: dict[str, Any] = {"max_new_tokens": new_tokens, "pad_token_id": self._tokenizer.pad_token_id}
        self._model.generation_config = self._published if settings.temperature is None else self._plain
        if settings.temperature == 0:
            options |= {"do_sample": False, "num_beams": 1, "temperature": None, "top_p": None, "top_k": None}
        elif settings.temperature is not None:
            # transformers keeps the 50 likeliest tokens by default; the settings promise
            # temperature and top_p only.
            options |= {
                "do_sample": True,
                "temperature": settings.temperature,
                "top_p": settings.top_p or 1.0,
                "top_k": 0,
            }

        def stopped(ids: Any, scores: Any, **_: Any) -> Any:
            return torch.full((ids.shape[0],), stop.is_set(), dtype=torch.bool, device=ids.device)

        with torch.inference_mode():
            output = self._model.generate(**batch, **options, stopping_criteria=[stopped])
        return output, batch["input_ids"].shape[1], [len(row) for row in rows]

    def _padded(self, rows: list[list[int]]) -> dict[str, Any]:
        """Token ids and attention mask of a batch, padded before the prompts as new tokens follow them."""
        width, padding = max(map(len, rows)), self._tokenizer.pad_token_id
        ids = [[padding] * (width - len(row)) + row for row in rows]
        mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
        tensor = self._torch.tensor
        return {
            "input_ids": tensor(ids, device=self._device),
            "attention_mask": tensor(mask, device=self._device),
        }

    def _completion(self, new: list[int], prompt_tokens: int) -> Completion:
        ends = self._model.generation_config.eos_token_id
        ends = {ends} if isinstance(ends, int) else set(ends or ())
        end = next((at for at, token in enumerate(new) if token in ends), None)
        text = self._tokenizer.decode(new if end is None else new[:end], skip_special_tokens=True)
        return Completion(
            text=storable(text),
            finish_reason="length" if end is None else "stop",
            model=self._reported_name,
            input_tokens=prompt_tokens,
            output_tokens=len(new) if end is None else end + 1,
        )
