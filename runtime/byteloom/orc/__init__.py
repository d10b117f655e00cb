"""ORC files as their messages: footers, stripes and streams; pyarrow decodes columns.

    layout   `OrcLayout`: what is where in a file
    chunks   what is compressed, a chunk at a time

Source: https://orc.apache.org/specification/ORCv1/
"""
