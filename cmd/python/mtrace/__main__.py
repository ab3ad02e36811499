"""Runs the command mtrace, as python -m mtrace."""
import os
import sys

from . import Failed, program


def main():
    """Replaces this process by the tool. Exits with a message if there is no tool; does not return."""
    try:
        path = program()
    except Failed as why:
        sys.exit("mtrace: %s" % why)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
