"""The table as SVG, piece by piece: ``draw.picture`` puts it together."""
