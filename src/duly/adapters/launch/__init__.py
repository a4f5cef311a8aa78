"""Starts programs whose whole tree dies with this node, and proves that a tree is dead."""
