"""Reading and writing with methods whose calls of reader and writer are replaced by what they do.

A generated `read` says in one line per field what is taken, and a reader's method takes it: checks
that it is there, moves on, names the field in an error.  That is how it reads best; but such a call
takes three times as long as its work.  So once a process has read much of a format, the methods are
printed again with the work in place of the calls, compiled, and used for all further reading:

- Printed methods report no errors.  They give up at anything that is not sound, and the bytes
  are read again from their start by the methods as they were generated, which say what is wrong,
  and where.  Reading twice gives the same, so that nothing depends on which way was taken.
- They give up wherever they are not sure: a limit that may be exceeded, a depth that may be too
  large.
- Whether enough bytes are left is checked once for a record, not for each of its fields.

Writing is the same, by `write` methods: once much of a format was written, or read.

- They put bytes one after another.  They give up where anything may be placed elsewhere,
  a window has more bytes than its fields, a value does not fit, a record is of a type that its
  field does not have, or a parameter differs from what is passed; then `write` is called.
- All methods that a record's method calls are printed, or none of them.
- Trying changes nothing but references to the records around, which `write` sets as well.

    reading         when `read` is inlined, and how what was inlined is used
    sources         the `read` methods of a record, and of all records that may be inside it
    calls           the code that replaces calls of a reader's methods
    properties      the expressions that replace properties of the record
    statements      a `read` method, printed with these replacements
    printed         all `read` methods of a record, printed and compiled

    writing         when `write` is inlined, and how what was inlined is used
    writes          the `write` methods of a record, and the types of its fields
    puts            the code that replaces calls of a writer's methods
    put_values      the expressions that replace calculations
    put_statements  a `write` method, printed with these replacements
    printed_writes  all `write` methods of a record, printed and compiled
    sink            the writer that printed methods use
"""
