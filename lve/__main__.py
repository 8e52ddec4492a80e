"""`python -m lve`."""

from lve.cli.main import main

if __name__ == "__main__":
    main()
