"""Sliders, menus, buttons."""
