"""Make the results that a figure needs, and draw it; the way in for command lines."""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from sigprop.experiments import store
from sigprop.figures import catalogue, style
from sigprop.numerics.files import require_folder


def make_and_draw(
    name: str,
    panel: str | None = None,
    preset: str | None = None,
    force: bool = False,
    formats: Iterable[str] | None = None,
    into: Path | None = None,
    caption: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Draw a figure from the best stored results; run what is missing; return the files.

    Args:
        name: A key of ``sigprop.figures.catalogue.entries``.
        panel: One of the figure's panels; all of them if left out.
        preset: One of ``store.PRESETS``, or ``full`` where a study has it; by default
            the largest stored one of each study, or ``quick``.
        force: Whether to run the studies again although their results are stored.
        formats: Some of ``pdf``, ``png`` and ``svg``; the first two if left out.
        into: Folder for the files; ``sigprop.figures.style.folder()`` if left out.
        caption: Whether to draw the words of ``NAME.md`` below the panels, too.
        progress: Called with lines of text.

    Raises:
        ValueError: If a name, a panel, a preset or a format is unknown, ``force`` comes
            without a preset, or a stored file is damaged.
        OSError: If a file cannot be written.
    """
    from sigprop.experiments import command, statuses  # which read the rows

    if force and preset is None:
        raise ValueError(
            "need --preset smoke, quick or paper with --force, got none; add it, or "
            "leave --force out to draw what is stored"
        )
    entry, kinds = catalogue.entry(name), catalogue.require_formats(formats)
    chosen = {
        study: preset or command.best(study) or "quick" for study in entry.needs(panel)
    }
    require_folder(into or style.folder())
    require_folder(store.folder())
    results = {
        study: store.read(command.make(study, size, force, progress))
        for study, size in chosen.items()
    }
    origins = ", ".join(f"{study} ({size})" for study, size in chosen.items())
    progress(f"{name} is drawn from {origins}")
    verdicts = statuses.current(entry.rows)
    return catalogue.draw_and_save(
        name, results, panel, into, formats=kinds, verdicts=verdicts, caption=caption
    )


def main(name: str) -> None:
    """Command line of one figure: ``python figures/lru_9.py [--preset PRESET] ...``."""
    file = f"{name.replace('-', '_')}.py"
    entry = catalogue.entry(name)
    parser = argparse.ArgumentParser(f"python figures/{file}", None, entry.title)
    parser.add_argument("--panel", choices=entry.panels, help="draw this panel only")
    parser.add_argument(
        "--preset",
        choices=(*store.PRESETS, store.FULL),
        help="size of the results (default: the largest stored one, else quick)",
    )
    parser.add_argument(
        "--force", action="store_true", help="run the studies although they are stored"
    )
    parser.add_argument(
        "--format",
        choices=catalogue.FORMATS,
        action="append",
        help="may be repeated (default: pdf and png)",
    )
    parser.add_argument("--into", type=Path, help="folder for the files")
    parser.add_argument(
        "--caption", action="store_true", help="draw the caption below the panels, too"
    )
    asked = parser.parse_args()
    from sigprop.numerics.interruption import interruptible

    with interruptible():
        try:
            files = make_and_draw(
                name,
                asked.panel,
                asked.preset,
                asked.force,
                asked.format,
                asked.into,
                asked.caption,
                lambda line: print(line, file=sys.stderr),
            )
        except (ValueError, OSError) as error:
            sys.exit(f"error: {error}")
    print(*files, sep="\n")
