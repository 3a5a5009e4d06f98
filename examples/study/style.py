"""What all pictures of the study have in common: fonts, colours, how they are written."""

import dataclasses
import io
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

plt.rcParams.update({
    "font.size": 9, "axes.titlesize": 10, "axes.labelsize": 9, "legend.fontsize": 8.5, "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True, "figure.dpi": 110, "savefig.dpi": 110,
    "svg.hashsalt": "study",
})


@dataclasses.dataclass
class Picture:
    path: str
    title: str
    caption: str
    system: str = ""  # that it is of, if of one
    published: bool = False  # whether --publish copies it


def save(figure, folder, name):
    """Writes a PNG of 256 colours, which takes a third of the bytes, and closes the figure. Returns its path."""
    path = os.path.join(folder, name + ".png")
    whole = io.BytesIO()
    figure.savefig(whole, format="png")
    plt.close(figure)
    whole.seek(0)
    with Image.open(whole) as image:
        few = image.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
    return path


def shown(seconds):
    """A time with two digits, and three from 10 on."""
    unit, value = ("s", seconds) if seconds >= 0.0995 else ("ms", 1e3 * seconds)
    digits = 2 if value < 0.995 else 1 if value < 9.95 else 0
    return f"{value:.{digits}f} {unit}"


def file_name(text):
    return "".join(c if c.isalnum() else "-" for c in text.lower())
