"""Pages of ours in a real Chromium, by Playwright."""

import shutil

import pytest


class Browser:
    """A screen and a phone; what their pages complain of, and what they ask for."""

    def __init__(self, chromium):
        self.complaints, self.requests = [], []
        self.screen = self._page(chromium.new_context())
        self.phone = self._page(chromium.new_context(is_mobile=True))

    def _page(self, context):
        context.on("console", lambda message: self.complaints.append(message.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", lambda request: self.requests.append(request.url))
        return context.new_page()

    def open(self, address, width=1200, color_scheme="light"):
        """A loaded page, on the phone below 500 pixels."""
        page = self.phone if width < 500 else self.screen
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.goto("about:blank")  # the same page at another fragment would not load
        page.goto(address)
        return page


@pytest.fixture(scope="session")
def chromium():
    """The Chromium of this worker, which the marker ``browser`` has seen."""
    from playwright.sync_api import sync_playwright  # not needed by most tests

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield Browser(chromium)
        chromium.close()


@pytest.fixture
def browser(chromium):
    """The same for one test, which fails if a page complains."""
    chromium.complaints.clear()
    chromium.requests.clear()
    yield chromium
    assert not chromium.complaints, chromium.complaints
