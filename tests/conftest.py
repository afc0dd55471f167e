"""What all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows open where nobody sees them
os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # several test processes, each with torch on all cores, would wait for each other
