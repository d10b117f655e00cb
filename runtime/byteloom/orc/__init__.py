"""ORC files as their messages: footers, stripes and streams; pyarrow decodes columns.

    layout   `OrcLayout`: what is where in a file
    chunks   what is compressed, a chunk at a time
    weights  `StripeWeights`: what rows come to in memory
    view     `StripeView`: a file as one of its stripes

Source: https://orc.apache.org/specification/ORCv1/
"""
