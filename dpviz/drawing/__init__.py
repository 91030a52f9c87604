"""How anything is drawn: axes, marks, layers and scenes, on any frame; SVG is one of them."""
