"""The thread in which jobs of ML backends are done."""

from __future__ import annotations

from collections.abc import Mapping

from folkways.sdk.workspace import Workspace
from folkways_studio.items.import_runner import ImportWorker
from folkways_studio.models.offered import OfferedModel
from folkways_studio.programs import ml_backends


class BackendWorker(ImportWorker):
    """It lives while there is work, as that of imports. private: whether backends may be in the server's own
    network. offered: name -> model that this server may ask."""

    patience = 5.0  # a request may take minutes; another worker goes on where this one was

    def __init__(
        self, workspace: Workspace, *, private: bool, offered: Mapping[str, OfferedModel] | None = None
    ) -> None:
        super().__init__(workspace)
        self.private, self.offered = private, offered or {}

    def work(self) -> None:
        while self.going() and (job := ml_backends.claim_job(self.workspace)) is not None:
            from folkways_studio.programs.backend_runs import run_job

            run_job(self.workspace, job, private=self.private, offered=self.offered, going=self.going)
