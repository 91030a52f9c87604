"""What figures show, layer by layer; `dpviz.widgets.views` says which make which view."""
