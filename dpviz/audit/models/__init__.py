"""Many models: fleets, retraining, aggregation, the frontier."""
