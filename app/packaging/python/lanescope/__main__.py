"""The console script: becomes the program that the package carries."""

import os
import subprocess
import sys

from . import LanescopeError, program


def main():
    try:
        path = program()
    except LanescopeError as error:
        sys.exit(f"lanescope: {error}")
    # `lanescope slide` calls back into this Python.
    os.environ.setdefault("LANESCOPE_PYTHON", sys.executable)
    if os.name == "nt":  # a process cannot become another there
        sys.exit(subprocess.run([path, *sys.argv[1:]]).returncode)
    os.execv(path, ["lanescope", *sys.argv[1:]])


if __name__ == "__main__":
    main()
