"""Tasks over processes of this machine or over a Ray cluster, by joblib. A lost worker costs its task, not the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from azul_duel_env.system.signals import unheard_by_children

BACKENDS = ("joblib", "ray")
ATTEMPTS_ALONE = 2
"""A task that was under way when two workers were lost is tried so often again, with no other beside it."""
RAY_CHUNK = 8
"""Tasks for each worker that Ray gets at once: its joblib backend answers when all are done."""


class _Lost:
    """What comes of a task whose worker was lost each time."""

    def __repr__(self) -> str:
        return "LOST"


LOST = _Lost()


def check_workers(jobs: int, backend: str) -> None:
    """Check where tasks shall run.

    Raises:
        ValueError: no such backend, no number of processes, or Ray is not installed.
    """
    if jobs == 0 or jobs < -1:
        raise ValueError(f"jobs must be a number of processes, or -1 for one a core, not {jobs}")
    if backend not in BACKENDS:
        raise ValueError(f"backend must be {' or '.join(BACKENDS)}, not {backend!r}")
    if backend == "ray":
        try:
            import ray  # noqa: F401
        except ImportError:
            raise ValueError("the backend ray needs Ray: pip install 'azul_duel_env[scale]'") from None


def run_tasks(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], jobs: int = 1, backend: str = "joblib"
) -> Iterator[Any]:
    """Yield ``function(*task)`` for each task, in their order, as they come; LOST for a task whose worker was lost each time.

    After one loss all that is not finished is tried again. After another among the same tasks each of these runs alone, so that
    those which end their workers are found.

    Args:
        function: what can be pickled. What it raises ends the run.
        tasks: its arguments.
        jobs: processes; -1 for one a core, of the cluster with Ray. 1 plays in this process, but with Ray.
        backend: ``"joblib"`` or ``"ray"``.

    Raises:
        ValueError: see ``check_workers``.
    """
    check_workers(jobs, backend)
    if not tasks:
        return
    if backend == "joblib" and jobs == 1:
        yield from (function(*task) for task in tasks)
        return
    pool: _Loky | _Ray = _Ray(jobs) if backend == "ray" else _Loky(jobs)
    done = suspects = 0
    while done < len(tasks):
        try:
            for result in pool.stream(function, tasks[done:]):
                yield result
                done += 1
        except pool.losses:
            if done >= suspects:
                suspects = min(len(tasks), done + pool.under_way)
                continue
            for task in tasks[done:suspects]:
                yield _alone(pool, function, task)
                done += 1


def _alone(pool: _Loky | _Ray, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """Run one task with no other beside it."""
    for _ in range(ATTEMPTS_ALONE):
        try:
            [result] = pool.stream(function, [task])
        except pool.losses:
            continue
        return result
    return LOST


@dataclass(frozen=True)
class _Loky:
    """Processes of this machine."""

    jobs: int

    @property
    def losses(self) -> tuple[type[Exception], ...]:
        """What is raised when a worker is lost."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        return (TerminatedWorkerError,)

    @property
    def under_way(self) -> int:
        """How many tasks may have been handed out."""
        from joblib import effective_n_jobs

        return 3 * int(effective_n_jobs(self.jobs))  # joblib hands out two for each worker ahead

    def stream(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield results in order."""
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.jobs, return_as="generator", batch_size=1)
        with unheard_by_children():  # a worker amid its imports would answer Ctrl-C with a traceback
            results = parallel(delayed(function)(*task) for task in tasks)
        yield from results


@dataclass(frozen=True)
class _Ray:
    """Workers of a Ray cluster: the one that Ray finds (``RAY_ADDRESS``), or this machine."""

    jobs: int

    @property
    def losses(self) -> tuple[type[Exception], ...]:
        """What is raised when a worker is lost."""
        from ray import exceptions

        return exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError

    @property
    def under_way(self) -> int:
        """How many tasks may have been handed out."""
        import ray

        if not ray.is_initialized():
            ray.init(log_to_driver=False, logging_level="ERROR")
        return RAY_CHUNK * (int(ray.cluster_resources().get("CPU", 1)) if self.jobs == -1 else self.jobs)

    def stream(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield results in order."""
        from joblib import Parallel, delayed, parallel_backend
        from ray.exceptions import RayTaskError
        from ray.util.joblib import register_ray

        register_ray()
        chunk = self.under_way
        for first in range(0, len(tasks), chunk):
            try:
                with parallel_backend("ray", n_jobs=self.jobs):
                    results = Parallel(batch_size=1)(delayed(function)(*task) for task in tasks[first : first + chunk])
            except RayTaskError as error:
                raise error.cause from None
            yield from results
