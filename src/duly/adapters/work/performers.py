"""Who performs which request."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from duly.adapters.files.removal import remove_tree
from duly.adapters.work import examine, logs, observe, prepare, prove, put, tell
from duly.adapters.work import requests as r
from duly.adapters.work.layout import Workshop


def performers(workshop: Workshop) -> Mapping[type, Callable[[Any], Any]]:
    """Return the performer for each type of request; each may be called from any thread."""
    table: dict[type, Callable[[Workshop, Any], Any]] = {
        r.ProveDead: prove.prove_dead,
        r.CheckPlace: observe.check_place,
        r.Observe: observe.observe,
        r.Prepare: prepare.prepare,
        r.KeepLog: logs.keep_log,
        r.KeepLeftLog: logs.keep_left_log,
        r.ListLogs: logs.list_logs,
        r.RemoveLogs: logs.remove_logs,
        r.Examine: examine.examine,
        r.PublishFiles: put.publish_files,
        r.Compare: put.compare,
        r.KeepFiles: put.keep_files,
        r.ReadBack: put.read_back,
        r.Tell: tell.make_ready,
        r.PutNoticeAway: tell.put_away,
        r.RemoveStage: remove_stage,
        r.ListStages: list_stages,
    }
    return {request: partial(perform, workshop) for request, perform in table.items()}


def remove_stage(workshop: Workshop, request: r.RemoveStage) -> bool:
    """Remove the working copies of a run; say whether nothing of them is left.

    A program may leave what is beyond our rights: files of another user, a mount. That stays where it is, and must
    neither disturb the run, which is over, nor whoever tidies up after others.
    """
    if Path(request.run_id).name != request.run_id:
        return False
    here = workshop.stage(request.run_id)
    kept = here.base if request.keeps_base else None
    try:
        for path in (here.root,) if kept is None else _children(here.root):
            if path != kept:
                remove_tree(path)
    except OSError:
        return False
    return True


def _children(directory: Path) -> tuple[Path, ...]:
    try:
        return tuple(directory.iterdir())
    except FileNotFoundError:
        return ()


def list_stages(workshop: Workshop, request: r.ListStages) -> tuple[str, ...]:  # noqa: ARG001
    """Name the runs that have a working copy."""
    if not workshop.stages.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in workshop.stages.iterdir()))
