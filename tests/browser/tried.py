"""Shared by the browser tests: choice of browser, folder for pictures, and results."""
import argparse
import pathlib
import sys

from chromium import Chromium
from firefox import Firefox


class Tried:
    def __init__(self, pictures, prefix):
        self.pictures, self.prefix = pictures, prefix
        self.failed = self.checks = 0
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)

    def check(self, is_right, what):
        print(f"  {'ok    ' if is_right else 'FAILED'}  {what}", flush=True)
        self.checks += 1
        self.failed += not is_right

    def picture(self, browser, name):
        if self.pictures:
            browser.picture(self.pictures / f"{self.prefix}{name}.png")

    def end(self):
        print(f"{self.checks} checks, {self.failed} failed")
        sys.exit(1 if self.failed or not self.checks else 0)


def arguments(about):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("program", type=pathlib.Path, help="the desktop's")
    parser.add_argument("--browser", choices=("chromium", "firefox"), default="chromium")
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder to keep pictures in")
    chosen = parser.parse_args()
    print(chosen.browser, flush=True)
    browser = {"chromium": Chromium, "firefox": Firefox}[chosen.browser]
    return chosen.program.resolve(), browser, Tried(chosen.pictures, f"{chosen.browser}_")
