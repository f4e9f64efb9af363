"""A bar chart as SVG, with nothing but the standard library."""

import math
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, HEAD = 760, 250, 90, 18, 6, 34


def plot(path, panels) -> None:
    """Draws a panel per language: contenders and how many times the time of the first they take, on a logarithmic scale."""
    most = max((value for _, bars in panels for _, value in bars), default=10)
    decades = max(1, math.ceil(math.log10(most)))
    across = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * max(0.0, math.log10(max(value, 1))) / decades
    height = 58 + sum(HEAD + len(bars) * (BAR + GAP) for _, bars in panels)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        '<text x="14" y="24" font-size="16" fill="#222">Time per event, times that of deltafold (chat, one chunk per event; less is better)</text>',
    ]
    for decade in range(decades + 1):
        x = across(10**decade)
        out.append(f'<line x1="{x:.0f}" y1="36" x2="{x:.0f}" y2="{height - 20}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.0f}" y="{height - 6}" text-anchor="middle" fill="#666">{10**decade:,}×</text>')
    y = 36
    for language, bars in panels:
        out.append(f'<text x="14" y="{y + 22}" font-weight="bold" fill="#222">{escape(language)}</text>')
        y += HEAD
        for name, value in bars:
            ours = name in ("reader", "deltafold")
            label = "deltafold" if ours else name.replace("+", " + ")
            out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end" fill="#222">{escape(label)}</text>')
            out.append(f'<rect x="{LEFT}" y="{y}" width="{max(3, across(value) - LEFT):.0f}" height="{BAR}" fill="{"#2a7f62" if ours else "#9aa7b5"}"/>')
            shown = f"{value:.0f}" if value >= 20 else f"{value:.1f}"
            out.append(f'<text x="{max(LEFT + 3, across(value)) + 6:.0f}" y="{y + 13}" fill="#444">{shown}×</text>')
            y += BAR + GAP
    out.append("</svg>")
    path.write_text("\n".join(out) + "\n", encoding="utf-8")
