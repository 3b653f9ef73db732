#!/usr/bin/python3
"""The lockstep machine alone in a browser: its row tests, and its speed with the interpreter and with
native code. machine.py FOLDER [--browser firefox]: FOLDER has rows_tests and machine_bench, as
built by `app/browser.sh rows_tests machine_bench`."""
import argparse
import pathlib
import re
import sys
import tempfile

from chromium import Chromium
from firefox import Firefox
from window import serve

PAGE = """<!doctype html><script>
var said = [], ended = null;
var Module = { print: line => said.push(line), printErr: line => said.push(line), onExit: is => { ended = is; },
               arguments: ARGUMENTS };
</script><script src="PROGRAM.js" async></script>"""


def run(browser, address, folder, program, *arguments):
    page = PAGE.replace("PROGRAM", program).replace("ARGUMENTS", str(list(arguments)))
    (folder / "index.html").write_text(page)
    browser.open("about:blank")
    browser.open(address)
    browser.wait_for("globalThis.ended !== null && globalThis.ended !== undefined", 600)
    return browser.evaluate("ended"), browser.evaluate("said")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--browser", choices=("chromium", "firefox"), default="chromium")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, {
            "chromium": Chromium, "firefox": Firefox}[chosen.browser]() as browser:
        folder = pathlib.Path(made)
        for name in ("rows_tests.js", "rows_tests.wasm", "machine_bench.js", "machine_bench.wasm"):
            (folder / name).symlink_to(chosen.folder.resolve() / name)
        address = serve(folder)
        print(chosen.browser, flush=True)
        print("\n".join(run(browser, address, folder, "machine_bench")[1]), flush=True)
        # WebAssembly only rounds to nearest.
        status, said = run(browser, address, folder, "rows_tests")
        print("\n".join(line for line in said if re.search(r"FAILED|Failure|PASSED|tests ran", line)))
        sys.exit(status)


main()
