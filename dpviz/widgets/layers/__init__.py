"""What figures show, one file per layer; `dpviz.widgets.views` says which layers make which view."""
