"""``python -m byteloom``: the command line, where no script of it is on the path."""

from byteloom.cli import app

if __name__ == "__main__":
    app(prog_name="byteloom")
