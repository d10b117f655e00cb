"""Reading and writing with methods whose calls of reader and writer are replaced by what they do.

A generated `read` says in one line per field what is taken, and a reader's method takes it: checks
that it is there, moves on, names the field in an error.  That is how it reads best; but such a call
takes three times as long as its work.  So once a process has read much of a format, the methods are
printed again with the work in place of the calls, compiled, and used for all further reading:

- What is printed knows no errors.  Whatever it meets that is not sound, it gives up, and the bytes
  are read again from their start by the methods as they were generated, which say what is wrong,
  and where.  Reading twice gives the same, so that nothing depends on which way was taken.
- It gives up wherever it is not sure: a limit that may be exceeded, a depth that may be too large.
- Whether bytes are there is compared once for a record, and not for each of its fields.

Writing is the same, by `write` methods: once much of a format was written, or read.

- What is printed puts bytes one after another.  It gives up where anything may be placed elsewhere,
  a window has more bytes than its fields, a value does not fit, a record is of a type that its
  field does not have, or a parameter differs from what is passed; then `write` is called.
- All methods that a record comes to are printed, or none of them.
- Trying changes nothing but references to the records around, which `write` sets as well.

    reading         when `read` is inlined, and how what was inlined is used
    sources         the methods of a record, and of all records that may be inside it
    calls           what stands in place of a reader's call
    properties      what stands in place of a property of the record
    statements      a method, with that in place of its calls
    printed         all of them, compiled

    writing         when `write` is inlined, and how what was inlined is used
    writes          the methods of a record, and the types of its fields
    puts            what stands in place of a writer's call
    put_values      what stands in place of calculations
    put_statements  a method, with both
    printed_writes  all of them, compiled
    sink            the writer of what was printed
"""
