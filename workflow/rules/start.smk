# Before the configuration is read: where the package is, and whether the file is YAML. Snakemake does not say which line
# is wrong.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, os.path.join(workflow.basedir, "workflow"))

from scopemark.errors import UserError
from scopemark.yaml_file import check_yaml

try:
    check_yaml(Path("config.yaml"))
except UserError as error:
    raise WorkflowError(str(error)) from None
