"""Lanescope from Python: the same program, its pictures and counts as objects that notebooks show.

    import lanescope
    lanescope.shot("transpose/tile", map="bank_conflicts")
    lanescope.trace("transpose/tile")
    lanescope.compare("transpose/naive", "transpose/tile")
    lanescope.page("transpose/tile", map="bank_conflicts")

and, after `%load_ext lanescope`, a cell that begins with `%%lanescope` holds a kernel, which is
executed and counted.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .tables import Page, Picture, Table

__all__ = ["LanescopeError", "Page", "Picture", "Table", "compare", "page", "program", "run", "shot",
           "trace"]


class LanescopeError(RuntimeError):
    """The program's error message, the cause and a suggested fix in one sentence each; `status` is its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status

    def _render_traceback_(self):  # notebooks show the sentence instead of a traceback
        return [str(self)]


def program():
    """The program's path: of the environment's LANESCOPE_PROGRAM, of this package, or on PATH."""
    here = pathlib.Path(__file__).resolve().parent
    candidates = [os.environ.get("LANESCOPE_PROGRAM"), here / "program/lanescope",
                  here.parent.parent / "lanescope",
                  *(root / "build/lanescope" for root in list(here.parents)[3:4]),
                  shutil.which("lanescope")]
    for candidate in candidates:
        if candidate and os.path.isfile(candidate):
            return str(candidate)
    raise LanescopeError("The program lanescope is not found. Install it, or name it in the "
                         "environment variable LANESCOPE_PROGRAM.", 3)


def run(*arguments, statuses=(0,)):
    """Calls the program and returns what it printed; any other exit status is a LanescopeError."""
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in statuses:
        raise LanescopeError(done.stderr.strip().removeprefix("lanescope: ") or
                             f"lanescope ended with status {done.returncode}.", done.returncode)
    # Warnings of the first run, or a note that nothing was validated.
    print(done.stderr, end="", file=sys.stderr)
    return done.stdout


def options(**given):
    """map="sectors", steps=3 → --map sectors --steps 3; True becomes a flag without a value, and a dict becomes one
    NAME=VALUE per entry."""
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, dict):
            for key, each in value.items():
                words += [option, f"{key}={each}"]
        else:
            words += [option, str(value)]
    return words


def shot(target=None, *, set=None, **given):
    """The picture that `lanescope shot TARGET` writes, byte for byte. Options are the command's:
    map="bank_conflicts", frame=30, size="640x360", session="talk.json", set={"size": 257}."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "picture.png"
        run("shot", *([target] if target else []), *options(set=set, **given), "-o", path)
        return Picture(path.read_bytes())


def page(*sources, height=900, set=None, **given):
    """The page that `lanescope page` makes, inline: it runs in the browser that shows the notebook, also
    where no Python runs. A source is a session or a lecture by its file's name, a Picture, or a variant,
    which is drawn as `shot` draws it with these options."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, source in enumerate(sources):
            drawn = pathlib.Path(folder) / f"{number}.png"
            if not isinstance(source, Picture) and os.path.isfile(source):
                files.append(source)
                continue
            (source if isinstance(source, Picture) else shot(source, set=set, **given)).save(drawn)
            files.append(drawn)
        made = pathlib.Path(folder) / "page.html"
        run("page", *files, "-o", made)
        return Page(made.read_text(encoding="utf-8"), height)


def trace(target, *, set=None, **given):
    """The counts of every site of a variant, as `lanescope trace` counts them: a Table."""
    return Table.of_trace(json.loads(run("trace", target, *options(set=set, **given), "--json")))


def compare(a, b, *, set=None, **given):
    """The totals of two variants side by side, and b over a."""
    traces = [json.loads(run("trace", each, *options(set=set, **given), "--json")) for each in (a, b)]
    return Table.of_totals(a, b, *(each["totals"] for each in traces))


def load_ipython_extension(shell):
    from .magic import LanescopeMagics
    shell.register_magics(LanescopeMagics)
