"""Templates: models that are written once, for individuals that data will name.

A template has rules: parfactors that hold for the rows of a relation, or for all substitutions.
Its logvars have open domains; data say which individuals are in them, which are related, and what
was observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from liftgraph.data.learning.em import EM
from liftgraph.data.learning.priors import Prior
from liftgraph.data.templates.instantiation import instantiate
from liftgraph.data.templates.learning import LearntTemplate, learn_rules
from liftgraph.data.templates.on_disk.write import Data, write
from liftgraph.data.templates.rules import RuleSet
from liftgraph.display import counted
from liftgraph.errors import short_traceback
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor import argument_names
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes


@dataclass(frozen=True, repr=False)
class Template(RuleSet):
    """A model whose individuals come from data: rules, and PRVs which need not occur in them.

    >>> from liftgraph import PRV, Domain, LogVar, relation, rule
    >>> person = Domain("person")
    >>> X, Y = LogVar("X", person), LogVar("Y", person)
    >>> smokes, friends = PRV("Smokes", (X,)), relation("friends", "person", "friend")
    >>> alike = rule([smokes(X), smokes(Y)], [3, 1, 1, 3], over=friends(X, Y))
    >>> template = Template([rule([smokes], [1, 2]), alike])
    >>> template.instantiate(relations={"friends": [{"person": "alice", "friend": "bob"}]})
    FactorGraph(2 variables, 3 factors, 2 tables, 0 observed)
    """

    def instantiate(
        self,
        domains: Mapping[str, object] | None = None,
        relations: Mapping[str, object] | None = None,
        evidence: Mapping[str, object] | None = None,
    ) -> FactorGraph | ParfactorGraph:
        """The model of some data, with their evidence.

        It is a parametric factor graph if every rule holds for all substitutions (its relation
        may happen to have them all, or no rows), and a factor graph otherwise.

        ``domains``: for open domains, the number of individuals or a column of their names. A
        domain which is not given has the individuals which relations and evidence mention.
        ``relations``: a table for each.
        ``evidence``: for a PRV, a table with a column for each of its logvars and one for the
        state, named ``value`` or after the PRV; or such a table and its columns in that order,
        ``(people, ["name", "smokes"])``. For a PRV without logvars, just its state. If the state
        is missing, nothing was observed.
        """
        self.check_known()
        data = ({} if tables is None else tables for tables in (domains, relations, evidence))
        return instantiate(self, *data)

    @short_traceback
    def learn(
        self,
        domains: Mapping[str, object] | None = None,
        relations: Mapping[str, object] | None = None,
        evidence: Mapping[str, object] | None = None,
        *,
        prior: Prior = 0,
        missing: Literal["skip"] | EM = "skip",
    ) -> LearntTemplate[Template]:
        """This template with the potentials of its rules without any, learnt from tables.

        Such a rule is the distribution of its child, or else of its last argument, given the
        others, and the same for all rows for which it holds: relative frequencies, exactly. Each
        variable may have one such row; rules with potentials weigh other variables, or are
        distributions of a ``child``, too. Then these are the most likely distributions, if all
        variables are observed.

        ``domains``, ``relations``, ``evidence``: as for ``instantiate``.
        ``prior``: pseudo-counts, as for ``learn_bayesian_network``, with the PRVs of children in
        place of variables; tables have axes for the other arguments, then for the child.
        ``missing``: rules "skip" rows which lack a value that they need, or values are completed
        by ``EM()``, on the ground model.

        >>> from liftgraph import PRV, Domain, LogVar, rule
        >>> X = LogVar("X", Domain("person"))
        >>> smokes, asthma = PRV("Smokes", (X,)), PRV("Asthma", (X,))
        >>> template = Template([rule([smokes]), rule([smokes, asthma])])
        >>> people = {"X": ["ann", "bob", "eve"], "smokes": [True, False, False]}
        >>> ill = {"X": ["ann", "bob"], "value": [True, False]}
        >>> evidence = {"Smokes": (people, ["X", "smokes"]), "Asthma": ill}
        >>> print(template.learn(evidence=evidence))
        2 rules: relative frequencies given the other arguments
        rows for which they hold
          φ(Smokes): 3
          φ(Smokes, Asthma): 2, 1 skipped because a value is missing
        impossible because never observed
          φ(Smokes, Asthma): 2 of 4
        """
        data = [{} if tables is None else tables for tables in (domains, relations, evidence)]
        return learn_rules(self, data, prior, missing)

    def write(
        self,
        path: Path | str,
        domains: Mapping[str, object] | None = None,
        relations: Mapping[str, object] | None = None,
        evidence: Mapping[str, object] | None = None,
        *,
        names: bool = True,
        memory_limit: Bytes = MEMORY_LIMIT,
    ) -> None:
        """Write the model of some data into a folder of Parquet files, which ``lg.read`` reads.

        It is the factor graph that ``instantiate`` gives (grounded, if that is a parametric one),
        but it is never in memory: DuckDB writes it from the tables, which may be larger than
        memory, too. It uses disk space beside ``path`` while it works. A graph on disk of this
        name is replaced when the new one is complete.

        ``domains``, ``relations``, ``evidence``: as for ``instantiate``; each table may also be the
        path of a Parquet file, of a folder of Parquet files, or of a CSV file.
        ``names``: whether variables get names; often names take more space than the graph.
        ``memory_limit``: the bytes of memory that DuckDB may use; writing files takes about 200 MB
        beside this.
        """
        self.check_known()
        data = Data(
            *({} if tables is None else tables for tables in (domains, relations, evidence))
        )
        write(self, path, data, names=names, memory_limit=memory_limit)

    def __repr__(self) -> str:
        names = [", ".join(argument_names(rule.parfactor.arguments)) for rule in self.rules[:6]]
        listed = "; ".join(names) + "; …" * (len(self.rules) > 6)
        prvs, rules = counted(len(self.prvs), "PRV"), counted(len(self.rules), "rule")
        return f"Template({prvs}, {rules} on {listed})"
