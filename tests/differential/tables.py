"""All lines of all tables."""

import table_array
import table_flow
import table_layers
import table_math
import table_nn
import table_ops
import table_programs
import table_state
from programs import Entry

ENTRIES: list[Entry] = [
    *table_math.ENTRIES,
    *table_array.ENTRIES,
    *table_nn.ENTRIES,
    *table_flow.ENTRIES,
    *table_programs.ENTRIES,
    *table_layers.ENTRIES,
    *table_state.ENTRIES,
    *table_ops.entries(),
]
