"""Pictures of results: scenes and their layers, and SVG that needs no browser and no widget."""
