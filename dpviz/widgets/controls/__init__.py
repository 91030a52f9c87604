"""Sliders, menus and buttons of the views."""
