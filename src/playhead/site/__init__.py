"""A web site of many matches: static pages that any web server shows without Python.

corpus ──► matches.py (in workers: report, facts, picture) ──► build.py ──► pages.py (lists, people, maps)
"""

from playhead.site.build import Site, build_site

__all__ = ["Site", "build_site"]
