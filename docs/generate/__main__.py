"""Write the generated parts of README and of the pages, and the specification of each game: ``python docs/generate``. Tests check them."""

from __future__ import annotations

from parts import ROOT, written

for file, text in written().items():
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        print(file.relative_to(ROOT))
