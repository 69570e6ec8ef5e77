"""All lines of all tables."""

import table_array
import table_families
import table_flow
import table_math
import table_nn
import table_ops
import table_programs
import table_state
from programs import Entry

ENTRIES: list[Entry] = [
    *table_math.ENTRIES,
    *table_array.ENTRIES,
    *table_families.ENTRIES,
    *table_nn.ENTRIES,
    *table_flow.ENTRIES,
    *table_programs.ENTRIES,
    *table_state.ENTRIES,
    *table_ops.entries(),
]
