"""Lessons: questions about pictures, data for each student, and checks of the answers."""

from dpviz.teach.ask import ask
from dpviz.teach.check import check, received
from dpviz.teach.duel import play
from dpviz.teach.games.registry import game
from dpviz.teach.lessons.registry import LESSONS, lesson
from dpviz.teach.on_screen import explore, predict
from dpviz.teach.question import data_for
from dpviz.teach.sentence import sentence
from dpviz.teach.slides import slides

__all__ = ["LESSONS", "ask", "check", "data_for", "explore", "game", "lesson", "play", "predict"]
__all__ += ["received", "sentence", "slides"]
