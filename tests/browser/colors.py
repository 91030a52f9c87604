"""Colours as a browser gives them."""

import numpy as np


def contrast(one: list[int], two: list[int]) -> float:
    """Of two colours from 0 to 255, by WCAG 2.2."""

    def luminance(color: list[int]) -> float:
        share = np.array(color) / 255
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted([luminance(one), luminance(two)])
    return (high + 0.05) / (low + 0.05)
