"""`python -m bottega`: the command."""

from bottega.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
