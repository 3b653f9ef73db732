"""`lanescope slide`: turns sessions into a talk, one slide per session: .pptx for PowerPoint and LibreOffice, .md for
reveal.js, .tex for Beamer. The program first draws the pictures into the talk's folder, then runs this module."""

import argparse
import json
import pathlib
import struct
import sys
import urllib.parse
import zlib

from . import LanescopeError


def session_in(png):
    """The session that a picture of the program holds."""
    place = 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind == b"iTXt":
            keyword, rest = png[place + 8:place + 8 + length].split(b"\0", 1)
            if keyword == b"lanescope":
                packed, text = rest[0], rest[2:].split(b"\0", 2)[2]
                return json.loads(zlib.decompress(text) if packed else text)
        place += 12 + length
    raise LanescopeError("The picture holds no session.", 3)


def titles(file):
    """(lab, variant) -> (the lab's title, the variant's title, its idea)."""
    return {(lab, variant): (title, name, idea)
            for lab, variant, title, name, idea in json.loads(file.read_text(encoding="utf-8"))}


class Slide:
    """One session: its picture, drawing and video beside the talk, and the words with them."""

    def __init__(self, base, known, options):
        self.base = base
        self.poster, self.drawing = (base.with_name(base.name + end) for end in (".png", ".svg"))
        self.page = self.video = None
        if options.output.suffix == ".tex":
            self.page = base.with_name(base.name + ".pdf")
        if options.video:
            self.video = base.with_name(base.name + ".mp4")
        shown = session_in(self.poster.read_bytes())
        lab, variant = shown["lab"], shown["variant"]
        title, name, self.caption = known.get((lab, variant), (pathlib.Path(lab).name, variant, ""))
        self.title, self.caption = plain(f"{title}: {name}"), plain(self.caption)
        self.light = shown.get("theme") == "light"
        with open(self.poster, "rb") as file:
            self.size = struct.unpack(">II", file.read(24)[16:24])


# Namespaces of a picture's second, scalable form.
SVG_FORM = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"
SVG_NAMES = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"


def add_drawing(slide, picture, drawing):
    """Gives a picture its SVG, which PowerPoint turns into shapes that can be edited."""
    from lxml import etree
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI
    from pptx.oxml.ns import qn

    package = slide.part.package
    name = PackURI(f"/ppt/media/drawing{slide.slide_id}.svg")
    part = Part(name, "image/svg+xml", package, drawing.read_bytes())
    relation = slide.part.relate_to(part, RELATIONSHIP_TYPE.IMAGE)
    blip = picture._element.find(".//" + qn("a:blip"))
    extension = etree.SubElement(etree.SubElement(blip, qn("a:extLst")), qn("a:ext"), uri=SVG_FORM)
    form = etree.SubElement(extension, f"{{{SVG_NAMES}}}svgBlip", nsmap={"asvg": SVG_NAMES})
    form.set(qn("r:embed"), relation)


def loop(movie):
    """Plays the slide's video again and again."""
    from pptx.oxml.ns import qn

    root = movie.part.slide._element
    for node in root.iter(qn("p:video")):
        for time in node.iter(qn("p:cTn")):
            time.set("repeatCount", "indefinite")


def require_pptx():
    try:
        import pptx  # noqa: F401
    except ImportError:
        raise LanescopeError(
            "Slides for PowerPoint are written by python-pptx, which is not installed. Install it "
            f"({sys.executable} -m pip install python-pptx; where the system keeps pip from that, "
            "python3 -m venv talks && talks/bin/pip install python-pptx, and set "
            "LANESCOPE_PYTHON=talks/bin/python3), or write .md or .tex.", 4) from None


