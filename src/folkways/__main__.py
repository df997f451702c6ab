"""Where the command ``folkways`` begins (also: ``python -m folkways``): signals are taken over before
anything slow is imported.

Code above ``main`` runs before Ctrl-C is handled, so that only ``sys`` is imported there.
"""

from __future__ import annotations

import sys

INTERRUPTED = "\nInterrupted.\n"


def main() -> None:
    """Run the command line. A signal ends it quietly, from the first import to the end of the process."""
    try:
        import signal

        from folkways.engine import interrupts
    except KeyboardInterrupt:
        sys.stderr.write(INTERRUPTED)
        sys.exit(130)
    try:
        with interrupts.remembered():
            from folkways.cli.main import main as command_line

            command_line()
    except KeyboardInterrupt:
        interrupts.leave()
    finally:
        # threads may keep the process for a moment; a second press must not give a traceback
        for number in interrupts.STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    main()
