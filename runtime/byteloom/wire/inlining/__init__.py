"""Reading with `read` methods whose calls of the reader are replaced by what these calls do.

A generated `read` says in one line per field what is taken, and a reader's method takes it: checks
that it is there, moves on, names the field in an error.  That is how it reads best; but such a call
takes three times as long as its work.  So once a process has read much of a format, the methods are
printed again with the work in place of the calls, compiled, and used for all further reading:

- What is printed knows no errors.  Whatever it meets that is not sound, it gives up, and the bytes
  are read again from their start by the methods as they were generated, which say what is wrong,
  and where.  Reading twice gives the same, so that nothing depends on which way was taken.
- It gives up wherever it is not sure: a limit that may be exceeded, a depth that may be too large.
- Whether bytes are there is compared once for a record, and not for each of its fields.

    reading     when methods are inlined, and how what was inlined is used
    sources     the methods of a record, and of all records that may be inside it
    calls       what stands in place of a reader's call
    statements  a method, with that in place of its calls
    printed     all of them, compiled
"""
