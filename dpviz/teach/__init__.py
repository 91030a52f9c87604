"""Lessons: questions about pictures, data for each student, and checks of the answers."""

from dpviz.teach.ask import ask
from dpviz.teach.check import check, received
from dpviz.teach.lessons.registry import LESSONS, lesson
from dpviz.teach.on_screen import explore, play, predict
from dpviz.teach.question import data_for
from dpviz.teach.sentence import sentence

__all__ = ["LESSONS", "ask", "check", "data_for", "explore", "lesson", "play", "predict"]
__all__ += ["received", "sentence"]
