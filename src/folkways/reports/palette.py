"""The colours of a report in its two themes, by the name of their CSS variable.

Paper and ink, one accent, one warning. Text has a contrast of 4.5:1 or more with the paper, marks of 3:1 or
more. Series also differ in shape and heat cells carry their number, so that nothing is said by colour alone.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#fdfcfa", "panel": "#f6f3ed", "ink": "#211f1c", "muted": "#68635a", "rule": "#e2ddd3", "strong-rule": "#b9b2a4",
    "accent": "#1d5b79", "accent-soft": "#e6eff3", "warn": "#8f4400", "warn-soft": "#fcf1e3", "good": "#22653f", "bad": "#9a2f2a",
    "series-1": "#1d5b79", "series-2": "#c2560f", "series-3": "#2c7a52", "series-4": "#8e4585", "series-5": "#7d6608",
    "series-6": "#5c6570",
    "heat-0": "#eef5f8", "heat-1": "#d2e2eb", "heat-2": "#b6cedc", "heat-3": "#98bbcd", "heat-4": "#79a7bd", "heat-5": "#5b92ac",
    "heat-6": "#387c98", "heat-7": "#1e6884", "heat-8": "#00546e", "heat-9": "#004155",
    "below-4": "#a94f0c", "below-3": "#d9803f", "below-2": "#f0b583", "below-1": "#fbe3cd", "level": "#f3efe8",
    "above-1": "#d2e2eb", "above-2": "#98bbcd", "above-3": "#5b92ac", "above-4": "#1e6884",
    "heat-light-ink": "#ffffff", "heat-dark-ink": "#211f1c",
}  # fmt: skip

DARK = {
    "paper": "#191816", "panel": "#22211e", "ink": "#ece8e1", "muted": "#a9a398", "rule": "#36342f", "strong-rule": "#5d5950",
    "accent": "#86c0dc", "accent-soft": "#1f2e36", "warn": "#f2b169", "warn-soft": "#33271a", "good": "#86cfa3", "bad": "#f0938c",
    "series-1": "#86c0dc", "series-2": "#f0a06a", "series-3": "#7cc79d", "series-4": "#d59bcd", "series-5": "#d6bd5c",
    "series-6": "#aab4c0",
    "heat-0": "#1e2326", "heat-1": "#253036", "heat-2": "#2c3e47", "heat-3": "#334c59", "heat-4": "#3a5c6c", "heat-5": "#426c80",
    "heat-6": "#4d8ba7", "heat-7": "#6ca5c1", "heat-8": "#94c2d9", "heat-9": "#c0dfef",
    "below-4": "#e39a55", "below-3": "#965722", "below-2": "#6b4422", "below-1": "#3d2c1e", "level": "#262522",
    "above-1": "#25363f", "above-2": "#34576a", "above-3": "#3a6c87", "above-4": "#8cc0da",
    "heat-light-ink": "#12191d", "heat-dark-ink": "#ece8e1",
}  # fmt: skip


def css_variables() -> str:
    """The two themes as style rules: by the reader's system, by the page's own switch, and always light on
    paper."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in theme.items()) for theme in (LIGHT, DARK)
    )
    return (
        f":root{{color-scheme:light;{light}}}@media screen and "
        f"(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}@media "
        f"screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    )
