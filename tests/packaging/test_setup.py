"""What `make dev` does on a machine that lacks something: real make and real scripts/install_chromium.py, on
a bare PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = ".tools/browser/node_modules/axe-core/axe.min.js"
BROWSER = '#!/bin/sh\necho "Chromium 153"\n'
NPM = f'#!/bin/sh\necho "$*" >> npm-calls\nmkdir -p {AXE.rpartition("/")[0]}\ntouch {AXE}\n'


class Machine:
    """A checkout of the script and the Makefile, and a PATH of the few programs that a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.programs = folder, folder / "bin"
        self.programs.mkdir()
        (folder / "scripts").mkdir()
        for name in ("Makefile", "scripts/install_chromium.py", "scripts/find_python", "requirements"):
            source = REPOSITORY / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
        for name in ("mkdir", "touch", "sh"):
            (self.programs / name).symlink_to(shutil.which(name) or name)

    def put(self, name: str, text: str) -> None:
        program = self.folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.programs), "HOME": str(self.folder), **variables}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120
        )

    def install(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "scripts/install_chromium.py", *options, **variables)

    def make(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(shutil.which("make") or "make", f"PYTHON={sys.executable}", *arguments, **variables)

    def calls(self, name: str) -> list[str]:
        path = self.folder / f"{name}-calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_nothing_there_is_an_error_that_says_what_to_do_and_apt_get_is_left_alone(machine: Machine) -> None:
    machine.put("bin/apt-get", '#!/bin/sh\necho "$*" >> apt-calls\n')
    installed = machine.install()
    assert (installed.returncode, installed.stdout) == (1, "")
    assert "No Chromium: install Node 20 with npm" in installed.stderr
    assert "No axe-core: it comes from npm. Install Node 20" in installed.stderr
    assert "Traceback" not in installed.stderr
    assert machine.calls("apt") == []


@pytest.mark.parametrize(("options", "variables"), [(["--apt"], {}), ([], {"FOLKWAYS_APT": "1"})])
def test_apt_get_installs_chromium_if_asked(
    machine: Machine, options: list[str], variables: dict[str, str]
) -> None:
    (machine.folder / "chromium").write_text(BROWSER)
    (machine.folder / "chromium").chmod(0o755)
    (machine.programs / "cp").symlink_to(shutil.which("cp") or "cp")
    machine.put(
        "bin/apt-get",
        '#!/bin/sh\necho "$*" >> apt-calls\ncase "$*" in *chromium) cp chromium bin/chromium;; esac\n',
    )
    machine.put(
        "bin/npm",
        f'#!/bin/sh\ncase "$*" in *sparticuz*) exit 1;; esac\nmkdir -p {AXE.rpartition("/")[0]}\ntouch '
        f"{AXE}\n",
    )
    installed = machine.install(*options, **variables)
    if os.geteuid():
        assert installed.returncode == 1 and "apt-get needs root" in installed.stderr
        assert machine.calls("apt") == []
    else:
        assert (installed.returncode, installed.stdout) == (0, f"{machine.programs / 'chromium'}\n")
        assert machine.calls("apt") == ["update", "install -y --no-install-recommends chromium"]


@pytest.mark.parametrize(
    "npm",
    [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexit 0\n"],
    ids=["no npm", "npm fails", "npm installs nothing"],
)
def test_chromium_without_axe_core_is_an_error(machine: Machine, npm: str | None) -> None:
    machine.put("bin/chromium", BROWSER)
    if npm:
        machine.put("bin/npm", npm)
    for options in ([], ["--check"]):
        installed = machine.install(*options)
        assert (installed.returncode, installed.stdout) == (1, "")
        assert "No axe-core" in installed.stderr and "No Chromium" not in installed.stderr


@pytest.mark.parametrize("node", [None, "#!/bin/sh\nexit 1\n"], ids=["no node", "node fails"])
def test_axe_core_without_chromium_is_an_error(machine: Machine, node: str | None) -> None:
    machine.put("bin/npm", NPM)
    if node:
        machine.put("bin/node", node)
    for options in ([], ["--check"]):
        installed = machine.install(*options)
        assert (installed.returncode, installed.stdout) == (1, "")
        assert "No Chromium" in installed.stderr and "No axe-core" not in installed.stderr
        assert "Traceback" not in installed.stderr


def test_both_there_print_the_path_and_are_not_installed_again(machine: Machine) -> None:
    machine.put("bin/chromium", BROWSER)
    machine.put("bin/npm", NPM)
    assert machine.install("--check").returncode == 1 and machine.calls("npm") == []
    for options in ([], [], ["--check"]):
        installed = machine.install(*options)
        assert (installed.returncode, installed.stdout) == (0, f"{machine.programs / 'chromium'}\n")
    (call,) = machine.calls("npm")
    assert "axe-core@" in call and "chromium" not in call


def test_a_named_browser_that_does_not_start_is_an_error_and_no_other_is_taken(machine: Machine) -> None:
    machine.put("bin/chromium", BROWSER)
    machine.put("bin/npm", NPM)
    machine.put("broken", "#!/bin/sh\nexit 127\n")
    for named in ("broken", "absent"):
        installed = machine.install(FOLKWAYS_CHROMIUM=str(machine.folder / named))
        assert (installed.returncode, installed.stdout) == (1, "")
        assert f"FOLKWAYS_CHROMIUM={machine.folder / named}: no Chromium starts" in installed.stderr
    machine.put("mine", BROWSER)
    assert (
        machine.install(FOLKWAYS_CHROMIUM=str(machine.folder / "mine")).stdout
        == f"{machine.folder / 'mine'}\n"
    )


def test_make_stamps_the_browser_only_where_both_are_there(machine: Machine) -> None:
    machine.put("bin/chromium", BROWSER)
    stamp = machine.folder / ".tools" / ".stamp-browser"
    made = machine.make(".tools/.stamp-browser")
    assert made.returncode != 0 and not stamp.exists()
    assert "No axe-core" in made.stderr
    machine.put("bin/npm", NPM)
    assert machine.make(".tools/.stamp-browser").returncode == 0 and stamp.exists()


@pytest.mark.parametrize("answers", [True, False], ids=["the index answers", "the index is out of reach"])
@pytest.mark.parametrize("backend", [None, "auto"])
def test_torch_is_the_build_for_processors_or_else_what_pip_has(
    machine: Machine, answers: bool, backend: str | None
) -> None:
    machine.put(".venv/bin/uv", f'#!/bin/sh\necho "$*" >> uv-calls\nexit {0 if answers else 2}\n')
    machine.put(".venv/bin/python", '#!/bin/sh\necho "$*" >> pip-calls\n')
    (machine.folder / ".venv" / ".stamp-dev").touch()
    made = machine.make(
        "-o", ".venv/.stamp-dev", ".venv/.stamp-torch", *([f"TORCH_BACKEND={backend}"] if backend else [])
    )
    assert made.returncode == 0, made.stderr
    (asked,) = machine.calls("uv")
    assert f"--torch-backend {backend or 'cpu'} -r requirements/local.txt" in asked
    assert [call.rpartition(" ")[2] for call in machine.calls("pip")] == (
        [] if answers else ["requirements/local.txt"]
    )


def test_torch_that_nobody_can_install_is_not_stamped(machine: Machine) -> None:
    for name in ("uv", "python"):
        machine.put(f".venv/bin/{name}", "#!/bin/sh\nexit 2\n")
    assert machine.make("-o", ".venv/.stamp-dev", ".venv/.stamp-torch").returncode != 0
    assert not (machine.folder / ".venv" / ".stamp-torch").exists()


@pytest.mark.parametrize("installs", [True, False], ids=["installs", "no network"])
def test_programs_of_others_are_installed_or_make_says_that_no_test_runs_them(
    machine: Machine, installs: bool
) -> None:
    machine.put(".venv/bin/uv", f'#!/bin/sh\necho "$*" >> uv-calls\nexit {0 if installs else 2}\n')
    machine.put(".venv/bin/python", "#!/bin/sh\nexit 2\n")
    (machine.folder / ".venv" / ".stamp-dev").touch()
    stamp = machine.folder / ".tools" / ".stamp-other-programs"
    stamp.parent.mkdir()
    made = machine.make("-o", ".venv/.stamp-dev", ".tools/.stamp-other-programs")
    assert made.returncode == 0 and stamp.exists() == installs, made.stderr
    assert ("no test runs them" in made.stderr) != installs
    if installs:
        into = "--python .tools/other-programs/bin/python"
        assert machine.calls("uv") == [
            "venv --quiet --allow-existing --python .venv/bin/python .tools/other-programs",
            f"pip install --quiet {into} --require-hashes -r requirements/other-programs.txt",
            f"pip install --quiet {into} --no-deps --no-build-isolation -e .",
        ]


@pytest.mark.parametrize(
    ("there", "allowed"),
    [(True, False), (False, True), (False, False)],
    ids=["there", "from apt-get", "neither"],
)
def test_tex_is_that_of_the_machine_or_debians_where_apt_get_may_run(
    machine: Machine, there: bool, allowed: bool
) -> None:
    tex = machine.programs / "pdflatex"
    machine.put(
        "bin/apt-get", f'#!/bin/sh\necho "$*" >> apt-calls\ncase "$*" in *texlive*) cp "$0" {tex};; esac\n'
    )
    (machine.programs / "cp").symlink_to(shutil.which("cp") or "cp")
    if there:
        machine.put("bin/pdflatex", "#!/bin/sh\n")
    (machine.folder / ".tools").mkdir()
    browser, stamp = (machine.folder / ".tools" / f".stamp-{name}" for name in ("browser", "tex"))
    browser.touch()
    made = machine.make(".tools/.stamp-tex", **({"FOLKWAYS_APT": "1"} if allowed else {}))
    assert (made.returncode, stamp.exists()) == (0, there or allowed), made.stderr
    assert ("no test sets report.tex" in made.stderr) == (not there and not allowed)
    assert bool(machine.calls("apt")) == (allowed and not there)


@pytest.mark.parametrize("newer", [True, False], ids=["Python 3.12", "older ones alone"])
def test_a_validator_that_needs_a_newer_python_is_installed_where_one_is(
    machine: Machine, newer: bool
) -> None:
    machine.put(".venv/bin/uv", '#!/bin/sh\necho "$*" >> uv-calls\n')
    machine.put("bin/python3", '#!/bin/sh\ntest "$3" = 11\n')  # as found for the rest: Python 3.11
    machine.put("bin/python3.12", f"#!/bin/sh\nexit {0 if newer else 1}\n")
    (machine.folder / ".venv" / ".stamp-dev").touch()
    stamp = machine.folder / ".tools" / ".stamp-every-eval-ever"
    stamp.parent.mkdir()
    made = machine.make("-o", ".venv/.stamp-dev", ".tools/.stamp-every-eval-ever")
    assert made.returncode == 0 and stamp.exists() == newer, made.stderr
    assert ("its schemas stand in" in made.stderr) != newer
    assert machine.calls("uv")[:1] == (
        ["venv --quiet --allow-existing --python python3.12 .tools/every-eval-ever"] if newer else []
    )


def test_a_python_is_found_that_is_new_enough(machine: Machine) -> None:
    (machine.programs / "python3").symlink_to(sys.executable)
    minor = sys.version_info.minor
    found = [machine.run("sh", "scripts/find_python", str(lowest)).stdout for lowest in (minor, minor + 1)]
    assert found == ["python3\n", ""]
