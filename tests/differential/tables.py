"""All lines of all tables."""

import table_array
import table_families
import table_files
import table_flow
import table_layers
import table_math
import table_nn
import table_ops
import table_printing
import table_programs
import table_state
import table_variables
from programs import Entry

ENTRIES: list[Entry] = [
    *table_math.ENTRIES,
    *table_array.ENTRIES,
    *table_families.ENTRIES,
    *table_nn.ENTRIES,
    *table_flow.ENTRIES,
    *table_files.ENTRIES,
    *table_printing.ENTRIES,
    *table_programs.ENTRIES,
    *table_layers.ENTRIES,
    *table_state.ENTRIES,
    *table_variables.ENTRIES,
    *table_ops.entries(),
]
