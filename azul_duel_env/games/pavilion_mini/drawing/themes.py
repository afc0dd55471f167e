"""The colours of Azul Summer Pavilion Mini, light and dark. No other module names a colour."""

from __future__ import annotations

from azul_duel_env.view.drawing import styles

LIGHT = styles.LIGHT | {
    "disc": "#f3f5fa",
    "stone": "#e3e7ee",
    "stone-line": "#aab4c3",
    "gold": "#e9b949",
    "gold-line": "#5f4200",
    "on-light": "#3d2400",
    "on-dark": "#ffffff",
    "purple": "#5a2a8c",
    "green": "#16875a",
    "orange": "#f08a24",
    "yellow": "#fbd748",
    "blue": "#3f86ea",
    "red": "#b9192b",
    "pale-purple": "#e6dcf2",
    "pale-green": "#d3ecdf",
    "pale-orange": "#fce3c8",
    "pale-yellow": "#fdf3c4",
    "pale-blue": "#dae8fb",
    "pale-red": "#f8dadc",
    "glyph-purple": "#5a2a8c",
    "glyph-green": "#0f6b46",
    "glyph-orange": "#9a4f00",
    "glyph-yellow": "#7a5d00",
    "glyph-blue": "#1c5fc0",
    "glyph-red": "#b9192b",
    "glyph-stone": "#4b5666",
}
DARK = (
    LIGHT
    | styles.DARK
    | {
        "disc": "#232b38",
        "stone": "#2b3442",
        "stone-line": "#56637a",
        "gold": "#d9a938",
        "gold-line": "#3d2a00",
        "purple": "#7440b0",
        "green": "#1d9a68",
        "orange": "#f39237",
        "yellow": "#fbd95a",
        "blue": "#4a8cee",
        "red": "#cc2b3c",
        "pale-purple": "#33234a",
        "pale-green": "#143a2c",
        "pale-orange": "#462c12",
        "pale-yellow": "#433a12",
        "pale-blue": "#1b3154",
        "pale-red": "#471d24",
        "glyph-purple": "#c3a2ee",
        "glyph-green": "#5fd3a2",
        "glyph-orange": "#f9b36b",
        "glyph-yellow": "#f3d568",
        "glyph-blue": "#8cbaf9",
        "glyph-red": "#f58f99",
        "glyph-stone": "#b4bfce",
    }
)
