"""ORC files by their messages: footers, stripes and streams; pyarrow decodes the columns.

    layout   `OrcLayout`: the places of everything in a file
    chunks   compressed bytes, decompressed a chunk at a time
    weights  `StripeWeights`: the memory that rows need
    view     `StripeView`: a file as one of its stripes

Source: https://orc.apache.org/specification/ORCv1/
"""
