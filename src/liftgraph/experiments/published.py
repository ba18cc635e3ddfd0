"""Query times of the paper's own implementation, to be drawn beside ours.

They are milliseconds per query of lifted variable elimination on the output of ACP and of α-ACP,
by domain size d. They were read off the paper's plots, whose axis of time is logarithmic, and are
off by about 2 %.
"""

from __future__ import annotations

SHARES = (0.01, 0.05, 0.1, 0.15)
SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
MEAN = "mean over p"
MILLISECONDS: dict[str | float, dict[str, tuple[float, ...]]] = {
    MEAN: {
        "alpha-acp": (18.3, 19.2, 19.7, 19.1, 20.5, 20.4, 22.2, 23.0, 27.3, 31.0),
        "acp": (18.1, 21.7, 27.0, 34.1, 57.7, 116.8, 233.0, 561.6, 1844.7, 5361.4),
    },
    0.01: {
        "alpha-acp": (18.3, 19.2, 20.4, 18.9, 21.2, 19.7, 22.4, 22.9, 28.4, 30.7),
        "acp": (17.8, 18.9, 19.9, 21.8, 23.2, 38.9, 51.2, 66.4, 89.7, 184.3),
    },
    0.05: {
        "alpha-acp": (19.0, 18.8, 18.8, 18.5, 22.1, 21.0, 22.4, 23.0, 28.1, 31.3),
        "acp": (18.8, 21.9, 23.6, 24.8, 40.7, 66.6, 102.3, 173.3, 441.6, 992.4),
    },
    0.1: {
        "alpha-acp": (18.3, 18.8, 18.9, 19.4, 19.0, 20.3, 22.3, 23.7, 27.0, 30.2),
        "acp": (17.9, 21.4, 28.8, 38.6, 73.6, 129.1, 243.2, 562.8, 1506.6, 3861.4),
    },
    0.15: {
        "alpha-acp": (17.7, 20.0, 20.5, 19.8, 19.8, 20.7, 21.7, 22.4, 25.6, 31.7),
        "acp": (17.9, 24.7, 35.7, 51.2, 93.1, 232.7, 534.9, 1442.8, 5339.0, 16400.8),
    },
}
