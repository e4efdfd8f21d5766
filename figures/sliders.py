"""Pictures of many choices, one beside the other in one page, moved by named sliders.

All pictures are drawn beforehand, so that the sliders move where nothing runs: in a page
that was saved, without a network, without a kernel.  Each slider has a name, its value
and buttons that step and play.
"""

import base64
import html
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from matplotlib.figure import Figure

DPI = 100
STYLE = (
    ".sliders label{display:inline-block;min-width:13em}"
    ".sliders input{vertical-align:middle;width:min(14em,50vw)}"
    ".sliders output{display:inline-block;min-width:4em;padding-left:.6em}"
    ".sliders img{max-width:100%;height:auto}"
)
SCRIPT = """
document.querySelectorAll(".sliders:not([data-ready])").forEach(box => {
  box.dataset.ready = "";
  const rows = [...box.querySelectorAll("fieldset")];
  const bars = rows.map(row => row.querySelector("input"));
  const lists = rows.map(row => JSON.parse(row.dataset.options));
  const pictures = [...box.querySelectorAll("img")];
  const show = () => {
    const place = bars.reduce((sum, bar, i) => sum * lists[i].length + +bar.value, 0);
    pictures.forEach((one, i) => { one.hidden = i !== place; });
    rows.forEach((row, i) => {
      row.querySelector("output").textContent = lists[i][bars[i].value];
    });
  };
  rows.forEach((row, i) => {
    const [back, on, play] = row.querySelectorAll("button");
    let timer = null;
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "play";
    };
    const step = by => {
      bars[i].value = (+bars[i].value + by + lists[i].length) % lists[i].length;
      show();
    };
    bars[i].addEventListener("input", () => { stop(); show(); });
    back.addEventListener("click", () => { stop(); step(-1); });
    on.addEventListener("click", () => { stop(); step(1); });
    play.addEventListener("click", () => {
      if (timer) return stop();
      play.textContent = "stop";
      timer = setInterval(() => step(1), 900);
    });
  });
  box.querySelector("form").hidden = false;
  show();
});
"""


class Sliders:
    """A grid of pictures with a slider an axis; shown by a notebook, or as text."""

    def __init__(
        self,
        draw: Callable[..., Figure],
        choices: Mapping[str, Sequence[Any]],
        start: Sequence[Any],
        instead: str,
    ) -> None:
        """Draw a picture of each combination.

        Args:
            draw: Called with one option of each choice, in their order.
            choices: Options by the name that their slider has.  Numbers increase or
                decrease from one end of the slider to the other.
            start: Option of each choice where its slider stands at first, which should
                show what the text speaks of.
            instead: Instruction below the sliders for pages where they do not move.

        Raises:
            ValueError: If there are no choices, a choice has no options, its numbers are
                not monotone, or ``start`` has no option of each.
        """
        if not choices or not all(choices.values()):
            raise ValueError("need a choice with an option at least, got none")
        self.choices = {name: tuple(options) for name, options in choices.items()}
        for name, options in self.choices.items():
            if not _is_monotone(options):
                raise ValueError(
                    f"need numbers that increase or decrease for {name!r}, got {options}"
                )
        self.start = tuple(start)
        if self.start not in itertools.product(*self.choices.values()):
            raise ValueError(f"need a start with an option of each choice, got {start}")
        self.instead = instead
        self.pictures = {
            chosen: _png(draw(*chosen))
            for chosen in itertools.product(*self.choices.values())
        }

    def _repr_html_(self) -> str:
        rows = "".join(
            _row(name, options, options.index(first))
            for (name, options), first in zip(
                self.choices.items(), self.start, strict=True
            )
        )
        images = "".join(
            f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}" '
            f'alt="{html.escape(self._description(chosen))}"'
            f"{'' if chosen == self.start else ' hidden'}>"
            for chosen, png in self.pictures.items()
        )
        return (
            f'<div class="sliders"><style>{STYLE}</style><form hidden>{rows}</form>'
            f"{images}<p><small>{html.escape(self.instead)}</small></p></div>"
            f"<script>{SCRIPT}</script>"
        )

    def __repr__(self) -> str:
        """In words, for where there is no page."""
        return f"{len(self.pictures)} pictures by {', '.join(self.choices)}"

    def _description(self, chosen: tuple[Any, ...]) -> str:
        pairs = zip(self.choices, chosen, strict=True)
        return ", ".join(f"{name} {option}" for name, option in pairs)


def _is_monotone(options: tuple[Any, ...]) -> bool:
    """True if options strictly increase or decrease, or are names, which have no order."""
    if any(isinstance(option, str) for option in options):
        return True
    rises = [after > before for before, after in itertools.pairwise(options)]
    falls = [after < before for before, after in itertools.pairwise(options)]
    return all(rises) or all(falls)


def _row(name: str, options: tuple[Any, ...], first: int) -> str:
    options_json = html.escape(json.dumps([str(option) for option in options]))
    label = html.escape(name)
    buttons = "".join(
        f'<button type="button" aria-label="{label}: {action}">{shown}</button>'
        for action, shown in (("back", "‹"), ("on", "›"), ("play", "play"))
    )
    return (
        f'<fieldset data-options="{options_json}" style="border:0;padding:0;margin:.2em 0">'
        f'<label>{label}</label><input type="range" min="0" max="{len(options) - 1}" '
        f'value="{first}" aria-label="{label}">{buttons}'
        f"<output>{html.escape(str(options[first]))}</output></fieldset>"
    )


def _png(figure: Figure) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=DPI)
    return stream.getvalue()
