"""One file per naming convention of other tools."""
