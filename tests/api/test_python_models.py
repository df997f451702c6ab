"""Anything in Python that answers is a model of a run: asked, stored, found again, and told apart by what it
is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import polars as pl
import pytest

import folkways
from folkways.endpoints.base import EndpointOptions
from folkways.errors import FolkwaysError
from folkways.workspace import results
from tests.endpoints.test_local import TEMPLATE, make_model
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import request

TASK = "demo/mcq"


class PromptLog:
    """What a model of a test was asked, by how many at once."""

    def __init__(self) -> None:
        self.prompts: list[Any] = []
        self.now = self.most = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.now -= 1

    def __len__(self) -> int:
        return len(self.prompts)


class PanicError(BaseException):
    """As libraries in other languages raise it."""


HANGING = """
import time
import folkways

def ask(prompt, item):
    if item in hanging:
        time.sleep(3600)
    return "A"

hanging = folkways.get_task("demo/mcq").items(folkways.open_release("demo"))["item"][:8]
model = folkways.model(ask, version=1, concurrency=4)
done = folkways.run("demo/mcq", models=model, timeout=0.3, attempts=1, max_errors=100)
replies = done.responses()
for column in ("response", "reason"):
    for value, count in replies[column].drop_nulls().value_counts().rows():
        print(value, count)
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., folkways.Run]:
    def ask(models: Any, tasks: Any = TASK, **options: Any) -> folkways.Run:
        return folkways.run(tasks, models=models, workspace=tmp_path / "w.db", **options)

    return ask


def items() -> list[str]:
    return folkways.get_task(TASK).items(folkways.open_release("demo"))["item"].to_list()


