"""Browser operations for the tests: open pages, press keys, touch the screen, take pictures, and
collect console messages and exceptions. Implemented by chromium.py and firefox.py."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

import websocket

SHIFT, CTRL = 8, 2


class Browser:
    def __init__(self, width, height):
        self.size = (width, height)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lanescope-browser-"))
        self.socket = None
        self.number = 0
        self.complaints = []  # console messages and exceptions
        self.requests = []  # URLs
        self.log = (self.folder / "log").open("wb")
        self.process = subprocess.Popen(self.command(), stdout=self.log, stderr=self.log)
        try:
            self.socket = websocket.create_connection(self._address(), timeout=120, max_size=None,
                                                      suppress_origin=True)
            self.begin()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _address(self):
        until = time.time() + 90
        while time.time() < until and self.process.poll() is None:
            if found := self.address():
                return found
            time.sleep(0.1)
        raise RuntimeError(f"{self.command()[0]} does not start: "
                           f"{(self.folder / 'log').read_text(errors='replace')[-500:]}")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer.get('message', answer['error'])}")
                return answer["result"]
            self.note(answer.get("method"), answer.get("params", {}))

    def open(self, address):
        self.complaints, self.requests = [], []
        self.navigate(address)

    def wait_for(self, expression, seconds=60):
        until = time.time() + seconds
        while not self.evaluate(expression):
            if time.time() > until:
                raise RuntimeError(f"not within {seconds} s: {expression}; {self.complaints}")
            time.sleep(0.05)

    def press(self, key, modifiers=0):
        """Presses a key with modifiers, each as a separate event, like a keyboard."""
        held = [name for name, bit in (("Shift", SHIFT), ("Control", CTRL)) if modifiers & bit]
        self.press_keys(held, key)

    def tap(self, x, y):
        self.touch([[(x, y)]])
