"""What packages built on folkways may import: these modules and names stay as they are within a minor
version.

A package adds a command by the entry point ``folkways.commands``, benchmarks by ``folkways.benchmarks``,
models by ``folkways.endpoints``, and tables by ``workspace.TableSet``. folkways-studio is built on nothing
else.
"""
