"""The numbers and bytes that a module of the runtime spells out."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime/byteloom"


def literals(path: Path) -> set[object]:
    """Return the literals of a module, docstrings among them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)}