class TestFunctions:
    def test_a_function_is_asked_once_and_found_again(self, run: Any) -> None:
        prompts: list[str] = []

        def first_letter(prompt: str) -> str:
            """Always the first."""
            prompts.append(prompt)
            return "A"

        done = run(first_letter)
        assert (done.record.state, len(prompts)) == ("finished", len(items()))
        assert set(done.scores()["endpoint"]) == {"python/first_letter"}
        assert run(first_letter, name="again").scores()["score"].equals(done.scores()["score"])
        assert len(prompts) == len(items())

    def test_a_changed_function_is_asked_anew(self, run: Any) -> None:
        def ask_with(letter: str) -> Callable[[str], str]:
            def ask(prompt: str) -> str:
                return letter

            return ask

        assert set(run(ask_with("A")).responses()["response"]) == {"A"}
        assert set(run(ask_with("B")).responses()["response"]) == {"B"}

    def test_other_code_under_one_version_is_warned_of(self, run: Any) -> None:
        other = folkways.model(lambda prompt: "A", name="other")
        run([folkways.model(lambda prompt: "A", name="mine", version=1), other])
        with pytest.warns(
            folkways.FolkwaysWarning, match="18 stored replies of python/mine were made by other code"
        ):
            kept = run([folkways.model(lambda prompt: "B", name="mine", version=1), other])
        assert set(kept.responses()["response"]) == {"A"}
        assert set(
            run(folkways.model(lambda prompt: "B", name="mine", version=2)).responses()["response"]
        ) == {"B"}

    @pytest.mark.filterwarnings("error")
    def test_the_same_code_under_one_version_is_not(self, run: Any) -> None:
        for _ in range(2):
            run(folkways.model(lambda prompt: "A", name="mine", version=1), name=None)

    def test_exceptions_are_failed_requests_with_their_message(self, run: Any) -> None:
        def sometimes(prompt: str, item: str) -> str:
            if item == items()[0]:
                raise ValueError("no luck with this one")
            if item == items()[1]:
                sys.exit("over")
            if item == items()[2]:
                return next(iter([]))
            return "A"

        done = run(sometimes)
        messages = " ".join(results.failure_counts(done.workspace, done.record)["message"])
        assert (done.record.state, done.failed()) == ("incomplete", 3)
        assert "python/sometimes raised ValueError: no luck with this one" in messages
        assert "SystemExit: over" in messages and "StopIteration" in messages
        whole = done.scores().filter(facet="all").row(0, named=True)
        assert (whole["n"], whole["failed"]) == (len(items()), 3)

    def test_calls_at_once_are_those_stated(self, run: Any) -> None:
        asked = PromptLog()

        def slow(prompt: str) -> str:
            with asked:
                time.sleep(0.02)
            return "A"

        run(folkways.model(slow, name="three", version=1, concurrency=3))
        assert asked.most == 3
        asked.most = 0
        run(folkways.model(slow, name="one", version=1, concurrency=1), concurrency=8)
        assert asked.most == 1
        run(folkways.model(slow, name="run", version=1), concurrency=5)
        assert asked.most == 5

    def test_asynchronous_calls_overlap(self, run: Any) -> None:
        asked = PromptLog()

        async def slow(prompt: str) -> str:
            with asked:
                await asyncio.sleep(0.05)
            return "A"

        run(folkways.model(slow, version=1))
        assert asked.most == len(items())

    def test_a_call_that_takes_too_long_is_a_failed_request(self, run: Any) -> None:
        async def stuck(prompt: str) -> str:
            await asyncio.sleep(60)
            return "A"

        began = time.monotonic()
        done = run(stuck, limit=2, timeout=0.2, attempts=1)
        assert (done.failed(), time.monotonic() - began < 20) == (2, True)

    def test_a_call_that_never_ends_takes_no_place_of_others_and_the_process_can_end(
        self, tmp_path: Path
    ) -> None:
        """Twice as many calls hang as threads call at once."""
        program = tmp_path / "hanging.py"
        program.write_text(HANGING)
        ended = subprocess.run(
            [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        assert ended.stdout.splitlines() == ["A 10", "python/ask: no reply within 0.3 s 8"]

    @pytest.mark.parametrize("is_async", [False, True])
    @pytest.mark.parametrize(
        "error",
        [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), StopIteration(), PanicError("x")],
        ids=lambda error: type(error).__name__,
    )
    def test_whatever_it_raises_is_a_failed_request_and_others_are_answered(
        self, run: Any, error: BaseException, is_async: bool
    ) -> None:
        """SystemExit used to end the loop of all asynchronous models, and CancelledError the asking."""

        def fail(prompt: str, item: str) -> str:
            if item == items()[0]:
                raise error
            return "A"

        async def wait_and_fail(prompt: str, item: str) -> str:
            await asyncio.sleep(0)
            return fail(prompt, item)

        model = folkways.model(wait_and_fail if is_async else fail, version=1, name="m")
        done = run(model, timeout=5, attempts=1)
        assert done.failed() == 1
        assert set(done.responses()["response"].drop_nulls()) == {"A"}
        message = results.failure_counts(done.workspace, done.record)["message"][0]
        raised = "RuntimeError" if is_async and isinstance(error, StopIteration) else type(error).__name__
        assert message.startswith(f"python/m raised {raised}: ")

    def test_ctrl_c_in_a_call_ends_the_run_and_keeps_what_was_answered(self, run: Any) -> None:
        asked = 0

        async def ask(prompt: str) -> str:
            nonlocal asked
            asked += 1
            if asked == 5:
                raise KeyboardInterrupt
            return "A"

        async def fine(prompt: str) -> str:
            return "A"

        with pytest.raises(KeyboardInterrupt):
            run(folkways.model(ask, version=1), concurrency=1, name="ended")
        assert run(fine, timeout=5).failed() == 0
        done = run(folkways.model(ask, version=1), name="ended")
        assert (done.failed(), asked) == (0, len(items()) + 1)

    def test_within_a_running_event_loop(self, run: Any) -> None:
        async def ask(prompt: str) -> str:
            await asyncio.sleep(0)
            return "A"

        async def notebook() -> folkways.Run:
            return run(ask)

        assert asyncio.run(notebook()).record.state == "finished"

    def test_a_function_gets_what_it_names(self, run: Any) -> None:
        calls: list[dict[str, Any]] = []

        def ask(
            prompt: str,
            *,
            system: str | None,
            choices: Any,
            temperature: float | None,
            item: str,
            max_tokens: int,
        ) -> str:
            calls.append(locals())
            return "A"

        run(ask, system="Be brief.", settings={"temperature": 0.5}, limit=3, max_tokens=7)
        assert {(call["system"], call["temperature"], call["max_tokens"]) for call in calls} == {
            ("Be brief.", 0.5, 7)
        }
        assert len({call["item"] for call in calls}) == 3
        assert all(call["choices"] and "Be brief." not in call["prompt"] for call in calls)

    def test_a_system_prompt_goes_before_the_question_or_into_the_messages(self, run: Any) -> None:
        prompts: list[Any] = []

        def ask(prompt: str) -> str:
            prompts.append(prompt)
            return "A"

        def chat(messages: list[dict[str, str]]) -> str:
            prompts.append(messages)
            return "A"

        run([ask, chat], system="Be brief.", limit=1)
        assert any(isinstance(one, str) and one.startswith("Be brief.\n\n") for one in prompts)
        assert any(
            isinstance(one, list) and one[0] == {"role": "system", "content": "Be brief."} for one in prompts
        )

    def test_a_setting_that_it_is_not_told_is_an_error_and_no_part_of_the_signature(self, run: Any) -> None:
        def ask(prompt: str) -> str:
            return "A"

        with pytest.raises(
            FolkwaysError, match="is not told the setting temperature: give its function a parameter"
        ):
            run(ask, settings={"temperature": 0.5})
        assert "temperature" not in run(ask).scores()["signature"][0]

    def test_items_that_are_named_are_told_apart(self, run: Any) -> None:
        def by_item(prompt: str, item: str) -> str:
            return item

        def by_prompt(prompt: str) -> str:
            return prompt

        rows = run(by_item).responses()
        assert rows["response"].to_list() == rows["item"].to_list()
        assert folkways.model(
            by_item
        ).item_addressed  # so that items of one prompt have requests of their own
        assert not folkways.model(by_prompt).item_addressed


REFUSED = {
    "a lambda": (lambda prompt: "A", 'folkways.model(lambda prompt: ..., name="...")'),
    "a class": (PromptLog, "give an object of it: PromptLog(...)"),
    "no prompt": (folkways.model, "needs version"),
    "a number": (3, "int is not a model: give a name (openai/gpt-4o-mini"),
    "a client": (openai.OpenAI(api_key="k"), 'folkways.model(client, model="gpt-4o-mini")'),
    "names": ({"a": "openai/gpt-4o-mini"}, "models=['openai/gpt-4o-mini']"),
    "functions": (
        {"a": len},
        "several functions are a list: models=[folkways.model(function, name='a'), ...]",
    ),
    "numbers": ({1: "A"}, "text for text, item or prompt -> reply"),
    "a frame of nothing": (
        pl.DataFrame({"a": ["b"]}),
        "has the columns item (or prompt) and response; this one has a",
    ),
}


@pytest.mark.parametrize(("model", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_told_what_to_write(run: Any, model: Any, message: str) -> None:
    if model is folkways.model:

        def model(prompt: str, version: str) -> str:
            return version

    with pytest.raises(FolkwaysError) as error:
        run(model)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["a", "a b", "n" * 128, "ሀ" * 128])
def test_a_name_has_1_to_128_printable_characters(name: str) -> None:
    model = folkways.model({"item": "A"}, name=name)
    assert model.name == f"python/{name}"
    for wrong in ("", " ", "\u2003", f"{name}\n", f"{name}\u202e", "n" * 129, 3):
        with pytest.raises(FolkwaysError) as refused:
            folkways.model({"item": "A"}, name=wrong)  # type: ignore[arg-type]
        assert str(refused.value) == f"a model's name has 1 to 128 printable characters, got {wrong!r}"


def test_calls_at_once_are_a_whole_number_from_1_on() -> None:
    for most in (1, 2):
        assert folkways.model(Generator("A"), version=1, concurrency=most).default_concurrency == most
    for wrong in (0, -1, 1.5, "2"):
        with pytest.raises(FolkwaysError) as refused:
            folkways.model(Generator("A"), version=1, concurrency=wrong)  # type: ignore[arg-type]
        assert str(refused.value) == f"concurrency must be a whole number from 1 on, got {wrong!r}"


def test_a_dict_of_replies_may_hold_a_few_names_of_models() -> None:
    """Only where all of them are is it a dict of models."""
    assert folkways.model({"a": "openai/gpt-4o-mini", "b": "B"}, name="m").name == "python/m"
    with pytest.raises(FolkwaysError, match="this looks like a dict of models"):
        folkways.model({"a": "openai/gpt-4o-mini", "b": "baseline/random"}, name="m")
    with pytest.raises(FolkwaysError, match="text for text, item or prompt -> reply"):
        folkways.model({"a": "B", "b": len}, name="m")
    with pytest.raises(FolkwaysError, match="a version belongs to a name"):
        folkways.model({"a": "B"}, version=1)
    assert folkways.model({"a": "B"}, name="m", version=1).identity == "python:m@1"


def test_two_models_of_one_name_are_refused(run: Any) -> None:
    one, other = (folkways.model(lambda prompt: "A", name="mine", version=version) for version in (1, 2))
    with pytest.raises(FolkwaysError, match="two different models are called python/mine"):
        run([one, other])


def test_a_model_whose_state_cannot_be_known_is_asked_for_a_version(run: Any) -> None:
    lock = threading.Lock()

    def ask(prompt: str) -> str:
        with lock:
            return "A"

    with pytest.raises(FolkwaysError, match=r"uses 'lock', a _thread.lock.*version=\"1\""):
        run(ask)
    assert run(folkways.model(ask, version="1")).record.state == "finished"


class Generator:
    def __init__(self, letter: str, asked: PromptLog | None = None) -> None:
        self.letter, self.asked = letter, asked

    def generate(self, prompt: str) -> str:
        if self.asked is None:
            return self.letter
        with self.asked:
            time.sleep(0.005)
        return self.letter


class TestObjects:
    def test_an_object_that_generates(self, run: Any) -> None:
        done = run([Generator("A"), folkways.model(Generator("B"), name="b")])
        replies = {name: set(rows["response"]) for (name,), rows in done.responses().group_by("endpoint")}
        assert replies == {"python/Generator": {"A"}, "python/b": {"B"}}

    def test_it_is_called_by_one_thread_unless_somebody_says_otherwise(self, run: Any) -> None:
        asked = PromptLog()
        run(folkways.model(Generator("A", asked), version=1), concurrency=8)
        assert asked.most == 1
        run(folkways.model(Generator("A", asked), version=2, concurrency=4))
        assert asked.most == 4


class TestReplies:
    def test_by_item_and_by_prompt(self, run: Any) -> None:
        prompts: dict[str, str] = {}

        def remember(prompt: str, item: str) -> str:
            prompts[prompt] = item
            return "A"

        run(remember)
        letters = {item: "ABCD"[number % 4] for number, item in enumerate(items())}
        by_item = run(letters, name="items")
        by_prompt = run({prompt: letters[item] for prompt, item in prompts.items()}, name="prompts")
        by_both = run({f"{TASK}:{item}": letter for item, letter in letters.items()}, name="tasks")
        for done in (by_item, by_prompt, by_both):
            assert dict(done.responses().select("item", "response").iter_rows()) == letters

    def test_what_is_not_in_it_is_a_failed_request(self, run: Any) -> None:
        done = run(folkways.model({items()[0]: "A", items()[1]: None}, name="part"))
        assert done.failed() == len(items()) - 1
        message = results.failure_counts(done.workspace, done.record)["message"][0]
        assert "python/part has no reply for" in message

    def test_other_replies_are_another_model(self, run: Any) -> None:
        one, other = (dict.fromkeys(items(), letter) for letter in "AB")
        assert set(run(folkways.model(one, name="mine")).responses()["response"]) == {"A"}
        assert set(run(folkways.model(other, name="mine")).responses()["response"]) == {"B"}

    def test_frames(self, run: Any) -> None:
        import pandas as pd

        columns = {
            "item": items(),
            "response": ["B"] * (len(items()) - 1) + [None],
            "language": ["en"] * len(items()),
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        made = {
            "polars": pl.DataFrame(columns),
            "pandas": pd.DataFrame(columns),
            "rows": rows,
            "columns": columns,
        }
        unnamed = run(pl.DataFrame(columns), languages="en").record.config["endpoints"]
        for kind, frame in made.items():
            done = run(folkways.model(frame, name="mine"), languages="en")
            assert done.responses()["response"].to_list() == columns["response"], kind
            assert done.record.config["endpoints"] == unnamed, kind


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


class TestClients:
    @pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
    def test_an_openai_client(self, run: Any, server: ChatServer, kind: Any) -> None:
        server.control(forget=True)
        client = kind(base_url=f"{server.url}/v1", api_key="sk-secret")
        model = folkways.model(client, model="test-model")
        for seed in range(2):  # each run has an event loop of its own, and the client one pool of connections
            assert run(model, seed=seed, settings={"seed": seed}).record.state == "finished"
        assert server.stats()["total"] == 2 * len(items())
        done = run(
            folkways.model(kind(base_url=f"{server.url}/v1", api_key="other"), model="test-model"),
            settings={"seed": 0},
        )
        assert server.stats()["total"] == 2 * len(items())
        (use,) = results.usage(done.workspace, done.record)
        assert use.input_tokens > 0
        assert "secret" not in model.identity

    def test_it_gives_the_replies_of_its_address(self, run: Any, server: ChatServer) -> None:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="k")
        ours = run(f"{server.url}/v1#test-model").responses()["response"]
        assert (
            run(folkways.model(client, model="test-model"), name="client")
            .responses()["response"]
            .equals(ours)
        )

    def test_a_client_is_known_by_its_address_and_model_or_by_name_and_version(self) -> None:
        address = "https://me:word@proxy.example:8443/v1/?key=k"
        client, waiting = (
            kind(base_url=address, api_key="k") for kind in (openai.OpenAI, openai.AsyncOpenAI)
        )
        names = {
            (None, None): ("python/m", "python:https://proxy.example:8443/v1#m@"),
            ("mine", None): ("python/mine", "python:https://proxy.example:8443/v1#m@"),
            (None, 3): ("python/m", "python:https://proxy.example:8443/v1#m@3"),
            ("mine", 3): ("python/mine", "python:mine@3"),
        }
        for (name, version), expected in names.items():
            model = folkways.model(client, name, version=version, model="m")
            assert (model.name, model.identity) == expected
        at_once = [
            folkways.model(each, model="m", concurrency=most).default_concurrency
            for each in (client, waiting)
            for most in (None, 3)
        ]
        assert at_once == [32, 3, EndpointOptions.DEFAULT_CONCURRENCY, 3]

    def test_an_asynchronous_client_is_called_as_often_at_once_as_the_run_says_and_no_more_than_stated(
        self,
    ) -> None:
        asked = PromptLog()

        async def create(**_: Any) -> str:
            with asked:
                await asyncio.sleep(0.02)
            return "A"

        class AsyncClient:
            base_url = "http://lab.example/v1"
            chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=create))

        async def ask_forty(most: int | None) -> int:
            asked.most = 0
            model = folkways.model(AsyncClient(), model="m", concurrency=most)
            await model.open(40)
            await asyncio.gather(*(model.complete(request(key=str(number))) for number in range(40)))
            await model.close()
            return asked.most

        assert [asyncio.run(ask_forty(most)) for most in (None, 3)] == [40, 3]

    def test_errors_of_the_client_are_failures_with_their_status(self, run: Any, server: ChatServer) -> None:
        server.control(faults={"chances": {"500": 1.0}})
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0)
        done = run(folkways.model(client, model="failing"), attempts=1, limit=2)
        server.control(faults={})
        assert done.failed() == 2
        assert "InternalServerError" in results.failure_counts(done.workspace, done.record)["message"][0]


