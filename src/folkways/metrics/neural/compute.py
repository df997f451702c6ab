"""Where vectors are computed, and how precisely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from folkways.errors import FolkwaysError, UnknownNameError

PRECISIONS = ("fp32", "fp16", "bf16")


@dataclass(frozen=True, slots=True)
class Compute:
    """Devices by torch's names (``cpu``, ``cuda:0``, ...), one copy of the model on each ``workers`` times,
    and the precision.

    No devices: every CUDA device there is, else the CPU. 16-bit numbers are for GPUs: they change BERTScore
    in the third digit.
    """

    devices: tuple[str, ...] = ()
    workers: int = 1
    precision: str = "fp32"

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        if self.workers < 1:
            raise FolkwaysError(f"workers must be at least 1, got {self.workers}")

    def places(self, torch: Any) -> list[str]:
        """The device of each copy of the model. FolkwaysError for a device that is not there or a precision
        that it has not."""
        gpus = (
            [f"cuda:{number}" for number in range(torch.cuda.device_count())]
            if torch.cuda.is_available()
            else []
        )
        devices = self.devices or tuple(gpus) or ("cpu",)
        for device in devices:
            try:
                torch.empty(0, device=device).cpu()  # a device from which nothing comes back ("meta") is none
            except (RuntimeError, AssertionError) as error:
                valid = ", ".join(["cpu", *gpus])
                reason = str(error).splitlines()[0]
                raise FolkwaysError(f"there is no device {device!r} ({reason}); there are: {valid}") from None
            if device.startswith("cpu") and self.precision != "fp32":
                raise FolkwaysError(f"precision {self.precision} is for GPUs; use fp32 on the CPU")
        return [device for device in devices for _ in range(self.workers)]
