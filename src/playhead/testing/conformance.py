"""The promises of every format, as checks that any format can run.

A third party's test, for a format that is installed through the entry point group ``playhead.formats``:

    import pytest
    from playhead.testing.conformance import PROMISES, Subject

    @pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
    def test_promise(promise, tmp_path):
        promise(Subject.sample("toy", tmp_path))

Each promise is a function that raises AssertionError with the difference. The subject is a small sound recording
(it is read dozens of times) with rows in every table; `Subject.sample` uses the one that the format's
``write_sample`` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playhead.testing.damage import a_cut_recording_says_so, damage_gives_typed_errors_only
from playhead.testing.events import (
    a_moment_is_named_in_many_ways,
    events_are_chosen_by_kind,
    events_are_in_time_order,
    moments_have_one_shape,
    moments_that_are_not_there_are_refused,
)
from playhead.testing.replays import (
    a_replay_closes,
    a_replay_pickles,
    a_sound_recording_has_no_problems,
    capabilities_are_kept,
    is_recognised_by_its_content,
    opening_is_lazy,
    the_sample_is_deterministic,
    threads_get_what_one_would,
)
from playhead.testing.subject import Subject
from playhead.testing.tables import (
    a_table_alone_is_the_same,
    batches_are_the_table,
    chat_has_names,
    columns_are_of_the_vocabulary,
    info_is_typed,
    players_are_typed,
    players_of_tables_are_known,
    schemas_are_versioned_and_documented,
    seconds_are_ticks_by_the_rate,
    shared_tables_are_the_same_in_every_format,
    tables_are_as_promised,
    what_is_exported_is_the_table,
    what_is_never_null_is_not,
)

__all__ = ["PROMISES", "Subject"]

#: Every promise; each takes a `Subject` and raises AssertionError.
PROMISES: tuple[Callable[[Subject], Any], ...] = (
    is_recognised_by_its_content,
    info_is_typed,
    players_are_typed,
    schemas_are_versioned_and_documented,
    shared_tables_are_the_same_in_every_format,
    columns_are_of_the_vocabulary,
    tables_are_as_promised,
    players_of_tables_are_known,
    chat_has_names,
    what_is_never_null_is_not,
    seconds_are_ticks_by_the_rate,
    a_table_alone_is_the_same,
    batches_are_the_table,
    a_sound_recording_has_no_problems,
    opening_is_lazy,
    events_are_in_time_order,
    events_are_chosen_by_kind,
    a_moment_is_named_in_many_ways,
    moments_have_one_shape,
    moments_that_are_not_there_are_refused,
    a_replay_pickles,
    a_replay_closes,
    threads_get_what_one_would,
    capabilities_are_kept,
    what_is_exported_is_the_table,
    a_cut_recording_says_so,
    damage_gives_typed_errors_only,
    the_sample_is_deterministic,
)
