"""What is wrong with the manual pages: collected, and printed together at the end."""

found = []


def problem(where, text):
    found.append(f"{where}: {text}")
