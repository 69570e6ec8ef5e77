"""Running graphs: sessions, what is fed and fetched, and the timeline of a step."""
