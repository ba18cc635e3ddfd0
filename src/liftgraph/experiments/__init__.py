"""The paper's evaluation and further studies, which can be run, stopped and continued.

``study`` says what a study is. ``evaluation``, ``sizes``, ``floats``, ``tolerance`` and
``treewidth`` measure; they use ``instances`` (graphs and queries), ``timing`` and ``asking`` (times
and answers), and ``closed_forms`` (answers by formula). ``own_families`` repeats the evaluation on
models from outside. ``running`` keeps the measurements in a ``journal``, puts them together
(``aggregation``, ``summaries``, ``figures``) and writes files (``export``). Start with
``run_study``, or with ``liftgraph experiment`` on the command line.
"""

from liftgraph.experiments import evaluation, floats, sizes, summaries, tolerance, treewidth
from liftgraph.experiments.figures import evaluation as evaluation_figures
from liftgraph.experiments.figures import extended
from liftgraph.experiments.own_families import own_study
from liftgraph.experiments.running import StudyResults, run_study
from liftgraph.experiments.study import Settings, Study

__all__ = ["STUDIES", "Settings", "Study", "StudyResults", "own_study", "run_study"]

_ALL = [
    Study(
        "paper",
        "how fast are queries on the output of ACP and of α-ACP, and when has α-ACP paid?",
        evaluation.COLUMNS,
        evaluation.cells,
        evaluation.measure,
        summaries.evaluation,
        {
            "query_times": evaluation_figures.query_times,
            "query_times_by_p": evaluation_figures.query_times_by_p,
            "offline_times": evaluation_figures.offline_times,
            "amortisation": evaluation_figures.amortisation,
            "amortisation_by_p": evaluation_figures.amortisation_by_p,
        },
        varied=True,
    ),
    Study(
        "sizes",
        "how far beyond d = 1,024 do lifting and lifted queries go?",
        sizes.COLUMNS,
        sizes.cells,
        sizes.measure,
        summaries.sizes,
        {"sizes": extended.sizes},
    ),
    Study(
        "floats",
        "what does it cost to compare tables in floats instead of exactly?",
        floats.COLUMNS,
        floats.cells,
        floats.measure,
        summaries.floats,
        {"floats": extended.floats},
    ),
    Study(
        "tolerance",
        "what does a tolerance gain on noisy potentials, and what does it cost?",
        tolerance.COLUMNS,
        tolerance.cells,
        tolerance.measure,
        summaries.tolerance,
        {"tolerance": extended.tolerance},
    ),
    Study(
        "treewidth",
        "where does ground inference stop that lifted inference does not?",
        treewidth.COLUMNS,
        treewidth.cells,
        treewidth.measure,
        summaries.treewidth,
        {"treewidth": extended.treewidth},
    ),
]
STUDIES = {study.name: study for study in _ALL}
