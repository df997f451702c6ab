"""The process that llama.cpp runs in, so that neither Ctrl-C nor a crash of native code takes folkways with
it.

It reads one line of JSON (model, context, slots, threads), answers with one (url or error), and ends when its
input ends: with the process that started it, however that ends. llama.cpp's own messages go to standard
error.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module


def main() -> None:
    """Serve one model on a free port of the loopback address until standard input is closed."""
    wanted = json.loads(sys.stdin.readline())
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what native code may print is not the answer
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = wanted["model"]
    params.n_ctx = wanted["context"] * wanted["slots"]  # which the slots share out among them
    params.n_parallel = wanted["slots"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = wanted["threads"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    try:
        server = xllamacpp.Server(params)
    except Exception as error:  # noqa: BLE001 - whatever the library raises, the other process says it
        reply = {"error": str(error)}
    else:
        reply = {"url": server.listening_address}
    answer.write(json.dumps(reply) + "\n")
    answer.flush()
    sys.stdin.read()
    os._exit(0)  # at once, also in the middle of a reply that nobody waits for any more


if __name__ == "__main__":
    main()