def inspect_look_alike() -> Any:
    """A model with the interface of inspect_ai.model.Model, and the classes that it takes."""
    library = types.ModuleType("inspect_ai.model")

    class Message:
        def __init__(self, content: str) -> None:
            self.content = content

    class GenerateConfig:
        def __init__(self, **settings: Any) -> None:
            self.settings = settings

        def __repr__(self) -> str:
            return f"GenerateConfig({self.settings})"

    class Model:
        __module__ = "inspect_ai.model._model"

        def __init__(self, name: str, config: GenerateConfig) -> None:
            self._name, self.config = name, config
            self.api = types.SimpleNamespace(base_url=None)
            self.asked: list[Any] = []

        def __str__(self) -> str:
            return self._name

        async def generate(
            self, input: Any, tools: Any = (), tool_choice: Any = None, config: Any = None
        ) -> Any:
            self.asked.append((input, config))
            choice = {"message": {"content": "B"}, "stop_reason": "max_tokens"}
            output = {
                "model": self._name,
                "choices": [choice],
                "usage": {"input_tokens": 3, "output_tokens": 2},
            }
            return types.SimpleNamespace(completion="B", model_dump=lambda: output)

    for kind in (Message, GenerateConfig, Model):
        setattr(library, kind.__name__, kind)
    library.ChatMessageSystem = library.ChatMessageUser = Message  # type: ignore[attr-defined]
    return library


