"""The parts of the drawing of a state: ``draw.py`` beside this folder puts them together."""
