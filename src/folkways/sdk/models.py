"""Models that can be asked, through the same endpoints, budgets and workspace as in a run."""

from __future__ import annotations

from folkways.benchmarks.build import Prompt
from folkways.endpoints.base import Completion, Endpoint, EndpointFailure, EndpointOptions, Request
from folkways.runs.asking import AskSession
from folkways.runs.models import Model, open_models
from folkways.runs.options import AskOptions
from folkways.text.labels import first_label

__all__ = [
    "AskOptions",
    "AskSession",
    "Completion",
    "Endpoint",
    "EndpointFailure",
    "EndpointOptions",
    "Model",
    "Prompt",
    "Request",
    "first_label",
    "open_models",
]
