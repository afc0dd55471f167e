"""The colours of Azul Duel, light and dark. No other module names a colour."""

from __future__ import annotations

from azul_duel_env.view.drawing import styles

LIGHT = styles.LIGHT | {
    "sun": "#fff3d1",
    "moon": "#e3e8f8",
    "plain": "#e9e4fb",
    "plain-ink": "#7b5fd6",
    "blue": "#1f62d0",
    "turquoise": "#0f9f92",
    "red": "#d6352f",
    "yellow": "#f4b71e",
    "black": "#262c36",
    "rim": "#262c36",
    "special": "#8a63e8",
    "on-tile": "#ffffff",
    "on-yellow": "#5c3d00",
    "pale-blue": "#d9e6fb",
    "pale-turquoise": "#cdefeb",
    "pale-red": "#fbdedc",
    "pale-yellow": "#fdefc6",
    "pale-black": "#d8dce3",
    "glyph-blue": "#1f62d0",
    "glyph-turquoise": "#0b857a",
    "glyph-red": "#c92d27",
    "glyph-yellow": "#a87800",
    "glyph-black": "#3d4552",
}
DARK = (
    LIGHT
    | styles.DARK
    | {
        "sun": "#3a311a",
        "moon": "#1f2740",
        "plain": "#2c2547",
        "plain-ink": "#b9a3ff",
        "blue": "#3b7ff0",
        "turquoise": "#1db5a6",
        "red": "#ec5049",
        "yellow": "#f6c03a",
        "black": "#07090c",
        "rim": "#7d899a",
        "special": "#9b78f5",
        "pale-blue": "#1a2f55",
        "pale-turquoise": "#0f3f3b",
        "pale-red": "#4a2124",
        "pale-yellow": "#463911",
        "pale-black": "#313945",
        "glyph-blue": "#7eaaf8",
        "glyph-turquoise": "#43cdbf",
        "glyph-red": "#f78a84",
        "glyph-yellow": "#f0bf45",
        "glyph-black": "#aab4c2",
    }
)
COLOURS = ("blue", "turquoise", "red", "yellow", "black")
