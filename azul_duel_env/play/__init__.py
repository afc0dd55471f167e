"""Playing: a game of people and agents (``session``), in the browser (``app``, ``page/``) and in the terminal (``terminal``)."""
