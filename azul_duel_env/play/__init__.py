"""Playing: a game of people and agents (``session``), in the browser (``server``, ``page/``) and in the terminal (``terminal``)."""
