"""Draws the pictures of docs/how-to/pictures.md, one of each kind; the tutorial shows some of them
too."""

from pathlib import Path

import liftgraph as lg

ROOT = Path(__file__).parent.parent


def pictures() -> dict[str, lg.Picture]:
    """The pictures by the names of their files."""
    graph = lg.datasets.epidemic()
    answer = graph.query("Epid", "Sick.bob", given={"Sick.alice": "true"}, exact=True)
    asia = lg.datasets.asia()
    seen_and_done = asia.given({"xray": "yes"}).do({"smoke": "no"})
    noisy = lg.datasets.perturbed(lg.datasets.epid(10).ground(), "0.01", seed=3)
    return {
        "graph": lg.draw(graph),
        "acp": lg.draw(graph, colouring=lg.colour_passing(graph, "acp")),
        "rounds": lg.draw_rounds(graph),
        "network": lg.draw(asia),
        "beliefs": lg.draw(asia.given({"dysp": "yes", "smoke": "no"}), beliefs=True),
        "intervention": lg.draw(seen_and_done),
        "gate": lg.draw(plant(), arrows=False),
        "table": lg.draw(asia.cpd("dysp")),
        "plates": lg.draw(films()),
        "lifted": lg.draw(lg.lift(graph)),
        "smokers": lg.draw(lg.datasets.smokers(1000)),
        "marginal": lg.draw(answer),
        "count": lg.draw(lg.datasets.epid(5000).query(lg.count("Sick"))),
        "days": lg.draw(outbreak().filter([None] * 60, lg.count("Sick"))),
        "plan": lg.draw(graph.explain("Sick.alice", method="lifted")),
        "bounds": lg.draw(noisy.query("Sick.1", tolerance="0.05", method="lifted")),
        "trade_off": lg.draw(noisy.trade_off(variables=["Epid", "Sick.3"])),
        "summary": lg.draw(lg.datasets.epid(1024).ground()),
    }


def plant() -> lg.FactorGraph:
    """A plant that runs if three of its five pumps do."""
    builder = lg.FactorGraphBuilder()
    pumps = [f"Pump.{number}" for number in range(1, 6)]
    builder.add_variables([*pumps, "Plant"])
    for pump in pumps:
        builder.add_factor([pump], ["0.9", "0.1"])
    builder.add_gate("Plant", pumps, lg.at_least(3))
    return builder.build()


def outbreak() -> lg.Dynamic:
    """A thousand people: each day one in 40 falls ill, and one sick person in 20 recovers."""
    sick = lg.prv("Sick", lg.LogVar("Person", 1000))
    step = lg.parfactor([sick, lg.after(sick)], [19, 1, 1, 39])
    return lg.Dynamic(lg.parfactor([sick], [1, 99]), step)


def films() -> lg.ParfactorGraph:
    """People like films of genres of which they are fans: three logvars, which meet in pairs."""
    person, film, genre = lg.LogVar("P", 1000), lg.LogVar("F", 300), lg.LogVar("G", 12)
    likes, of = lg.prv("Likes", person, film), lg.prv("Of", film, genre)
    fan = lg.prv("Fan", person, genre)
    return lg.ParfactorGraph.of(
        [
            lg.parfactor([fan, of, likes], [9, 1, 5, 5, 5, 5, 5, 5]),
            lg.parfactor([lg.prv("Hit", film), likes], [1, 2, 2, 1]),
            lg.parfactor([lg.prv("Keen", person), fan], [3, 1, 1, 3]),
        ]
    )


if __name__ == "__main__":
    for name, picture in pictures().items():
        picture.save(ROOT / "docs" / "figures" / f"picture_{name}.svg")
