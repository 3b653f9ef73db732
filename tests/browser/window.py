#!/usr/bin/python3
"""The program in a browser: opens every lab's default variant, presses keys, drops files, touches the
screen, and compares the window's report with the expected state.
window.py PROGRAM [--browser firefox] [--pictures FOLDER]; LANESCOPE_BROWSER names the build."""
import functools
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import time

from tried import arguments

from browser import CTRL, SHIFT

FIRST_PICTURE_S = 60  # per lab, on a busy machine


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/index.html"


READ = "new TextDecoder().decode(program.FS.readFile('/report.json'))"
IS_THERE = "globalThis.program?.FS?.analyzePath('/report.json').exists ?? false"
SAVED = "program.FS.readdir('/saved').filter(name => name[0] != '.')"


def report(browser):
    return json.loads(browser.evaluate(READ))


def settles(browser, holds, seconds=30):
    until = time.time() + seconds
    while time.time() < until:
        if holds(report(browser)):
            return True
        time.sleep(0.2)
    return False


def at_rest(browser, value, seconds=30):
    """The value once it has been stable for a second, because input is processed frame by frame."""
    until = time.time() + seconds
    last, since = value(report(browser)), time.time()
    while time.time() < until and time.time() - since < 1:
        time.sleep(0.2)
        now = value(report(browser))
        if now != last:
            last, since = now, time.time()
    return last


def open_lab(browser, address, words):
    browser.open("about:blank")
    browser.open(f"{address}#{words} --report /report.json")
    begin = time.time()
    browser.wait_for(IS_THERE, FIRST_PICTURE_S)
    settles(browser, lambda state: not state["opening"], FIRST_PICTURE_S)
    return time.time() - begin


def middle(area):
    x, y, width, height = area
    return x + width / 2, y + height / 2


def keys(tried, browser, address):
    seconds = open_lab(browser, address, "--lab heat")
    tried.check(not browser.complaints, f"heat opens, {seconds:.1f} s, nothing on the console "
                                        f"{browser.complaints or ''}")
    tried.picture(browser, "heat_first")
    pressed = [
        ("h", 0, "a heatmap", lambda s: s["session"]["map"] != "off"),
        ("m", 0, "memory in the picture's place", lambda s: s["session"]["show"] == "memory"),
        ("c", SHIFT, "the source beside the picture", lambda s: s["layout"]["code"][2] > 0),
        ("a", 0, "two variants side by side", lambda s: s["side_by_side"]),
        ("l", 0, "the lesson", lambda s: s["layout"]["bottom"][3] > 0),
    ]
    for key, modifiers, what, holds in pressed:
        browser.press(key, modifiers)
        tried.check(settles(browser, holds), f"{'Shift ' if modifiers else ''}{key.upper()}: {what}")
        time.sleep(1)
        tried.picture(browser, f"heat_{key}")
    tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")


# Files saved by the window are offered as downloads; dropped on another window they open there, as
# does a picture drawn by the desktop program.
def files(tried, browser, address, program, folder):
    open_lab(browser, address, "--lab transpose --variant tile")
    browser.press("h")
    settles(browser, lambda state: state["session"]["map"] != "off")
    heatmap = report(browser)["session"]["map"]
    browser.evaluate("(globalThis.offered = [], URL.createObjectURL = (make => blob =>"
                     "(offered.push(blob.size), make(blob)))(URL.createObjectURL), 0)")
    browser.press("s", CTRL)
    browser.wait_for("offered.length", 30)
    session = folder / "saved.json"
    session.write_text(browser.evaluate(
        f"new TextDecoder().decode(program.FS.readFile('/saved/' + {SAVED}[0]))"))
    tried.check(browser.evaluate("offered.length == 1") and
                browser.evaluate("offered[0]") == session.stat().st_size and
                json.loads(session.read_text())["map"] == heatmap != "off",
                "Ctrl S: a session to download")
    picture = folder / "scan.png"
    subprocess.run([program, "shot", "scan", "--steps", "3", "-o", picture], check=True,
                   stdout=subprocess.DEVNULL)
    for file, what, holds in [
            (picture, "a picture of the desktop's opens when it is dropped",
             lambda s: s["session"]["lab"] == "scan"),
            (session, "so does the session",
             lambda s: s["session"]["lab"] == "transpose" and s["variant"] == "tile" and
             s["session"]["map"] == heatmap)]:
        if file == picture:
            open_lab(browser, address, "--lab heat")
        browser.drop(*middle(report(browser)["layout"]["picture"]), file)
        tried.check(settles(browser, holds), what)
    tried.picture(browser, "dropped")
    tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")


