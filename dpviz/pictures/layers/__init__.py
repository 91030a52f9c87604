"""What pictures show, one layer a file; `dpviz.pictures.scenes` says which make which picture."""
