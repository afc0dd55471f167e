"""Make the font of the pictures anew: a part of DejaVu Sans Condensed under another name, as its licence asks.

``python tests/support/fonts.py FOLDER``, where FOLDER has the files of DejaVu 2.37, such as that of Debian's package fonts-dejavu-extra.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from places import ROOT

FAMILY = "Azul Duel Sans"
OUT = ROOT / "azul_duel_env" / "view" / "fonts"
WEIGHTS = {"DejaVuSansCondensed.ttf": ("Regular", 400), "DejaVuSansCondensed-Bold.ttf": ("Bold", 700)}
CHARACTERS = [
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),  # Latin letters of Europe
    *range(0x386, 0x3CF),  # Greek
    *range(0x400, 0x460),  # Cyrillic
    *(0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2026, 0x2190, 0x2192, 0x2212),
]


def make(folder: Path, name: str) -> None:
    weight, number = WEIGHTS[name]
    options = subset.Options(hinting=False, layout_features=["kern"], notdef_outline=True, name_IDs=["*"])
    options.drop_tables += ["FFTM"]
    font = subset.load_font(str(folder / name), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    rename(font, weight, number)
    font.recalcTimestamp = False
    font.save(OUT / f"AzulDuelSans-{weight}.ttf")


def rename(font: TTFont, weight: str, number: int) -> None:
    plain = FAMILY.replace(" ", "")
    names = {1: FAMILY, 2: weight, 3: f"{plain}-{weight}", 4: f"{FAMILY} {weight}", 6: f"{plain}-{weight}"}
    table = font["name"]
    table.names = [record for record in table.names if record.nameID in (0, 5, 13, 14)]
    for name_id, value in names.items():
        table.setName(value, name_id, 3, 1, 0x409)
    font["OS/2"].usWidthClass = 5
    font["OS/2"].usWeightClass = number


if __name__ == "__main__":
    for file in WEIGHTS:
        make(Path(sys.argv[1]), file)
