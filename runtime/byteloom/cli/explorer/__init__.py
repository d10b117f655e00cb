"""A page that shows a file's fields and its bytes side by side.

`document` is what the page shows, `page` the page itself with all that it needs, `server` serves it
to one person on this machine.
"""
