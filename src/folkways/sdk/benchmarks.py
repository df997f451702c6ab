"""The benchmarks that are installed, by name: tasks, labels of items, schemas of exports."""

from __future__ import annotations

from folkways.benchmarks.registry import free_answer_tasks, get_task, labels_of, study_exports

__all__ = ["free_answer_tasks", "get_task", "labels_of", "study_exports"]
