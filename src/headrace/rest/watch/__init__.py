"""Watches over HTTP: changes of stores on their way to those who follow them."""
