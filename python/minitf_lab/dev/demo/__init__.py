"""Minitf at work: trainings with their pages.

    demo.py       ./lab demo: train.py trains mnist_cnn.py in both modes; a page shows it
    drawing.py    curves
    milestone.py  ./lab milestone: a training on what a student has written
"""
