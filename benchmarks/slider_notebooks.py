"""The same four pictures of one claim over one slider, by dpviz and by three other ways.

Each is the code of a notebook. The others get the closed forms in plain NumPy and only what one
looks at: no sentences, no handles, no conversion of claims.
"""

from dataclasses import dataclass
from pathlib import Path

import nbformat

PICTURES = 4

DPVIZ = """
import ipywidgets
from dpviz.analysis.spec import CONTROLS, Spec
from dpviz.widgets import RegionView, RiskView, Store, TradeoffView
from dpviz.widgets.controls.fields import NumberControl

store = Store(spec=Spec.of(epsilon=1))
views = [view(store=store) for view in (RegionView, TradeoffView, RiskView, TradeoffView)]
views[-1].axes = "log-log"
control = NumberControl("epsilon", CONTROLS["epsilon"], views[0].change)
control.let_browser_move(store.live, owner=control, field="epsilon")
store.subscribe(control.update_from, lambda: None)
shown = ipywidgets.VBox([
    control.widget,
    ipywidgets.GridBox(
        views, layout=ipywidgets.Layout(width="900px", grid_template_columns="1fr 1fr")
    ),
])
shown
"""

CLOSED_FORMS = """
import ipywidgets
import numpy as np

delta, prior = 1e-5, 0.5
square, tail = np.linspace(0, 1, 200), np.geomspace(1e-6, 1, 200)
slider = ipywidgets.FloatSlider(1.0, min=0, max=10, step=0.05, description="ε", readout=False)
slider.layout.width = "600px"

def tradeoff(fpr, epsilon):
    growth = np.exp(epsilon)
    return np.maximum.reduce([0 * fpr, 1 - delta - growth * fpr, (1 - delta - fpr) / growth])

def region(epsilon):
    fnr = tradeoff(square, epsilon)
    return np.concatenate([square, 1 - square]), np.concatenate([fnr, 1 - fnr])

def risk(epsilon):
    tpr = 1 - tradeoff(tail, epsilon)
    return tpr - tail, prior * tpr / (prior * tpr + (1 - prior) * tail)
"""

MATPLOTLIB = """
import matplotlib.pyplot as plt

def draw(epsilon):
    room = {"wspace": 0.25, "hspace": 0.25}  # tight_layout would take longer at every change
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), gridspec_kw=room)
    lines = [
        axes[0, 0].fill(*region(epsilon), alpha=0.25)[0],
        axes[0, 1].plot(square, tradeoff(square, epsilon))[0],
        *(axes[1, 0].semilogx(tail, share)[0] for share in risk(epsilon)),
        axes[1, 1].loglog(tail, 1 - tradeoff(tail, epsilon))[0],
    ]
    axes[0, 1].plot([0, 1], [1, 0], ":")
    axes[1, 0].axhline(prior, linestyle=":")
    axes[1, 0].set_ylim(0, 1.08)
    axes[1, 1].loglog([1e-6, 1], [1e-6, 1], ":")
    for i, axis in enumerate(axes.flat):
        axis.set(xlabel="FPR", ylabel=["FNR", "FNR", "share", "TPR"][i])
    return figure, lines
"""

INTERACT = """
%matplotlib inline
def show(epsilon):
    draw(epsilon)
    plt.show()

ipywidgets.interact(show, epsilon=slider);
"""

IPYMPL = """
%matplotlib widget
plt.ioff()
figure, lines = draw(1.0)

def move(change):
    advantage, ppv = risk(change.new)
    lines[0].set_xy(np.column_stack(region(change.new)))
    lines[1].set_ydata(tradeoff(square, change.new))
    lines[2].set_ydata(advantage)
    lines[3].set_ydata(ppv)
    lines[4].set_ydata(1 - tradeoff(tail, change.new))
    figure.canvas.draw_idle()

slider.observe(move, "value")
ipywidgets.VBox([slider, figure.canvas])
"""

PLOTLY = """
import plotly.graph_objects as go

def figure(*lines, x={}, y={}):
    made = go.FigureWidget([go.Scatter(mode="lines", **line) for line in lines])
    made.update_layout(width=450, height=330, margin=dict(t=20, b=45, l=55, r=10))
    made.update_layout(showlegend=False, xaxis=dict(title="FPR", **x), yaxis=y)
    return made

unit, log = dict(range=[0, 1]), dict(type="log", range=[-6, 0])
corners, (advantage, ppv) = region(1.0), risk(1.0)
figures = [
    figure(dict(x=corners[0], y=corners[1], fill="toself"), x=unit, y=unit),
    figure(dict(x=square, y=tradeoff(square, 1.0)), dict(x=[0, 1], y=[1, 0]), x=unit, y=unit),
    figure(
        dict(x=tail, y=advantage), dict(x=tail, y=ppv), dict(x=[1e-6, 1], y=[prior, prior]),
        x=log, y=dict(range=[0, 1.08]),
    ),
    figure(
        dict(x=tail, y=1 - tradeoff(tail, 1.0)), dict(x=[1e-6, 1], y=[1e-6, 1]), x=log, y=log
    ),
]

def move(change):
    advantage, ppv = risk(change.new)
    figures[0].data[0].y = region(change.new)[1]
    figures[1].data[0].y = tradeoff(square, change.new)
    with figures[2].batch_update():
        figures[2].data[0].y, figures[2].data[1].y = advantage, ppv
    figures[3].data[0].y = 1 - tradeoff(tail, change.new)

slider.observe(move, "value")
ipywidgets.VBox([slider, ipywidgets.HBox(figures[:2]), ipywidgets.HBox(figures[2:])])
"""


@dataclass(frozen=True)
class Way:
    """A way to draw the pictures, and how its changes are seen.

    `watch` is a call of the probe on `selector`, which finds `pictures` elements.
    """

    name: str
    cells: tuple[str, ...]
    watch: str
    selector: str
    pictures: int

    def write(self, folder: Path) -> Path:
        """The notebook."""
        notebook = nbformat.v4.new_notebook()
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        notebook.cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in self.cells]
        path = folder / f"{self.watch}.ipynb"
        nbformat.write(notebook, path)
        return path


WAYS = {
    "dpviz": Way("dpviz", (DPVIZ,), "watchSvg", ".bqplot", 4),
    "matplotlib": Way(
        "interact + matplotlib inline",
        (CLOSED_FORMS, MATPLOTLIB, INTERACT),
        "watchImages",
        ".jp-OutputArea img",
        1,
    ),
    "plotly": Way(
        "plotly FigureWidget, four", (CLOSED_FORMS, PLOTLY), "watchSvg", ".js-plotly-plot", 4
    ),
    "ipympl": Way(
        "ipympl",
        (CLOSED_FORMS, MATPLOTLIB, IPYMPL),
        "watchCanvases",
        ".jupyter-matplotlib canvas",
        1,
    ),
}
