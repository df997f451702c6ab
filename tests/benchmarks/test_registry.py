"""Names of tasks and benchmarks: present ones, earlier ones, wrong ones."""

from __future__ import annotations

import pytest

from folkways.benchmarks.registry import benchmarks, expand_tasks, get_task, present_name, tasks
from folkways.benchmarks.released_data import open_release
from folkways.errors import UnknownNameError


def test_the_demo_is_still_found_as_the_sample() -> None:
    assert get_task("sample/mcq") is get_task("demo/mcq")
    assert expand_tasks(["sample", "demo/saq"]) == list(benchmarks()["demo"].tasks)
    assert open_release("sample").record is open_release("sample@1").record is open_release("demo").record


@pytest.mark.parametrize("name", ["sample2/mcq", "my/sample", "blend/sample"])
def test_only_a_whole_first_name_is_an_alias(name: str) -> None:
    assert present_name(name) == name
    with pytest.raises(UnknownNameError):
        get_task(name)


def test_what_is_called_accuracy_is_the_number_that_benchmarks_have_in_common() -> None:
    shares = [metric for task in tasks().values() for metric in task.metrics if metric.label == "Accuracy"]
    assert len(shares) > 10 and all(metric.accuracy for metric in shares)
