"""A document as HTML, for browsers and programs that print HTML."""

from html import escape

from languages import RIGHT_TO_LEFT

FONTS = {
    "ar": "Noto Naskh Arabic",
    "he": "Noto Sans Hebrew",
    "zh": "WenQuanYi Micro Hei",
    "ja": "WenQuanYi Micro Hei",
    "ko": "WenQuanYi Micro Hei",
    "hi": "Noto Sans Devanagari",
    "th": "Noto Sans Thai",
}


def soft(text, options):
    """Soft hyphens in long words, where the tool has no patterns of hyphenation."""
    if not options.get("soft"):
        return escape(text)
    words = []
    for word in text.split(" "):
        if len(word) > 8 and word.strip(".,").isalpha():
            middle = len(word) // 2
            word = word[:middle] + "\u00ad" + word[middle:]
        words.append(word)
    return escape(" ".join(words))


def runs(block, options):
    out = []
    for run in block.runs:
        text = soft(run.text, options)
        out.append(
            {
                "text": text,
                "bold": f"<b>{text}</b>",
                "italic": f"<em>{text}</em>",
                "math": "",
                "link": f'<a href="{run.url}">{text}</a>',
                "note": f'<span class="note">{text}</span>',
            }[run.kind]
        )
    return "".join(out)


def block_html(block, options):
    if block.kind == "heading":
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if block.kind == "paragraph":
        return f"<p>{runs(block, options)}</p>"
    if block.kind == "list":
        tag = "ol" if block.ordered else "ul"
        return f"<{tag}>" + "".join(f"<li>{escape(item)}</li>" for item in block.items) + f"</{tag}>"
    if block.kind == "code":
        return f"<pre>{escape(block.text)}</pre>"
    if block.kind == "table":
        head, *rows = block.rows
        cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        border = ' border="1" cellspacing="0"' if options.get("ruled") else ""
        body = "".join(cells(row, "td") for row in rows)
        return f"<table{border}><thead>{cells(head, 'th')}</thead><tbody>{body}</tbody></table>"
    return ""


def margin_boxes(head, foot):
    """Running heads and feet by CSS."""
    foot = '"' + foot.replace("{page}", '" counter(page) "').replace("{pages}", '" counter(pages) "') + '"'
    top = f'@top-left {{ content: "{head}"; font-size: 9pt }}'
    return f"@page {{ {top} @bottom-center {{ content: {foot}; font-size: 9pt }} }} "


def page(document, options):
    """The whole page. Options: columns, ruled, stripes, soft, hyphens, size, family, style."""
    language = document.language
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    font = options.get("family") or FONTS.get(language, "Liberation Serif")
    style = f"body {{ font: {options.get('size', '11pt')} '{font}', 'DejaVu Sans'; }} "
    if options.get("columns"):
        style += f"main {{ columns: {options['columns']}; column-gap: 9mm; text-align: justify; }} "
    if options.get("hyphens"):
        style += "main { hyphens: auto; text-align: justify; } "
    if options.get("ruled"):
        style += "table { border-collapse: collapse; } td, th { border: 1px solid #444; padding: 2px 5px; } "
    else:
        style += "td, th { padding: 2px 10px 2px 0; text-align: left; } "
    if options.get("stripes"):
        style += "tr:nth-child(even) { background: #e4e4ea; } "
    style += options.get("style", "")
    body = "\n".join(block_html(block, options) for block in document.blocks)
    return f"""<!DOCTYPE html>
<html lang="{language}" dir="{direction}"><head><meta charset="utf-8"><title>{escape(document.title)}</title>
<style>{style}</style></head><body><h1>{escape(document.title)}</h1>
<main>{body}</main></body></html>
"""
