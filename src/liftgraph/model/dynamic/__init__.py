"""Models that change from day to day, as data."""
