"""All lines of all tables, and which public names they cover."""

import table_math
from programs import Entry

ENTRIES: list[Entry] = [*table_math.ENTRIES]
