"""Makes docs/show.png: `deltafold show` in the middle of the tour, as a terminal draws it.

    python3 docs/pictures/show.py DELTAFOLD [CHROMIUM]

The program runs on a pseudo-terminal and gets the first events of examples/streams/tour.sse at a steady pace. What it has drawn
then is set as HTML and photographed by a browser without a window.
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 92, 30
EVENTS = 32
COLOURS = {"1": "font-weight:bold;color:#fff", "2": "color:#8b93a1", "32": "color:#7ec97e", "33": "color:#e5c07b", "31;1": "color:#f07178;font-weight:bold", "36": "color:#6cc7d9"}
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #14171c; width: {width}px }}
pre {{ margin: 0; padding: 18px 22px; font: 15px/1.45 "DejaVu Sans Mono", "Noto Color Emoji", monospace; color: #d5dae3; white-space: pre }}
.line {{ color: #8b93a1 }}
</style><pre><span class="line">$</span> curl -N … | deltafold show
{text}</pre>"""


def main():
    program, browser = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "chromium"
    page = PAGE.format(text=paint(drawn(program)), width=900)
    height = 46 + 22 * (page.count("\n") - 5)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "page.html")
        source.write_text(page, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1.5"]
        command += [f"--user-data-dir={folder}/profile", f"--window-size=900,{height}"]
        command += [f"--screenshot={ROOT}/docs/show.png", source.as_uri()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def drawn(program):
    """The output of the program on its terminal after this many events."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    child = subprocess.Popen([program, "show", "-"], stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=environment)
    os.set_blocking(master, False)
    written = b""

    def read():
        nonlocal written
        try:
            while chunk := os.read(master, 65536):
                written += chunk
        except BlockingIOError:
            pass

    frames = (ROOT / "examples/streams/tour.sse").read_bytes().split(b"\n\n")
    for frame in frames[:EVENTS]:
        child.stdin.write(frame + b"\n\n")
        child.stdin.flush()
        time.sleep(0.04)
        read()
    time.sleep(0.3)
    read()
    child.kill()
    child.wait()
    return written.decode()


def paint(text):
    """The rows on the screen as HTML. Knows the sequences that the program writes, and no others."""
    rows, row, column = [[]], 0, 0
    style = ""
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z]|\r|\n)", text):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row += 1
            if row == len(rows):
                rows.append([])
        elif piece.startswith("\x1b["):
            value, kind = piece[2:-1], piece[-1]
            if kind == "m":
                style = COLOURS.get(value, "") if value != "0" else ""
            elif kind == "A":
                row -= int(value)
            elif kind == "K":
                del rows[row][column:]
            elif kind == "J":
                del rows[row][column:]
                del rows[row + 1 :]
            else:
                raise ValueError(f"not expected: {piece!r}")
        else:
            for char in piece:
                rows[row][column : column + 1] = [(style, char)]
                column += 1
    return "\n".join("".join(cell(*one) for one in line) for line in rows)


def cell(style, char):
    return f'<span style="{style}">{html.escape(char)}</span>' if style else html.escape(char)


if __name__ == "__main__":
    main()
