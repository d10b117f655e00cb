"""The resolved spec: all that checks, templates and pages may see.

A `.ksy` file becomes one `Spec`.  In it every name is resolved (a type is the `TypeSpec` it names,
an enum the `EnumSpec`), every default applied (byte order, encoding), every expression parsed and
typed.  Nothing here knows Python output, Markdown or YAML.

The model covers the whole KSY language, whatever an output supports.
"""

from byteloom_codegen.location import Location
from byteloom_codegen.model.specs import (
    EndianSwitch,
    EnumMember,
    EnumSpec,
    Field,
    Instance,
    Member,
    Param,
    Repeat,
    Spec,
    TypeSpec,
    Valid,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.model.types import (
    AnyType,
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    Case,
    ContentsType,
    DataType,
    Delimiting,
    Endian,
    EnumType,
    FloatType,
    IntType,
    IoType,
    OpaqueType,
    Process,
    StrType,
    StructType,
    SwitchType,
    UserType,
)

__all__ = [
    "AnyType",
    "ArrayType",
    "BitsType",
    "BoolType",
    "BytesType",
    "Case",
    "ContentsType",
    "DataType",
    "Delimiting",
    "Endian",
    "EndianSwitch",
    "EnumMember",
    "EnumSpec",
    "EnumType",
    "Field",
    "FloatType",
    "Instance",
    "IntType",
    "IoType",
    "Location",
    "Member",
    "OpaqueType",
    "Param",
    "Process",
    "Repeat",
    "Spec",
    "StrType",
    "StructType",
    "SwitchType",
    "TypeSpec",
    "UserType",
    "Valid",
    "ValidKind",
    "ValueInstance",
]
