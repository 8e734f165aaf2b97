"""What the kernel wrote into an exception is found in whatever Spark makes of it."""

from __future__ import annotations

from headrace.errors import BatchTooLong, BufferFull, KernelMismatch, RecordFailed, RecordUndecodable, WorkerLost
from headrace.spark.faults import find_fault

UNDECODABLE = (
    'headrace-fault:{"kind":"undecodable","subject":"value STRING","reason":"byte 0xff at 2 is not UTF-8",'
    '"where":"lines-2@17"}'
)
FAILED = (
    'headrace-fault:{"kind":"failed","subject":"map_values (app.py:7)","reason":"division by zero \\u00e9","where":""}'
)


def test_a_record_that_could_not_be_decoded() -> None:
    text = f"Job aborted due to stage failure: headrace.model.Fault: {UNDECODABLE}\n\tat Fault$.of(...)"
    error = find_fault(text)
    assert isinstance(error, RecordUndecodable)
    assert error.what == "the value of a record is not STRING: byte 0xff at 2 is not UTF-8"
    assert error.where == "lines-2@17"
    assert error.fix is not None and error.fix.startswith("read the topic with the serde it was written with")


def test_a_function_that_failed() -> None:
    error = find_fault(f"Caused by: {FAILED} and more")
    assert isinstance(error, RecordFailed)
    assert error.what == "map_values (app.py:7) failed on a record: division by zero é"
    assert error.where is None


def test_a_suppression_that_is_full() -> None:
    fault = '{"kind":"buffer-full","subject":"held (app.py:7)","reason":"5 bytes of results","where":"in-0@1"}'
    error = find_fault(f"Caused by: headrace-fault:{fault}")
    assert isinstance(error, BufferFull)
    assert error.what == "held (app.py:7) would hold back more than 5 bytes of results"
    assert error.where == "in-0@1"


def test_a_worker_that_was_lost_names_the_records_that_it_had() -> None:
    fault = '{"kind":"worker-lost","subject":"","reason":"it ended with 3","where":"in-0@1 to in-0@7","trace":"x"}'
    error = find_fault(f"Caused by: headrace-fault:{fault}")
    assert isinstance(error, WorkerLost)
    assert error.what == "a Python process was lost again and again: it ended with 3"
    assert error.where == "in-0@1 to in-0@7"


def test_a_batch_that_took_longer_than_a_transaction_may_be_open() -> None:
    fault = '{"kind":"batch-too-long","subject":"912345","reason":"900000","where":"","trace":""}'
    error = find_fault(f"Caused by: headrace-fault:{fault}")
    assert isinstance(error, BatchTooLong)
    assert error.what == (
        "a batch was not done after 912 s, and the broker has given up its transaction, which may be open for 900 s"
    )
    assert error.fix is not None
    assert all(way in error.fix for way in ("at_least_once", "transaction.timeout.ms", "transaction.max.timeout.ms"))


def test_a_fault_cut_off_by_a_log_is_found_further_on() -> None:
    error = find_fault(f"{UNDECODABLE[:40]}...\nCaused by: {UNDECODABLE}")
    assert isinstance(error, RecordUndecodable)


def test_other_exceptions_hold_none() -> None:
    assert find_fault("java.lang.OutOfMemoryError: Java heap space") is None
    assert find_fault("headrace-fault:[1]") is None
    assert find_fault('headrace-fault:{"kind":"failed"}') is None
    assert find_fault("") is None


def test_a_fault_of_another_kernel_blames_no_record() -> None:
    error = find_fault(
        'headrace-fault:{"kind":"moon","subject":"in","reason":"it is full","where":"in-0@1","trace":""}'
    )
    assert isinstance(error, KernelMismatch)
    assert error.where is None
    assert error.what == (
        "the kernel's jar and headrace are of different releases: the kernel told of 'moon', which is no fault that"
        " headrace knows: it is full"
    )