def touch(tried, browser, address):
    open_lab(browser, address, "--lab heat --variant naive --set size=256")
    x, y = middle(report(browser)["layout"]["picture"])

    def events(state):  # events of the session, including strokes
        return len(state["session"].get("events", []))

    before = events(report(browser))
    browser.touch([[(x - 100 + 10 * i, y)] for i in range(20)])
    tried.check(settles(browser, lambda s: events(s) > before), "a finger paints")
    tried.picture(browser, "touch_painted")

    def zoom(state):
        return state["session"]["zoom"]["factor"]

    painted = at_rest(browser, events)  # the stroke's last moves arrive after its first
    browser.touch([[(x - 20 - 10 * i, y), (x + 20 + 10 * i, y)] for i in range(12)])
    tried.check(settles(browser, lambda s: zoom(s) > 2), "two that part zoom in")
    tried.picture(browser, "touch_zoomed")
    large = zoom(report(browser))
    browser.touch([[(x - 120 + 8 * i, y), (x + 120 - 8 * i, y)] for i in range(12)])
    tried.check(settles(browser, lambda s: zoom(s) < large / 2), "and out when they meet")
    tried.check(at_rest(browser, events) == painted, "without painting")
    browser.press("h")
    settles(browser, lambda s: s["map_drawn"])
    browser.tap(x + 30, y + 20)
    tried.check(settles(browser, lambda s: s["hover"]), "a tap points: block, warp and counts")
    tried.picture(browser, "touch_pointed")
    tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")


def labs(tried, browser, address):
    names = sorted(pathlib.Path(one).parent.name for one in
                   pathlib.Path(__file__).parents[2].glob("compute/labs/*/lab.json"))
    tried.check(len(names) > 0, f"{len(names)} labs")
    for name in names:
        try:
            seconds = open_lab(browser, address, f"--lab {name}")
            state = report(browser)
            tried.check(state["session"]["lab"] == name and not browser.complaints,
                        f"{name}, {seconds:.1f} s {browser.complaints or ''}")
            time.sleep(1)
            tried.picture(browser, name)
        except RuntimeError as error:
            tried.check(False, f"{name}: {error}")


def pace(tried, browser, address):
    open_lab(browser, address, "--lab heat --variant naive --set size=256")
    begin, before = time.time(), report(browser)
    time.sleep(10)
    seconds, now = time.time() - begin, report(browser)
    steps, pictures = ((now[what] - before[what]) / seconds for what in ("steps", "pictures"))
    print(f"          heat 256²: {steps:.1f} steps, {pictures:.1f} pictures a second", flush=True)
    tried.check(steps > 0 and pictures > 0, "it runs")


def main():
    program, new_browser, tried = arguments(__doc__)
    with tempfile.TemporaryDirectory() as made, new_browser() as browser:
        folder = pathlib.Path(made)
        subprocess.run([program, "page", "--site", folder / "site"], check=True,
                       stdout=subprocess.DEVNULL)
        address = serve(folder / "site")
        keys(tried, browser, address)
        files(tried, browser, address, program, folder)
        touch(tried, browser, address)
        pace(tried, browser, address)
        labs(tried, browser, address)
    tried.end()


if __name__ == "__main__":
    main()
