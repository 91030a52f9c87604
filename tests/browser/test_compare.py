"""Several attacks in a browser: each has its name on the curve and on the ruler, over no other."""

from itertools import combinations

import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.audit.comparison import best_of
from tests.browser.bridge import Bridge

BOXES = """(texts) => texts.map((text) => {
  const { left, top, right, bottom } = text.getBoundingClientRect();
  return [text.textContent, left, top, right, bottom];
})"""
RNG = np.random.default_rng(3)
NOISE = RNG.normal(size=600)
SCORES, LIRA, SHADOW = (
    AttackScores(
        member=NOISE[:200] + leak + 0.3 * RNG.normal(size=200),
        nonmember=NOISE[200:] + 0.3 * RNG.normal(size=400),
    )
    for leak in (0.8, 2.5, 1.6)
)


@pytest.mark.slow
def test_each_attack_is_named_and_no_name_covers_another(bridge: Bridge) -> None:
    explorer = explore(SCORES, epsilon=1.0, layout=["tradeoff", "region"])
    bridge.show(explorer)
    explorer.compare = {"LiRA": LIRA, "shadow models": SHADOW}
    explorer.same_records = True
    explorer.store.prepare_audit(explorer.store.spec)
    explorer.store.refresh()
    bridge.settle()
    page = bridge.page
    for view in ("AnswerView", "TradeoffView", "RegionView"):
        labels = page.locator(f".dpviz-{view} .dpviz-labels g")
        texts = [text.replace(" ", "") for text in labels.all_text_contents()]
        assert all(any(text.startswith(name) for text in texts) for name in ("LiRA", "shadow"))
        boxes = labels.locator("text").evaluate_all(BOXES)
        for (one, *a), (other, *b) in combinations(boxes, 2):
            across = a[0] < b[2] - 1 and b[0] < a[2] - 1
            along = a[1] < b[3] - 3 and b[1] < a[3] - 3
            assert not (across and along), (view, one, other)
    found = best_of({"this attack": SCORES, "LiRA": LIRA, "shadow models": SHADOW}, delta=1e-5)
    headline = page.locator(".dpviz-answer").inner_text()
    assert f"Best of 3 attacks: {found.name} certifies" in headline.replace("\n", " ")
    bridge.page.get_by_text("Attacks in numbers").click()
    rows = page.locator(".dpviz-TradeoffView table tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows if row][:3] == [
        "this attack",
        "LiRA",
        "shadow models",
    ]
