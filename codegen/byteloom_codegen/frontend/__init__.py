"""From the text of a `.ksy` file to the resolved model, in passes, a module each.

yaml_tree          YAML with positions
outline            types, enums, ids: the names that anything may refer to
imports            the other files
attributes         fields, instances and parameters with their types
inference          types of expressions, and what the names in them refer to
expression_checks  every expression checked against what its place needs
style              names that are legal but better said otherwise

`byteloom_codegen.load` runs them, and all other modules serve one of them.
"""
