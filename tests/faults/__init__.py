"""What goes wrong outside of dpviz, in real processes, and what must be there afterwards.

| fault | test |
|---|---|
| kernel killed in an audit, in an undo, in an upload | `faults/test_kernel.py` |
| kernel restarted and cells run again; a cell run again | `faults/test_kernel.py` |
| two pages on one kernel | `faults/test_kernel.py` |
| page loaded again | `browser/test_live_lifecycle.py` |
| Ctrl-C in each long computation, in reading and in a report | `faults/test_interrupted.py` |
| Ctrl-C where a reader begins a thread | `faults/test_interrupted_reading.py` |
| Ctrl-C in a cell of a kernel | `faults/test_kernel.py` |
| Ctrl-C, a full disk or a read-only folder while a file is written | `faults/test_writing.py` |
| fork; eight threads on the same scores | `faults/test_shared.py` |
| a Dask worker lost in the first and in the second pass | `data/distributed/test_read_on_dask.py` |
| an upload cancelled or replaced while it is read | `widgets/upload/test_upload.py` |
"""
