"""The command ``sigprop``, also as ``python -m sigprop``: it may be interrupted at once."""

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
