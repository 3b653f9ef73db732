"""Runs a command with the program for Windows under Wine, or with this machine's."""
import os
import subprocess

WINDOWS = ["wine", os.environ["LANESCOPE_EXECUTABLE"]]
LINUX = [os.environ["LANESCOPE_PROGRAM"]]


def run(program, *words, **options):
    """Exit status, standard output and standard error, as bytes."""
    options.setdefault("timeout", 600)
    options.setdefault("stdin", subprocess.DEVNULL)
    ended = subprocess.run([*program, *words], capture_output=True, check=False, **options)
    return ended.returncode, ended.stdout, ended.stderr


def windows_path(path):
    """A file of this machine as Wine's programs name it."""
    return "Z:" + str(path).replace("/", "\\")
