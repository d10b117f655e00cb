"""The reference view: a spec as pages that people read who write in another language.

The rules all modules here obey:

- A page holds nothing that its spec does not say: no date, no version, no path of this machine.
- Text from a spec is text.  Templates escape all of it, for HTML and for Markdown, so that no spec
  can put markup, a script or a link of its own on a page; ``http(s)`` addresses alone become links.
- Pages need nothing but themselves: no network, no script.
- How bytes of an example divide into fields is not worked out here: whoever asks for pages hands in
  a function that asks the real parser (`examples.Annotate`).

prose      docs as blocks: paragraphs, lists, drawings
places     where each field of a record stands
wording    types, rules and sizes in words and KSY text
picture    a record's bytes as SVG
examples   vectors: loaded, annotated, as JSON
view       a spec as a page
emit       a page as Markdown and HTML
"""
