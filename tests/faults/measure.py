"""Measures one grid as the rule's script does, from a request given as JSON."""

import json
import sys
from pathlib import Path

from scopemark.experiment import load_experiment
from scopemark.measure.run import measure_experiment
from scopemark.targets import Target

request = json.loads(sys.argv[1])
request["experiment"] = load_experiment(request["experiment"])
request["target"] = Target(**request["target"])
for name in ("kernels", "cases_path", "samples_path"):
    request[name] = Path(request[name])
measure_experiment(**request, log=sys.stdout)