def write_pptx(path, slides):
    import pptx
    from pptx.dml.color import RGBColor
    from pptx.util import Inches, Pt

    talk = pptx.Presentation()
    talk.slide_width, talk.slide_height = Inches(13.333), Inches(7.5)
    for each in slides:
        slide = talk.slides.add_slide(talk.slide_layouts[5])
        ground, ink, quiet = ((0xff, 0xff, 0xff), (0x12, 0x14, 0x18), (0x40, 0x44, 0x4c))
        if not each.light:
            ground, ink, quiet = ((0x12, 0x14, 0x18), (0xf2, 0xf2, 0xf2), (0xc8, 0xcc, 0xd4))
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = RGBColor(*ground)
        title = slide.shapes.title
        title.left, title.top, title.width, title.height = (Inches(0.5), Inches(0.15), Inches(12.3),
                                                            Inches(0.8))
        title.text_frame.text = each.title
        words = title.text_frame.paragraphs[0].runs[0].font
        words.size, words.bold, words.color.rgb = Pt(32), True, RGBColor(*ink)

        wide, high = Inches(12.3), Inches(5.6)
        scale = min(wide / each.size[0], high / each.size[1])
        width, height = int(each.size[0] * scale), int(each.size[1] * scale)
        left, top = (talk.slide_width - width) // 2, Inches(1.0)
        picture = slide.shapes.add_picture(str(each.poster), left, top, width, height)
        add_drawing(slide, picture, each.drawing)
        picture._element.nvPicPr.cNvPr.set("descr", f"{each.title}. {each.caption}")
        if each.video:  # over the drawing, which stays editable
            loop(slide.shapes.add_movie(str(each.video), left, top, width, height,
                                        poster_frame_image=str(each.poster), mime_type="video/mp4"))
        box = slide.shapes.add_textbox(Inches(0.5), Inches(6.7), Inches(12.3), Inches(0.6))
        box.text_frame.word_wrap = True
        box.text_frame.text = each.caption
        if each.caption:
            words = box.text_frame.paragraphs[0].runs[0].font
            words.size, words.color.rgb = Pt(20), RGBColor(*quiet)
    talk.save(str(path))


def write_md(path, slides):
    """For reveal.js and for Pandoc, which both part slides by three dashes."""
    parts = []
    for each in slides:
        if each.video:
            shown = (f'<video src="{link(each.video.name)}" poster="{link(each.poster.name)}" loop '
                     'autoplay muted '
                     'style="max-width:100%"></video>')
        else:
            shown = f"![{markdown(each.title)}]({link(each.drawing.name)})"
        parts.append(f"## {markdown(each.title)}\n\n{shown}\n\n{markdown(each.caption)}\n")
    path.write_text("\n---\n\n".join(parts), encoding="utf-8")


def plain(text):
    """A name on one line, without control characters: it may be anybody's."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def markdown(text):
    """Text that is no markup, no link and no HTML, and begins neither a list nor a slide."""
    safe = "".join("\\" + letter if letter in "\\`*_[]<>&|~$#!{}" else letter for letter in plain(text))
    return "\\" + safe if safe[:1] in ("-", "+", "=") else safe


def link(name):
    """A file beside the talk, as Markdown and HTML name it."""
    return urllib.parse.quote(name)


def tex(text):
    return "".join({"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
                   .get(letter, "\\" + letter if letter in "&%$#_{}" else letter)
                   for letter in plain(text))


def write_tex(path, slides):
    frames = [f"\\begin{{frame}}{{{tex(each.title)}}}\n"
              f"  \\centering\\includegraphics[width=\\textwidth,height=0.75\\textheight,"
              f"keepaspectratio]{{{each.page.name}}}\n\n  {tex(each.caption)}\n\\end{{frame}}\n"
              for each in slides]
    path.write_text("\\documentclass[aspectratio=169]{beamer}\n\\usepackage{graphicx}\n"
                    "\\begin{document}\n" + "".join(frames) + "\\end{document}\n", encoding="utf-8")


WRITERS = {".pptx": write_pptx, ".md": write_md, ".tex": write_tex}


def main():
    parser = argparse.ArgumentParser(prog="lanescope slide")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--slides", type=int, help="how many were drawn")
    parser.add_argument("--known", type=pathlib.Path, help="titles of the labs")
    parser.add_argument("--video", action="store_true", help="each has one")
    parser.add_argument("--check", action="store_true", help="only say whether such a talk can be written")
    options = parser.parse_args()
    try:
        if options.output.suffix == ".pptx":
            require_pptx()
        if options.check:
            return 0
        known = titles(options.known)
        slides = [Slide(options.output.with_name(f"{options.output.stem}_{number}"), known, options)
                  for number in range(1, options.slides + 1)]
        WRITERS[options.output.suffix](options.output, slides)
    except LanescopeError as error:
        print(f"lanescope: {error}", file=sys.stderr)
        return error.status
    # A .pptx embeds everything; other formats link to the files beside them.
    if options.output.suffix == ".pptx":
        for each in slides:
            for file in (each.poster, each.drawing, each.video):
                if file:
                    file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
