"""The task of the benchmark, as ``mcq.toml`` declares it."""

from folkways.benchmarks.choosing.task import PublishedChoiceTask

TASK = PublishedChoiceTask.from_toml("folkways.benchmarks.include", "mcq.toml")
