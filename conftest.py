"""Fixtures that the tests of both packages share."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# How long an example takes depends on what else the machine does; time is measured in perf/, not here.
settings.register_profile("folkways", deadline=None, max_examples=30)
settings.register_profile("nightly", deadline=None, max_examples=200)
settings.register_profile("quick", deadline=None, max_examples=10)
# A planted fault dies with the first example that shows it: no time goes into a smaller one.
settings.register_profile(
    "mutants", deadline=None, max_examples=50, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
settings.load_profile("folkways")

pytest_plugins = [
    f"tests.support.{name}" for name in ("browser", "by_file", "in_memory", "no_skips", "postgres")
]

# A job that a shell began in the background is deaf to Ctrl-C, and so were all that the tests start and
# interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# As the command line does: what tests make lives briefly, and most of it needs no collector.
gc.set_threshold(50_000, 20, 20)

# Each worker is one of several: threads for every core in each of them only wait for one another. Read when
# torch and polars are imported.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(threads, "1")

REPOSITORY = Path(__file__).resolve().parent
SHARED = REPOSITORY.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout; skips where it is absent, fails instead if
    FOLKWAYS_REQUIRE_SHARED=1."""
    if (SHARED / "data").is_dir():
        return SHARED
    reason = "no reference data: expected a folder 'shared' with 'data' in it beside the checkout"
    if os.environ.get("FOLKWAYS_REQUIRE_SHARED") == "1":
        pytest.fail(f"{reason} (FOLKWAYS_REQUIRE_SHARED=1)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def xcr_systems(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The synthetic systems for XCR-Bench, made by the seeded script that belongs to the expected values:
    ``inputs`` and ``gt``, which nobody changes."""
    folder = tmp_path_factory.mktemp("systems")
    script = shared / "parity" / "xcr" / "make_inputs.py"
    command = [sys.executable, str(script), str(shared / "data" / "xcr"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder
