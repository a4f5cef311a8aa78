"""Plain words for rules, and the way back: English, traditional and simplified Chinese."""

from duly.recurrence.words.reading import Spoken, read
from duly.recurrence.words.saying import Language, say

__all__ = ["Language", "Spoken", "read", "say"]
