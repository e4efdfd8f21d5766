"""Entry point of ``python -m sigprop``, which is the same as the command ``sigprop``.

Ctrl-C is handled before any slow import, so that the command can be interrupted at
once.
"""

from sigprop.numerics.garbage import collect_seldom
from sigprop.numerics.interruption import interruptible


def main() -> None:
    """Run the command line."""
    collect_seldom()
    with interruptible():
        from sigprop.cli.main import app

        app()


if __name__ == "__main__":
    main()
