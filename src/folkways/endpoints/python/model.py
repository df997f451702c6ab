"""``folkways.model``: names what answers, so that its replies can be stored and found again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from folkways.endpoints.base import Endpoint
from folkways.endpoints.python import clients
from folkways.endpoints.python.endpoint import PythonEndpoint, of_function
from folkways.endpoints.python.identity import UnknowableError, digest_of
from folkways.endpoints.python.pipeline import PipelineEndpoint, is_pipeline
from folkways.endpoints.python.replies import RepliesEndpoint
from folkways.endpoints.registry import is_name
from folkways.errors import FolkwaysError
from folkways.frames import is_frame

LONGEST_NAME = 128


def model(
    answers: Any,
    name: str | None = None,
    *,
    version: str | int | None = None,
    model: str | None = None,
    concurrency: int | None = None,
) -> Endpoint:
    """A model for ``folkways.run`` of anything in Python that answers.

    answers: a function of the prompt, synchronous or asynchronous; an object with ``generate`` (Inspect's
        models among them); a transformers pipeline ``text-generation``; an OpenAI client; a dict or frame of
        replies, by item or by prompt.
    name: what reports and files call it, as ``python/NAME``; the name of the function, of the model of a
        pipeline or client.
    version: says that it answers as before as long as the version is the same. Without it the code says so:
        the function's source and the plain values that it uses, a pipeline's weights, the replies themselves.
    model: of an OpenAI client: which model it asks for.
    concurrency: calls at once, at most; otherwise 8 of a function (in threads), 1 of an object that
        generates, 32 where asynchronous, unless the run says.

    A function's first parameter gets the prompt (one that is called ``messages`` gets those of a chat); it
    may also name system, choices, task, item, language, variant, sample, temperature, top_p, seed, max_tokens
    and reasoning_effort. It returns the text, or a chat completion of OpenAI. An exception is a failed
    request. FolkwaysError where it cannot be known what answers.
    """
    if concurrency is not None and (not isinstance(concurrency, int) or concurrency < 1):
        raise FolkwaysError(f"concurrency must be a whole number from 1 on, got {concurrency!r}")
    if name is not None:
        _check_name(name)
    stated = None if version is None else str(version)
    _refuse(answers)
    if isinstance(answers, Mapping) or is_frame(answers):
        if stated is not None and name is None:
            raise FolkwaysError(
                'a version belongs to a name: folkways.model(replies, name="...", version=...)'
            )
        return RepliesEndpoint(answers, name, stated)
    if is_pipeline(answers):
        return PipelineEndpoint(answers, name, stated)
    if (create := clients.chat_of(answers)) is not None:
        return _of_client(answers, create, name, stated, model, concurrency)
    if clients.is_inspect_model(answers):
        shown = name or str(answers)
        config = blake2b(f"{answers.api.base_url} {answers.config!r}".encode(), digest_size=6).hexdigest()
        identity = f"python:{shown}@{stated}" if stated is not None else f"python:inspect:{answers}#{config}"
        arguments = clients.inspect_arguments
        return PythonEndpoint(
            f"python/{shown}",
            identity,
            answers.generate,
            arguments,
            heeds=clients.HEEDS,
            concurrency=concurrency,
        )
    return _of_code(answers, name, stated, concurrency)


def _of_client(
    client: Any,
    create: Any,
    name: str | None,
    version: str | None,
    model: str | None,
    concurrency: int | None,
) -> PythonEndpoint:
    if model is None:
        raise FolkwaysError(
            'a client asks many models; say which: folkways.model(client, model="gpt-4o-mini")'
        )
    parts = urlsplit(str(getattr(client, "base_url", "")))
    # without user, password and query
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
    identity = (
        f"python:{name}@{version}"
        if version is not None and name
        else f"python:{address}#{model}@{version or ''}"
    )
    return PythonEndpoint(
        f"python/{name or model}",
        identity,
        create,
        clients.openai_arguments(client, model),
        heeds=clients.HEEDS,
        concurrency=concurrency or (None if "Async" in type(client).__name__ else 32),
    )


def _of_code(answers: Any, name: str | None, version: str | None, concurrency: int | None) -> PythonEndpoint:
    generate = getattr(answers, "generate", None)
    if isinstance(answers, type):
        raise FolkwaysError(f"{answers.__name__} is a class; give an object of it: {answers.__name__}(...)")
    if not callable(answers) and not callable(generate):
        raise FolkwaysError(
            f"{type(answers).__name__} is not a model: give a name (openai/gpt-4o-mini, "
            "http://localhost:8000/v1#llama, hf/NAME), a function of the prompt, an object with generate, a "
            "transformers pipeline, an OpenAI client, a dict or frame of replies"
        )
    function = generate if callable(generate) else answers
    natural = getattr(answers, "__name__", None) or type(answers).__name__
    shown = name or natural
    if shown == "<lambda>":
        raise FolkwaysError(
            "a lambda has no name under which its replies could be stored: folkways.model(lambda prompt: "
            '..., name="...")'
        )
    try:
        code, why = digest_of(answers), ""
    except UnknowableError as error:
        code, why = None, str(error)
    if version is None and code is None:
        raise FolkwaysError(
            f"what {shown} answers cannot be told from its code: {why}. When that changes, stored replies "
            "would be taken for its "
            f'own. Say what it is: folkways.model({natural}, name="{shown}", version="1"), and another '
            "version when it changes"
        )
    identity = f"python:{shown}@{version}" if version is not None else f"python:{shown}#{code}"
    generates = callable(generate) and concurrency is None
    return of_function(
        f"python/{shown}", identity, function, code=code, concurrency=1 if generates else concurrency
    )


def _refuse(answers: Any) -> None:
    """FolkwaysError for what looks like something else that people mean."""
    if isinstance(answers, str):
        raise FolkwaysError(f"{answers!r} is a name already: models={answers!r}")
    if (
        isinstance(answers, Mapping)
        and answers
        and all(isinstance(value, str) and is_name(value) for value in answers.values())
    ):
        raise FolkwaysError(
            f"this looks like a dict of models; write a list of them: models={list(answers.values())!r}"
        )
    if isinstance(answers, Mapping) and answers and all(map(callable, answers.values())):
        first = next(iter(answers))
        raise FolkwaysError(
            "a dict holds replies; several functions are a list: models=[folkways.model(function, "
            f"name={first!r}), ...]"
        )


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name.isprintable() or not name.strip() or len(name) > LONGEST_NAME:
        raise FolkwaysError(f"a model's name has 1 to {LONGEST_NAME} printable characters, got {name!r}")