def test_a_model_of_inspect(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library = inspect_look_alike()
    monkeypatch.setitem(sys.modules, "inspect_ai", types.ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.model", library)
    model = library.Model("provider/name", library.GenerateConfig())
    done = run(model, system="Be brief.", max_tokens=9)
    assert set(done.responses()["response"]) == {"B"}
    assert set(done.responses()["finish_reason"]) == {"length"}
    assert results.usage(done.workspace, done.record)[0].input_tokens == 3 * len(items())
    messages, config = model.asked[0]
    assert messages[0].content == "Be brief."
    assert (config.settings["max_tokens"], config.settings["temperature"]) == (9, 0.0)
    other = library.Model("provider/name", library.GenerateConfig(temperature=1))
    assert folkways.model(other).identity != folkways.model(model).identity


@pytest.mark.local_model
class TestPipelines:
    def test_a_pipeline_answers_as_its_folder_does(self, run: Any, tmp_path: Path) -> None:
        transformers = pytest.importorskip("transformers")
        folder = make_model(tmp_path / "model", TEMPLATE)
        pipeline = transformers.pipeline("text-generation", model=str(folder))
        ours = run(f"hf/{folder}", limit=4, max_tokens=4).responses()["response"]
        assert run(pipeline, limit=4, max_tokens=4).responses()["response"].equals(ours)
        assert run(pipeline, limit=4, settings={"read": "loglik"}).record.state == "finished"

    def test_trained_weights_are_another_model(self, tmp_path: Path) -> None:
        torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
        pipeline = transformers.pipeline(
            "text-generation", model=str(make_model(tmp_path / "model", TEMPLATE))
        )
        before = folkways.model(pipeline).identity
        assert folkways.model(pipeline).identity == before
        with torch.no_grad():
            for weights in pipeline.model.parameters():
                weights.add_(0.01)
        assert folkways.model(pipeline).identity != before

    def test_other_pipelines_are_refused(self) -> None:
        class Pipeline:
            __module__ = "transformers.pipelines.base"
            task = "fill-mask"

        with pytest.raises(FolkwaysError, match="a pipeline of the kind 'fill-mask' does not reply"):
            folkways.model(Pipeline())


def test_a_recipe_with_a_model_from_python_says_where_it_runs(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="python/mine is a model that a program in Python gave"):
        folkways.run(TASK, models="python/mine", workspace=tmp_path / "w.db")
