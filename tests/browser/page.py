#!/usr/bin/python3
"""Pages that `lanescope page` makes, opened from disk in headless Chromium: words that can be searched,
a still picture that comes to life when it is tapped, a lecture gone through by keys, and no request to
any address. page.py PROGRAM [PICTURES]; LANESCOPE_BROWSER names the build for browsers."""
import pathlib
import subprocess
import sys
import tempfile
import time

from chromium import Chromium

LECTURE = pathlib.Path(__file__).parents[2] / "assets/lectures/what_a_warp_pays.lecture"
failed = 0


def check(is_right, what):
    global failed
    print(f"  {'ok    ' if is_right else 'FAILED'}  {what}", flush=True)
    failed += not is_right


def is_found(browser, text):
    browser.evaluate("getSelection().removeAllRanges()")
    return browser.evaluate(f"find({text!r})")


def asks_nobody(browser):
    return all(one.startswith(("file:", "data:", "blob:")) for one in browser.requests)


# Differs from what it was, in so many seconds.
def changes(browser, folder, seconds=60):
    before, now = folder / "before.png", folder / "now.png"
    browser.picture(before)
    until = time.time() + seconds
    while time.time() < until:
        time.sleep(0.5)
        browser.picture(now)
        if now.read_bytes() != before.read_bytes():
            return True
    return False


def lives(browser):
    box = browser.evaluate("(() => { const r = document.querySelector('figure').getBoundingClientRect();"
                           "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, *box, button="left", clickCount=1)
    browser.wait_for("globalThis.program !== undefined", 90)


def sessions(browser, program, folder, pictures):
    picture = folder / "transpose.png"
    subprocess.run([program, "shot", "transpose/tile", "--map", "bank_conflicts", "-o", picture],
                   check=True, stdout=subprocess.DEVNULL)
    page = folder / "lesson.html"
    subprocess.run([program, "page", picture, "-o", page], check=True)
    size = page.stat().st_size / 1e6
    check(size <= 2.2, f"a page of a session: {size:.1f} MB")
    begin = time.time()
    browser.open(page.as_uri())
    browser.wait_for("document.querySelector('img')?.complete")
    print(f"          first picture after {time.time() - begin:.1f} s", flush=True)
    check(is_found(browser, "Matrix transpose"), "its words are found")
    lives(browser)
    check(changes(browser, folder), "it lives when it is tapped")
    time.sleep(3)
    if pictures:
        browser.picture(pictures / "page_session.png")
    check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")
    check(asks_nobody(browser), "no request to an address")


def lecture(browser, program, folder, pictures):
    page = folder / "lecture.html"
    subprocess.run([program, "page", LECTURE, "-o", page], check=True)
    browser.open(page.as_uri())
    browser.wait_for("document.querySelector('img')?.complete")
    titles = [line.split(":", 1)[1].strip() for line in LECTURE.read_text().splitlines()
              if line.startswith("beat:")]
    check(len(titles) > 0 and all(is_found(browser, title) for title in titles),
          f"{len(titles)} beats, each found by its title")
    browser.evaluate("scrollTo(0, 0)")
    lives(browser)
    time.sleep(5)
    for number in range(3):
        browser.press("PageDown")
        check(changes(browser, folder), f"PageDown {number + 1}: another picture")
    if pictures:
        browser.picture(pictures / "page_lecture.png")
    check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")
    check(asks_nobody(browser), "no request to an address")


def main():
    program = sys.argv[1]
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as made, Chromium() as browser:
        sessions(browser, program, pathlib.Path(made), pictures)
        lecture(browser, program, pathlib.Path(made), pictures)
    sys.exit(1 if failed else 0)


main()
