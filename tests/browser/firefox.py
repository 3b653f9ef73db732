"""Firefox on a virtual screen, driven by WebDriver BiDi. Headless it has no WebGL without a graphics
card; on a screen, Mesa's software renderer gives it."""
import base64
import json
import pathlib
import re

from browser import Browser

KEYS = {" ": " ", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "PageUp": "\ue00e",
        "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Shift": "\ue008",
        "Control": "\ue009"}
PREFERENCES = {
    "webgl.force-enabled": True,
    "dom.w3c_touch_events.enabled": 1,
    # The page's main thread ends a BiDi touch: while it is busy, e.g. for 300 ms when a lab opens,
    # a tap would count as a long press, which buttons ignore.
    "apz.max_tap_time": 20000,
    "ui.click_hold_context_menus.delay": 20000,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox(Browser):
    def __init__(self, width=1280, height=720):
        super().__init__(width, height)

    def command(self):
        (self.folder / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in PREFERENCES.items()))
        width, height = self.size
        return ["env", "LIBGL_ALWAYS_SOFTWARE=1", "xvfb-run", "-a", "-s",
                f"-screen 0 {width + 200}x{height + 300}x24", "firefox-esr", "--no-remote",
                "--profile", str(self.folder), "--remote-debugging-port=0", "about:blank"]

    def address(self):
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)",
                          (self.folder / "log").read_text(errors="replace"))
        return found and found[1] + "/session"

    def begin(self):
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        width, height = self.size
        self.call("browsingContext.setViewport", context=self.context, devicePixelRatio=1,
                  viewport={"width": width, "height": height})

    def __exit__(self, *exception):
        if self.socket:
            try:
                self.call("browser.close")
                self.process.wait(20)  # xvfb-run, which otherwise leaves its display running
            except Exception:  # any way in which the connection ends
                pass
        super().__exit__(*exception)

    def note(self, method, what):
        if method == "log.entryAdded" and what["level"] in ("error", "warn"):
            self.complaints.append(what["text"])
        elif method == "network.beforeRequestSent":
            self.requests.append(what["request"]["url"])

    def navigate(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression):
        made = self.call("script.evaluate", awaitPromise=True, target={"context": self.context},
                         expression=f"Promise.resolve({expression}).then(it => JSON.stringify(it))")
        if made["type"] == "exception":
            raise RuntimeError(made["exceptionDetails"]["text"])
        return json.loads(made["result"].get("value", "null"))

    def _perform(self, *sources):
        self.call("input.performActions", context=self.context, actions=list(sources))

    def press_keys(self, held, key):
        value = KEYS.get(key, key.upper() if "Shift" in held else key)
        down = [KEYS[name] for name in held] + [value]
        self._perform({"type": "key", "id": "keyboard", "actions": [
            *({"type": "keyDown", "value": one} for one in down),
            *({"type": "keyUp", "value": one} for one in reversed(down))]})

    def _move(self, x, y):
        return {"type": "pointerMove", "x": round(x), "y": round(y)}

    def click(self, x, y):
        self._perform({"type": "pointer", "id": "mouse", "actions": [
            self._move(x, y), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]})

    def touch(self, moments):
        """Moves fingers through the positions [(x, y), …] of each moment, then lifts them."""
        sources = []
        for finger in range(len(moments[0])):
            places = [moment[finger] for moment in moments]
            actions = [self._move(*places[0]), {"type": "pointerDown", "button": 0},
                       {"type": "pause", "duration": 50}]
            for place in places[1:]:
                actions += [self._move(*place) | {"duration": 50}]
            sources.append({"type": "pointer", "id": f"finger {finger}",
                            "parameters": {"pointerType": "touch"},
                            "actions": [*actions, {"type": "pointerUp", "button": 0}]})
        self._perform(*sources)

    def drop(self, x, y, file):
        """Uses an event of the page, because BiDi cannot drag files."""
        letters = base64.b64encode(file.read_bytes()).decode()
        self.evaluate(f"""(() => {{
            const transfer = new DataTransfer();
            const bytes = Uint8Array.from(atob('{letters}'), letter => letter.charCodeAt(0));
            transfer.items.add(new File([bytes], '{file.name}'));
            document.elementFromPoint({x}, {y}).dispatchEvent(new DragEvent('drop',
                {{ dataTransfer: transfer, clientX: {x}, clientY: {y}, bubbles: true, cancelable: true }}));
        }})()""")

    def picture(self, file):
        made = self.call("browsingContext.captureScreenshot", context=self.context)
        pathlib.Path(file).write_bytes(base64.b64decode(made["data"]))
