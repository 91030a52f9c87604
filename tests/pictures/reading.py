"""Reading SVG back as a renderer would: elements by id, vertices of paths, numbers."""

import re
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
NUMERIC = {"x", "y", "width", "height", "font-size", "stroke-width", "fill-opacity"}


def parse(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def by_id(root: ElementTree.Element, element_id: str) -> ElementTree.Element:
    found = [element for element in root.iter() if element.get("id") == element_id]
    assert len(found) == 1, f"{len(found)} elements {element_id}"
    return found[0]


def vertices(root: ElementTree.Element, element_id: str) -> NDArray[np.float64]:
    """Corners of a path of M, L, H, V and Z."""
    x = y = 0.0
    found = []
    for command, said in re.findall("([A-Za-z])([^A-Za-z]*)", by_id(root, element_id).get("d", "")):
        numbers = [float(n) for n in re.findall(NUMBER, said)]
        match command:
            case "M" | "L":
                x, y = numbers
            case "H":
                (x,) = numbers
            case "V":
                (y,) = numbers
            case "Z":
                continue
            case _:
                raise AssertionError(command)
        found.append((x, y))
    return np.array(found)


def apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The largest distance of a vertex of either line from the other line."""
    return max(_beside(one, other), _beside(other, one))


def _beside(points: NDArray[np.float64], line: NDArray[np.float64]) -> float:
    starts, ways = line[:-1], np.diff(line, axis=0)
    squares = np.maximum((ways**2).sum(axis=1), 1e-12)
    along = ((points[:, None] - starts) * ways).sum(axis=2) / squares
    nearest = starts + np.clip(along, 0, 1)[..., None] * ways
    return float(np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1).max())


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def assert_sound(text: str) -> ElementTree.Element:
    """What holds for every document: it parses, ids are unique and found, numbers are finite."""
    root = parse(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "aria-labelledby":
                assert set(value.split()) <= set(ids)
            elif name == "clip-path":
                assert value.removeprefix("url(#").removesuffix(")") in ids
            elif name == "d":
                rest = re.sub(f"{NUMBER}|[MmLlHhVvZza]", "", value)
                assert value.startswith("M")
                assert not rest.strip(), rest
            elif name in NUMERIC or name.endswith(("-low", "-high")):
                assert np.isfinite(float(value))
        assert element.tag.removeprefix(SVG) not in ("script", "style", "foreignObject", "image")
        assert not any(name.startswith("on") or name == "style" for name in element.attrib)
    return root
