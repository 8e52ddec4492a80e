"""The thread that answers requests in batches."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from itertools import pairwise

import pytest

from lve.extensions.hf.worker import PendingAnswer, Worker


def test_what_is_asked_in_one_moment_is_one_batch() -> None:
    sizes: list[int] = []

    def answer(batch: Sequence[PendingAnswer[int]]) -> Sequence[PendingAnswer[int]]:
        sizes.append(len(batch))
        for job in batch:
            job.future.set_result(job.question * 2)
        return ()

    release = threading.Event()
    worker: Worker[int] = Worker(
        lambda batch: (release.wait(10), answer(batch))[1], batch_size=8, name="w"
    )
    jobs = [worker.submit(n) for n in range(20)]
    release.set()
    worker.close()
    assert [job.future.result(0) for job in jobs] == [n * 2 for n in range(20)]
    assert max(sizes) == 8


def test_a_crash_reaches_everyone_who_waits_and_the_next_batch_is_answered() -> None:
    def answer(batch: Sequence[PendingAnswer[str]]) -> Sequence[PendingAnswer[str]]:
        if any(job.question == "bad" for job in batch):
            raise RuntimeError("broken")
        for job in batch:
            job.future.set_result("fine")
        return ()

    worker: Worker[str] = Worker(answer, batch_size=1, name="w")
    bad, good = worker.submit("bad"), worker.submit("good")
    worker.close()
    with pytest.raises(RuntimeError, match="broken"):
        bad.future.result(0)
    assert good.future.result(0) == "fine"


def test_what_is_not_answered_yet_comes_again_before_new_requests() -> None:
    batches: list[list[int]] = []
    hold = threading.Event()

    def answer(batch: Sequence[PendingAnswer[int]]) -> Sequence[PendingAnswer[int]]:
        hold.wait(10)
        batches.append([job.question for job in batch])
        batch[-1].future.set_result(batch[-1].question)
        return batch[:-1]

    worker: Worker[int] = Worker(answer, batch_size=3, name="w")
    jobs = [worker.submit(n) for n in range(4)]
    hold.set()
    worker.close()
    assert [job.future.result(0) for job in jobs] == [0, 1, 2, 3]
    assert len(batches) == 4
    for batch, following in pairwise(batches):
        assert len(following) <= 3
        assert following[: len(batch) - 1] == batch[:-1]


def test_an_answered_request_is_forgotten_without_a_pass_of_the_collector() -> None:
    def answer(batch: Sequence[PendingAnswer[str]]) -> Sequence[PendingAnswer[str]]:
        for job in batch:
            job.future.set_result("fine")
        return ()

    worker: Worker[str] = Worker(answer, batch_size=1, name="w")
    gc.disable()  # lve's runs have a pass in some thousand rows
    try:
        futures = [weakref.ref(worker.submit("asked").future) for _ in range(3)]
        worker.close()
        assert [future() for future in futures] == [None] * 3
    finally:
        gc.enable()


def test_nobody_computes_what_nobody_waits_for() -> None:
    asked: list[str] = []
    hold = threading.Event()

    def answer(batch: Sequence[PendingAnswer[str]]) -> Sequence[PendingAnswer[str]]:
        hold.wait(10)
        for job in batch:
            asked.append(job.question)
            job.future.set_result(None)
        return ()

    worker: Worker[str] = Worker(answer, batch_size=1, name="w")
    worker.submit("first")
    assert worker.submit("second").future.cancel()
    hold.set()
    worker.close()
    assert asked == ["first"]


def test_an_unused_worker_has_no_thread() -> None:
    before = threading.active_count()
    worker: Worker[str] = Worker(lambda batch: None, batch_size=1, name="w")
    assert threading.active_count() == before
    worker.close()


def test_a_thread_that_hangs_on_what_nobody_waits_for_does_not_keep_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hostile tokenizer or a model may take for ever; the request has its time limit."""
    monkeypatch.setattr("lve.extensions.hf.worker.PATIENCE_S", 0.5)
    never = threading.Event()
    worker: Worker[str] = Worker(lambda batch: void(never.wait()), batch_size=1, name="w")
    pending = worker.submit("slow")
    closing = threading.Thread(target=worker.close)
    closing.start()
    closing.join(1)
    assert closing.is_alive(), "somebody waits for the answer"
    pending.abandoned = True
    closing.join(10)
    assert not closing.is_alive()
    never.set()


def void(_: object) -> Sequence[PendingAnswer[str]]:
    """Forget a value."""
    return ()
