"""This room owns the files of ``playhead site``: static pages of many matches, which need no server of ours.

corpus ──► matches.py (in workers: report, facts, picture) ──► build.py ──► pages.py (lists, people, maps)
"""

from playhead.site.build import Site, build_site

__all__ = ["Site", "build_site"]
