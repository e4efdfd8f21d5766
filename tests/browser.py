"""A real Chromium, driven by its own protocol: keys, clicks, screens and complaints."""

import asyncio
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

KEYS = {"Tab": 9, "Enter": 13, "ArrowDown": 40}
PATIENCE = 30.0  # seconds


class Browser:
    """One tab."""

    def __init__(self, url: str, runner: asyncio.Runner) -> None:
        from tornado.websocket import websocket_connect  # not all installations have it

        self.runner = runner
        self.socket = self._wait(lambda: websocket_connect(url, max_message_size=2**26))
        self.numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; keep the events between."""
        number = next(self.numbers)
        message = json.dumps({"id": number, "method": method, "params": params})
        self._wait(lambda: self.socket.write_message(message))
        while True:
            heard = json.loads(self._wait(lambda: self.socket.read_message()))
            if heard.get("id") == number:
                assert "error" not in heard, heard
                return heard["result"]
            self.events.append(heard)

    def _wait(self, start: Callable[[], Awaitable[Any]]) -> Any:
        async def inside() -> Any:
            return await asyncio.wait_for(start(), PATIENCE)

        return self.runner.run(inside())

    def close(self) -> None:
        """Hang up, and hear the other side do so."""

        async def inside() -> None:
            self.socket.close()
            while await asyncio.wait_for(self.socket.read_message(), PATIENCE):
                pass

        self.runner.run(inside())

    def open(self, url: str, width: int = 1200) -> None:
        """Go to a page and wait until it has loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.until(
            "document.readyState === 'complete' && location.href !== 'about:blank'"
        )

    def ask(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, script: str) -> None:
        """Wait for an expression to be true."""
        end = time.monotonic() + PATIENCE
        while not self.ask(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and release a key, or type one letter."""
        named = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS.get(key, 0)}
        text = {"Enter": "\r", "Tab": ""}.get(key, key if len(key) == 1 else "")
        extra = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def complaints(self) -> list[str]:
        """What the console and the policy have said."""
        kinds = (
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Runtime.consoleAPICalled",
        )
        return [json.dumps(one) for one in self.events if one.get("method") in kinds]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Where a headless Chromium listens, which the marker ``browser`` has seen."""
    folder = tmp_path_factory.mktemp("chromium")
    program = shutil.which("chromium")
    assert program is not None
    arguments = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--remote-debugging-port=0",
    )
    log = folder / "chromium.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [
                program,
                *arguments,
                f"--user-data-dir={folder / 'profile'}",
                "about:blank",
            ],
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        port = _port(folder / "profile" / "DevToolsActivePort")
        yield f"http://127.0.0.1:{port}/json"
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def browser(chromium):
    """A tab of its own for the tests of each module."""
    new = urllib.request.Request(f"{chromium}/new?about:blank", method="PUT")
    with urllib.request.urlopen(new) as answer:
        tab = json.load(answer)
    with asyncio.Runner() as runner:
        browser = Browser(tab["webSocketDebuggerUrl"], runner)
        for domain in ("Page", "Runtime", "Log"):
            browser.call(f"{domain}.enable")
        yield browser
        urllib.request.urlopen(f"{chromium}/close/{tab['id']}").close()
        browser.close()


def _port(file: Any) -> int:
    end = time.monotonic() + PATIENCE
    while not file.exists() or not file.read_text().strip():
        assert time.monotonic() < end, "the browser did not start"
        time.sleep(0.05)
    return int(file.read_text().split()[0])
