#!/usr/bin/python3
"""The program in headless Chromium: every lab's default variant is opened, keys are pressed as a user
does, and what the window reports of itself is compared with what was asked. window.py FOLDER [PICTURES]:
FOLDER is a site as `lanescope page --site` writes it."""
import functools
import http.server
import json
import pathlib
import sys
import threading
import time

from chromium import CTRL, SHIFT, Chromium

FIRST_PICTURE_S = 60  # of one lab, on a machine that does other things too
failed = 0


def check(is_right, what):
    global failed
    print(f"  {'ok    ' if is_right else 'FAILED'}  {what}", flush=True)
    failed += not is_right


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/index.html"


READ = "new TextDecoder().decode(program.FS.readFile('/report.json'))"
IS_THERE = "globalThis.program?.FS.analyzePath('/report.json').exists"


def report(browser):
    return json.loads(browser.evaluate(READ))


def settles(browser, holds, seconds=30):
    until = time.time() + seconds
    while time.time() < until:
        if holds(report(browser)):
            return True
        time.sleep(0.2)
    return False


def open_lab(browser, address, words):
    browser.open("about:blank")
    browser.open(f"{address}#{words} --report /report.json")
    begin = time.time()
    browser.wait_for(IS_THERE, FIRST_PICTURE_S)
    settles(browser, lambda state: not state["opening"], FIRST_PICTURE_S)
    return time.time() - begin


def keys(browser, address, pictures):
    seconds = open_lab(browser, address, "--lab heat")
    check(not browser.complaints, f"heat opens, {seconds:.1f} s, nothing on the console")
    if pictures:
        browser.picture(pictures / "heat_first.png")
    pressed = [
        ("h", 0, "a heatmap", lambda s: s["session"]["map"] != "off"),
        ("m", 0, "memory in the picture's place", lambda s: s["session"]["show"] == "memory"),
        ("c", SHIFT, "the source beside the picture", lambda s: s["layout"]["code"][2] > 0),
        ("a", 0, "two variants side by side", lambda s: s["side_by_side"]),
        ("l", 0, "the lesson", lambda s: s["layout"]["bottom"][3] > 0),
    ]
    for key, modifiers, what, holds in pressed:
        browser.press(key, modifiers)
        check(settles(browser, holds), f"{'Shift ' if modifiers else ''}{key.upper()}: {what}")
        time.sleep(1)
        if pictures:
            browser.picture(pictures / f"heat_{key}.png")
    browser.evaluate("globalThis.offered = []; URL.createObjectURL = (make => blob =>"
                     "(offered.push(blob.size), make(blob)))(URL.createObjectURL)")
    browser.press("s", CTRL)
    until = time.time() + 30
    while time.time() < until and not browser.evaluate("offered.length"):
        time.sleep(0.5)
    check(browser.evaluate("offered.length == 1 && offered[0] > 500"), "Ctrl S: a session to download")
    check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")


def labs(browser, address, pictures):
    open_lab(browser, address, "--lab heat")
    names = sorted(pathlib.Path(one).parent.name for one in
                   pathlib.Path(__file__).parents[2].glob("compute/labs/*/lab.json"))
    check(len(names) > 0, f"{len(names)} labs")
    for name in names:
        try:
            seconds = open_lab(browser, address, f"--lab {name}")
            state = report(browser)
            good = state["session"]["lab"] == name and not browser.complaints
            check(good, f"{name}, {seconds:.1f} s {browser.complaints or ''}")
            if pictures:
                time.sleep(1)
                browser.picture(pictures / f"{name}.png")
        except RuntimeError as error:
            check(False, f"{name}: {error}")


def pace(browser, address):
    open_lab(browser, address, "--lab heat --variant naive --set size=256")
    begin, before = time.time(), report(browser)["steps"]
    time.sleep(10)
    rate = (report(browser)["steps"] - before) / (time.time() - begin)
    print(f"          heat 256²: {rate:.1f} steps a second", flush=True)
    check(rate > 0, "it runs")


def main():
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    address = serve(sys.argv[1])
    with Chromium() as browser:
        keys(browser, address, pictures)
        pace(browser, address)
        labs(browser, address, pictures)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
