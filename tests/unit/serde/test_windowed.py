"""Windowed keys have the bytes of Kafka's windowed serdes."""

import pytest

import headrace as hr
from headrace.errors import OptionInvalid
from headrace.model.windows import Windowed
from headrace.serde import INT64, STRING, SessionWindowedSerde, TimeWindowedSerde

TIME, SESSION = TimeWindowedSerde(STRING, 10), SessionWindowedSerde(STRING)


def test_a_time_window_is_written_as_key_and_start() -> None:
    key = Windowed("ann", 258, 268)
    assert TIME.write(key) == b"ann" + bytes([0, 0, 0, 0, 0, 0, 1, 2])
    assert TIME.read(TIME.write(key)) == key


def test_a_session_is_written_as_key_end_and_start() -> None:
    key = Windowed("ann", 1, 258)
    assert SESSION.write(key) == b"ann" + bytes([0, 0, 0, 0, 0, 0, 1, 2]) + bytes([0, 0, 0, 0, 0, 0, 0, 1])
    assert SESSION.read(SESSION.write(key)) == key


def test_the_keys_inside_have_their_own_serde() -> None:
    serde = TimeWindowedSerde(INT64, 5)
    assert serde.read(serde.write(Windowed(-1, 0, 5))) == Windowed(-1, 0, 5)
    assert str(serde.type) == "Windowed[int]"
    assert str(serde) == "WINDOWED INT64 5 MS"
    assert str(SESSION) == "SESSION STRING"


def test_other_values_and_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="'ann' is a str, a Windowed key is needed"):
        TIME.write("ann")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="7 bytes, at least 8 are needed for the times of the window"):
        TIME.read(bytes(7))
    with pytest.raises(ValueError, match="8 bytes, at least 16 are needed"):
        SESSION.read(bytes(8))


def test_users_name_the_serdes_of_keys_that_they_read_back() -> None:
    assert hr.time_windowed(hr.STRING, "10ms") == TIME
    assert hr.session_windowed(hr.STRING) == SESSION
    with pytest.raises(OptionInvalid, match="size='10' is not possible") as told:
        hr.time_windowed(hr.STRING, "10")
    assert "test_windowed.py:" in str(told.value)
