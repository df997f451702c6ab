"""Properties that are read once: kept, and no reason for one thread to wait for another."""

from __future__ import annotations

import threading

from folkways_studio.web.request_context import CachedAttribute


class Slow:
    """Computes only when another one is computing, too."""

    meeting = threading.Barrier(2)

    @CachedAttribute
    def value(self) -> int:
        """Documented."""
        return self.meeting.wait(timeout=10) * 0 + id(self)


def test_two_objects_compute_at_the_same_time() -> None:
    pair = [Slow(), Slow()]
    threads = [threading.Thread(target=lambda each=each: each.value) for each in pair]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [vars(each) for each in pair] == [{"value": id(each)} for each in pair], (
        "each has computed, and kept it"
    )
    assert pair[0].value == id(pair[0]), "and computes no second time: nobody would come to meet it"
    assert Slow.value.__doc__ == "Documented."
