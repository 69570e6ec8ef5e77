"""Images: files, colours, sizes, geometry."""
