"""A real SLURM of one node: slurmctld and slurmd, installed here or Debian's packages, downloaded and
unpacked without root.

``with Slurm(folder) as slurm: slurm.sbatch(script)``. Nothing is installed, and no munge is needed: the node
trusts itself.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

from tests.support.command_line import wait_for
from tests.support.postgres import free_port

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "libhwloc15")
UNPACKED = Path(__file__).resolve().parents[2] / ".tools" / "slurm"
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
PluginDir={plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
KillWait=30
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=500 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def root() -> Path | None:
    """The folder in which SLURM's ``usr`` lies; None where it is neither installed nor to be had from apt."""
    for folder in (Path("/"), UNPACKED):
        if (folder / "usr/sbin/slurmctld-wlm").exists() and (folder / "usr/sbin/slurmd-wlm").exists():
            return folder
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    downloads = UNPACKED / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "download", *PACKAGES], cwd=downloads, capture_output=True)
    if done.returncode:
        return None
    for package in downloads.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, UNPACKED], check=True)
    return UNPACKED


class Slurm:
    """The cluster, for the length of a block. folder: for its state, and for what the tasks print: ``0.txt``,
    ``1.txt``."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self._root = folder, root
        (plugins,) = (path.parent for path in root.glob("usr/lib/*/slurm-wlm/auth_none.so"))
        libraries = os.pathsep.join(map(str, (plugins, plugins.parent)))
        self._environment = {"SLURM_CONF": str(folder / "slurm.conf"), "LD_LIBRARY_PATH": libraries}
        self._daemons: list[subprocess.Popen[bytes]] = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        places = {
            "host": socket.gethostname().partition(".")[0],
            "user": getpass.getuser(),
            "plugins": plugins,
            "folder": folder,
        }
        ports = {"controller": free_port(), "node": free_port()}
        (folder / "slurm.conf").write_text(CONFIGURATION.format(**places, **ports))

    def __enter__(self) -> Slurm:
        self._start("slurmctld-wlm", "-D")
        self._start("slurmd-wlm", "-D", "-d", str(self._root / "usr/sbin/slurmstepd-wlm"))
        wait_for(lambda: "idle" in self._ask("sinfo", "--noheader", "--format=%T"), seconds=60)
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("scancel", f"--user={getpass.getuser()}")
        for daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait(30)

    def _start(self, name: str, *options: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [str(self._root / "usr/sbin" / name), *options]
            self._daemons.append(
                subprocess.Popen(command, env=os.environ | self._environment, stdout=log, stderr=log)
            )

    def _ask(self, name: str, *options: str, **variables: str) -> str:
        command = [str(self._root / "usr/bin" / name), *options]
        environment = {**os.environ, **variables, **self._environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if name == "sbatch" and done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def sbatch(self, script: Path, *options: str, **variables: str) -> int:
        """Submit a job array; its number."""
        return int(
            self._ask(
                "sbatch", "--parsable", f"--output={self.folder}/%a.txt", *options, str(script), **variables
            )
        )

    def tasks(self, job: int) -> dict[int, tuple[str, int]]:
        """Task -> its state (``RUNNING``, ``COMPLETED``, ``FAILED``) and exit code."""
        pattern = re.compile(r"ArrayTaskId=(\d+) .*?JobState=(\w+).*?ExitCode=(\d+):")
        lines = map(pattern.search, self._ask("scontrol", "show", "job", str(job), "--oneliner").splitlines())
        return {int(line[1]): (line[2], int(line[3])) for line in lines if line}

    def wait(self, job: int, seconds: float) -> dict[int, tuple[str, int]]:
        """The same, when all of them have ended."""
        ended = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY")
        wait_for(
            lambda: (tasks := self.tasks(job)) and all(state in ended for state, _ in tasks.values()),
            seconds=seconds,
        )
        return self.tasks(job)
