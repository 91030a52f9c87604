"""Write deployments.csv from the files of the OpenDP deployments registry.

``python -m benchmarks.make_deployments FOLDER`` with a copy of the registry's folder
(https://github.com/opendp/deployments-registry-data, commit 3e9c812a of 2026-07-15). Only facts are
kept: who, what, when, and the numbers. The columns `label` and `per` are written by hand and stay
as they are; `per` follows the registry's description where its unit says something else. Needs
PyYAML.
"""

import csv
import sys
from pathlib import Path
from typing import Any

import yaml

from dpviz.claims.deployments import TABLE_PATH

FIELDS = (
    *("label", "organisation", "name", "year", "variant", "epsilon", "delta", "rho"),
    *("unit", "per", "source"),
)


def facts(entry: dict[str, Any]) -> dict[str, Any]:
    """The row of one file; numbers that are none stay empty."""
    deployment = entry["deployment"]
    basic, loss = deployment["basic"], deployment["privacy_loss"]
    stated = loss.get("privacy_parameters") or {}
    numbers = {name: stated.get(name) for name in ("epsilon", "delta", "rho")}
    return {
        "organisation": "; ".join(basic["data_curators"]),
        "name": basic["name"],
        "year": str(basic["publication_date"])[:4],
        "variant": (deployment.get("dp_variant") or {}).get("variant_name") or "",
        **{
            name: value if isinstance(value, float | int) else "" for name, value in numbers.items()
        },
        "unit": str(loss.get("privacy_unit") or "").strip(),
        "source": entry["url_slug"],
    }


def main(folder: Path) -> None:
    """Write the table."""
    entries = [yaml.safe_load(path.read_text("utf-8")) for path in sorted(folder.glob("*.yaml"))]
    with TABLE_PATH.open(encoding="utf-8", newline="") as file:
        by_hand = {row["source"]: row for row in csv.DictReader(file)}
    rows = [
        {"label": "", "per": "", **by_hand.get(entry["url_slug"], {}), **facts(entry)}
        for entry in entries
        if "deployment" in entry
    ]
    with TABLE_PATH.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["source"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
