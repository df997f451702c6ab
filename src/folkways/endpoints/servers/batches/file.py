"""vLLM's offline batches: a file of requests that somebody carries out (``vllm run-batch``), and a file of
results."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from folkways.endpoints.batches import BatchResult, BatchStatus
from folkways.endpoints.servers.batches.openai import OpenAIBatches, results_in
from folkways.files import write_bytes

FOLDER = "folkways-batches"


class FileBatches(OpenAIBatches):
    """Files in the folder ``folkways-batches``, in OpenAI's layout. The number of a batch is its file's
    path."""

    waits = False

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Write the file, whole or not at all."""
        file = _file(name)
        file.parent.mkdir(exist_ok=True)
        write_bytes(file, b"\n".join(lines) + b"\n")
        return str(file)

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """The path of the file called ``name``, if it is there; keys, since and known do not matter."""
        return str(_file(name)) if _is_there(_file(name)) else None

    async def look(self, number: str) -> BatchStatus:
        """Ended with the file of results; also where somebody took the file of requests away."""
        return BatchStatus(ended=_is_there(_results(number)) or not _is_there(Path(number)))

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """The lines of the file of results."""
        file = _results(number)
        for result in results_in(file.read_bytes()) if _is_there(file) else ():
            yield result

    def sent_message(self, name: str, number: str, requests: int) -> str:
        """What to do with the file."""
        files = ("-i", number, "-o", str(_results(number)))
        line = shlex.join(["vllm", "run-batch", *files, "--model", self.endpoint.model])
        return (
            f"{self.endpoint.name}: {requests:,} requests are in a file. Carry them out, then run the "
            f"same command again: {line}"
        )


def _file(name: str) -> Path:
    return Path(FOLDER, f"{name}.jsonl").absolute()


def _is_there(file: Path) -> bool:
    return file.is_file()


def _results(number: str) -> Path:
    return Path(number).with_suffix(".results.jsonl")
