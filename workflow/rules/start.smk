# Before the configuration is read: where the package is, what of Snakemake's talk is left out, and whether the file is
# YAML, since Snakemake does not say which line is wrong.
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

sys.path.insert(0, os.path.join(workflow.basedir, "workflow"))

from scopemark.errors import UserError
from scopemark.yaml_file import check_yaml

# Said before every job, and no kind of --quiet covers it.
CHATTER = re.compile(r"Select jobs to execute\.\.\.|Execute \d+ jobs\.\.\.")
logger.addFilter(lambda record: not CHATTER.fullmatch(str(record.msg)))

try:
    check_yaml(Path("config.yaml"))
except UserError as error:
    raise WorkflowError(str(error)) from None
