"""Published deployments of differential privacy."""
