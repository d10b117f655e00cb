"""Parameters of a walk, the same for all of its records: numbers, and bytes to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BoolType, BytesType, IntType, ValidKind
from byteloom_codegen.python.names import parameter_name
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import BytesVariable, Variable, variable_of
from byteloom_codegen.scanners.walk_numbers import unequal

if TYPE_CHECKING:
    from byteloom_codegen.model import Field, Param
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.variables import Environment
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot

__all__ = ["Parameters", "argument_type", "parameter", "take_given"]


class Parameters:
    """The parameters of a walk.

    given  the loop's arguments
    begun  the statements before the loop
    """

    def __init__(self, params: list[Param], here: Environment, frame: WalkFrame) -> None:
        """Let expressions *here* know them."""
        self.names = [parameter_name(each.name) for each in params]
        variables = [frame.name(each) for each in self.names]
        self.given: list[str] = []
        self.begun: list[Statement] = []
        for param, name in zip(params, variables, strict=True):
            if not isinstance(param.type, BytesType):
                self.given.append(f"{name}: int")
                here.members[param.name] = parameter(param, name)
                continue
            self.given.append(f"{name}: Any")
            base, size = frame.name(f"{name}_base"), frame.name(f"{name}_size")
            self.begun += WALK.lines("bytes_given", name=name, base=base, size=size)
            here.members[param.name] = BytesVariable(size, base=base)


def parameter(param: Param, name: str) -> Variable:
    """Return the variable *name* of expressions for a parameter that is a number."""
    if isinstance(param.type, BoolType):
        return Variable(name, 0, 1)
    found = variable_of(param, name, "") if isinstance(param.type, IntType) else None
    if found is None:
        raise NotScannableError(param.location, f"walks take no parameter that is a {param.type}")
    return found


def argument_type(param: Param) -> str:
    """Return the type of the value that a caller gives for a parameter."""
    return "bytes" if isinstance(param.type, BytesType) else "int"


def take_given(each: Field, spot: Spot, frame: WalkFrame) -> None:
    """Take bytes of a fixed size that a rule compares with a parameter."""
    wanted, size = _wanted(each, spot.here), _size(each)
    if wanted is None or size is None:
        reason = "bytes other than a fixed number of them that must equal a parameter"
        raise NotScannableError(each.location, reason)
    if spot.column is not None or "order" in each.loom:
        raise NotScannableError(each.location, "a column, or an order, of a parameter's bytes")
    at = frame.take_bytes(size)
    frame.within(*frame.refusing(f"{wanted.size} != {size}"))
    for test in unequal(at, wanted.base, size):
        frame.within(*frame.refusing(test))
    spot.here.members[each.name] = BytesVariable(str(size), spot.condition)


def _wanted(each: Field, here: Environment) -> BytesVariable | None:
    """Return the parameter that a field must be equal to."""
    valid = each.valid
    if valid is None or valid.kind is not ValidKind.EQ or not isinstance(valid.values[0], ast.Name):
        return None
    found = here.members.get(valid.values[0].id)
    return found if isinstance(found, BytesVariable) and found.base else None


def _size(each: Field) -> int | None:
    """Return the size of a field in bytes, if it is the same in all records."""
    if not isinstance(each.type, BytesType) or each.type.delimiting is None:
        return None
    delimiting = each.type.delimiting
    return None if delimiting.is_filled_up else literal(delimiting.size)
