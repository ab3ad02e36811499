"""The tool itself: mtrace, or python -m mtrace."""
import os
import sys

from . import Failed, program


def main():
    try:
        path = program()
    except Failed as why:
        sys.exit("mtrace: %s" % why)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
