"""A process that outlives the death of the one that started it for as long as it takes to clean up."""

import os
import signal


def detach() -> None:
    """Go on in a child with a session of its own, and let this process end as that does, with the same exit
    code.

    What kills a worker often kills its children too, as Ray does, but not their children: those would go
    on and keep their GPUs. The child lives, finds its input closed, and ends them. To be called before
    any thread is begun.
    """
    child = os.fork()
    if child == 0:
        os.setsid()
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)
