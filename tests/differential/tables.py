"""All lines of all tables, and which public names they cover."""

import table_array
import table_math
import table_nn
from programs import Entry

ENTRIES: list[Entry] = [*table_math.ENTRIES, *table_array.ENTRIES, *table_nn.ENTRIES]
