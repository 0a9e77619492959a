"""Rows of messages: fields go from a message's bytes into columns, without a Python object a field.

A `MessageForm` declares once which field of a message becomes which column, and how (`field_value`, `handle`,
`named` …). From it come a `FieldPlan`, by which a `FieldReader` stores the fields of one message in slots, and a
`RowPlan`, by which a `MessageTable` appends the slots to its columns. Fields without a column become JSON.

A `FieldReader` reads fields in the order of their numbers, as encoders write them. A message in another order is
decoded and encoded again in order (`MessageForm.in_order`), so every message takes the same way.

All tables of a Dota 2 match take four times as long if each message is decoded to a dict instead.
"""

from playhead.source2.message_rows.form import CellSource as CellSource
from playhead.source2.message_rows.form import MessageForm as MessageForm
from playhead.source2.message_rows.form import axes as axes
from playhead.source2.message_rows.form import called as called
from playhead.source2.message_rows.form import field_of_entity as field_of_entity
from playhead.source2.message_rows.form import field_value as field_value
from playhead.source2.message_rows.form import handle as handle
from playhead.source2.message_rows.form import name_of as name_of
from playhead.source2.message_rows.form import named as named
from playhead.source2.message_rows.form import not_negative as not_negative
from playhead.source2.message_rows.form import not_zero as not_zero
from playhead.source2.message_rows.form import own_columns as own_columns
from playhead.source2.message_rows.form import players as players
from playhead.source2.message_rows.form import short_names as short_names
from playhead.source2.message_rows.table import EntityNames as EntityNames
from playhead.source2.message_rows.table import MessageAppender as MessageAppender
from playhead.source2.message_rows.table import MessageTable as MessageTable
from playhead.source2.message_rows.table import RowPlan as RowPlan
