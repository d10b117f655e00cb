"""The reference pages of a spec, for people who implement the format in another language.

The rules all modules here obey:

- A page has nothing that its spec does not say: no date, no version, no path of this machine.
- Text from a spec is text.  Templates escape all of it, for HTML and for Markdown, so that no spec
  can put markup, a script or a link of its own on a page; ``http(s)`` addresses alone become links.
- Pages are self-contained: no network, no script.
- How bytes of an example divide into fields is not determined here: callers pass a function that
  asks the real parser (`examples.Annotate`).

prose      docs as blocks: paragraphs, lists, drawings
places     where each field of a record is
words      pieces of text with markup
phrases    expressions in words, with truths, outlines, masks, idioms, stream_names
wording    types in words
sizing     sizes in words
ruling     rules in words
legend     what the words of a page mean
picture    a record's bytes as SVG
examples   vectors: loaded, annotated, as JSON
labels     names for the numbers of a dump
dumps      an example byte by byte
cycles     types that contain themselves
roles      what other fields follow from a field
rows       the rows of its tables
view       a spec as a page
emit       a page as Markdown and HTML
"""
