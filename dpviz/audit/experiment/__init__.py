"""The membership inference game, played by simulation."""
