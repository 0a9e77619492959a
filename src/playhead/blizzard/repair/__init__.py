"""Damaged files: every member surveyed, members found by scanning, streams that go on after a gap."""
