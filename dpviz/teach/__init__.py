"""Lessons: questions about pictures, data for each student, and checks of the answers."""

from dpviz.teach.check import Feedback, check, received
from dpviz.teach.duel import Duel
from dpviz.teach.lesson import Lesson, Prediction
from dpviz.teach.lessons.registry import LESSONS, lesson
from dpviz.teach.on_screen import explore, play, predict
from dpviz.teach.question import (
    Choice,
    Number,
    Picture,
    Property,
    Question,
    Report,
    StudentData,
    data_for,
)

__all__ = ["LESSONS", "Choice", "Duel", "Feedback", "Lesson", "Number", "Picture", "Prediction"]
__all__ += ["Property", "Question", "Report", "StudentData", "check", "data_for", "explore"]
__all__ += ["lesson", "play", "predict", "received"]
