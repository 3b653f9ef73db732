#!/usr/bin/python3
"""Longest time for which each lab's page is unresponsive in headless Chromium: the longest task while the lab
opens, and while it runs for five seconds. pauses.py FOLDER [LAB[:VARIANT[:name=value]]…]: FOLDER is a
site written by `lanescope page --site`."""
import pathlib
import sys
import time

from chromium import Chromium
from window import open_lab, serve

WATCH = """globalThis.tasks = [];
new PerformanceObserver(list => {
    for (const one of list.getEntries()) tasks.push(one.duration);
}).observe({ type: 'longtask', buffered: true });"""  # tasks of 50 ms or more


def longest(browser):
    return browser.evaluate("Math.max(0, ...tasks.splice(0))")


def main():
    address = serve(sys.argv[1])
    chosen = sys.argv[2:] or sorted(one.parent.name for one in pathlib.Path(__file__).parents[2].glob(
        "compute/labs/*/lab.json"))
    with Chromium() as browser:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        print(f"{'':32} opening ms   playing ms")
        for name in chosen:
            lab, variant, values = (name.split(":") + ["", ""])[:3]
            words = f"--lab {lab}" + (f" --variant {variant}" if variant else "")
            open_lab(browser, address, words + (f" --set {values}" if values else ""))
            opening = longest(browser)
            time.sleep(5)
            print(f"{name:32} {opening:10.0f} {longest(browser):12.0f}", flush=True)


main()
