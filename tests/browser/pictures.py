#!/usr/bin/python3
"""Compares a picture of every lab saved by the browser build (S) with the desktop program's picture of
the same session: equal within the differences of two OpenGL implementations. pictures.py PROGRAM [--browser firefox]
[--pictures FOLDER]; LANESCOPE_BROWSER names the build. Both use the lockstep machine and software OpenGL."""
import base64
import pathlib
import shutil
import subprocess
import tempfile
import time

import numpy
from PIL import Image

from tried import arguments
from window import SAVED, open_lab, serve, settles

# OpenGL implementations sample the edges of lines and letters at slightly different positions. A
# pixel counts as different if no neighbour in the other picture is similar to it.
SLIGHT = 24 / 255  # per channel
MOST_DIFFERENT = 0.001  # share of pixels; drawings with many thin lines reach 0.0008
MOST_MEAN = 0.5 / 255  # over all channels
OPENS_WITH_FAULT = {"faults": "--variant sound"}


def pixels(file):
    return numpy.asarray(Image.open(file).convert("RGB"), dtype=numpy.float32) / 255


def unlike(a, b):
    around = numpy.pad(b, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width, _ = a.shape
    near = [around[y:y + height, x:x + width] for y in range(3) for x in range(3)]
    return ((a < numpy.minimum.reduce(near) - SLIGHT) |
            (a > numpy.maximum.reduce(near) + SLIGHT)).any(axis=2)


def of_browser(browser, address, name):
    open_lab(browser, address, f"--lab {name} {OPENS_WITH_FAULT.get(name, '')}")
    browser.press(" ")
    if not settles(browser, lambda state: state["paused"]):
        raise RuntimeError(f"{name} does not pause")
    time.sleep(1)
    browser.press("s")
    browser.wait_for(f"{SAVED}.length > 0", 60)
    time.sleep(1)
    return base64.b64decode(browser.evaluate(
        f"(() => {{ let letters = ''; for (const byte of program.FS.readFile('/saved/' + {SAVED}[0]))"
        "letters += String.fromCharCode(byte); return btoa(letters); })()"))


def main():
    program, new_browser, tried = arguments(__doc__)
    names = sorted(one.parent.name for one in
                   pathlib.Path(__file__).parents[2].glob("compute/labs/*/lab.json"))
    tried.check(len(names) > 0, f"{len(names)} labs")
    with tempfile.TemporaryDirectory() as made, new_browser() as browser:
        folder = pathlib.Path(made)
        subprocess.run([program, "page", "--site", folder / "site"], check=True,
                       stdout=subprocess.DEVNULL)
        address = serve(folder / "site")
        for name in names:
            file, drawn = folder / f"{name}.png", folder / f"{name}_desktop.png"
            try:
                file.write_bytes(of_browser(browser, address, name))
            except RuntimeError as error:
                tried.check(False, f"{name}: {error}")
                continue
            subprocess.run([program, "shot", "--session", file, "--device", "simt", "-o", drawn],
                           check=True, stdout=subprocess.DEVNULL)
            ours, theirs = pixels(drawn), pixels(file)
            if tried.pictures:
                shutil.copy(file, tried.pictures / f"{tried.prefix}{name}_saved.png")
                shutil.copy(drawn, tried.pictures / f"desktop_{name}_saved.png")
            if ours.shape != theirs.shape:
                tried.check(False, f"{name}: {theirs.shape} instead of {ours.shape}")
                continue
            different = float((unlike(ours, theirs) | unlike(theirs, ours)).mean())
            mean = float(numpy.abs(ours - theirs).mean())
            tried.check(different <= MOST_DIFFERENT and mean <= MOST_MEAN,
                        f"{name}: {100 * different:.3f} % of the pixels differ, all on average by "
                        f"{255 * mean:.3f} of 255")
    tried.end()


main()
