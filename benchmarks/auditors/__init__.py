"""Lower bounds on epsilon of published libraries, checked by `dpviz.testing.check_auditor`."""
