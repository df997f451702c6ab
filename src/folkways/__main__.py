"""Where the command ``folkways`` begins (also: ``python -m folkways``): signals are taken over before anything slow is imported."""

from __future__ import annotations

import signal
import sys

from folkways.engine import interrupts


def main() -> None:
    """Run the command line. A signal ends it quietly, from the first import to the end of the process."""
    try:
        with interrupts.remembered():
            from folkways.cli.main import main as command_line

            command_line()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(interrupts.exit_code())
    finally:
        for number in interrupts.STOPS:  # threads may keep the process for a moment; whoever presses again wants no traceback
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    main()
