"""Tests in a real Chromium, and what they share.

Which page
----------
`bridge`: widgets of this process on an empty page: `bridge.show(widget)`, act, `bridge.settle()`.
`bridge.keep(make)`: the same explorer for many tests of a file, as it began; it saves seconds.
`page`: a page of its own, for a server (`lab`, `server`) or a saved file (`saved`).
`screenshot`: `screenshot(page)` keeps a picture where SCREENSHOTS is set, as a failed test does.

Where to look
-------------
`picture` reads an explorer back and drives it, `saved` a saved page, `live` what the browser draws
by itself; `axe` says what is not accessible, `watch` what a page complains about.

How to wait
-----------
For a condition, never for a time: `bridge.until`, and in `wait` `eventually` and `until_still`;
`picture.come_to_rest` before a place on the page is measured.
"""
