"""What reading guessed of a CSV file reaches the user, and how its numbers are written is said."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import sparcl


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    rows = [f'{i % 2},"{i + 1},{100 + i}",{i} EUR,{"x" if i == 3 else i}' for i in range(30)]
    path.write_text("\n".join(["y,a,b,c", *rows]))
    return path


def test_notes_are_kept_and_logged(table: Path, caplog: pytest.LogCaptureFixture) -> None:
    d = sparcl.read_data(table)
    assert 'a: "1,100" is read as 1100 (csv_decimal=",": as 1.1)' in d.notes
    assert any(note.startswith('c: 1 of the first 30 values is no number, "x"') for note in d.notes)
    logged = [(r.name, r.levelname, r.getMessage()) for r in caplog.records]
    assert logged == [("sparcl", "WARNING", f"sparcl: {table}: {note}") for note in d.notes]
    assert d.split(0.5)[0].notes == []


def test_the_decimal_mark(table: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = sparcl.read_data(table, csv_decimal=",").scipy()[0].data
    assert values[0] == pytest.approx(1.1)
    assert sparcl.read_data(table, csv_decimal=".").scipy()[0].data[0] == 1100
    d = sparcl.read_data(table)
    with pytest.raises(ValueError, match="csv_decimal: expected None beside like"):
        sparcl.read_data(table, csv_decimal=",", like=d)
    caplog.clear()
    table.write_text("1 1:0.5\n-1 3:2\n")
    assert sparcl.read_data(table, csv_decimal=",").notes == []
    assert "csv_decimal has no effect: only CSV" in caplog.text


def test_what_the_binary_form_does_not_hold(
    table: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "d.sparcl"
    d = sparcl.read_data(table)
    caplog.clear()
    d.save(path)
    assert f"sparcl: {path}: it does not say how its columns were made" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        sparcl.data([[1.0]], [1]).save(path)
    assert caplog.records == []


def test_titles_are_skipped_with_a_note(tmp_path: Path) -> None:
    table = tmp_path / "title.csv"
    table.write_text("Sales 2024,,\n\nregion,amount,y\nN,5,1\nS,6,0\nN,7,1\n")
    d = sparcl.read_data(table)
    assert d.shape[0] == 3
    assert d.notes[-1] == (
        "the first 2 lines are titles above the heading, which are skipped "
        "(heading=True: the first one is the heading; heading=False: a row)"
    )
    assert sparcl.read_data(table, heading=False).shape[0] == 5


def test_notes_of_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    table = tmp_path / "latin.csv"
    rows = b"".join(b"%d,%d EUR\n" % (i % 2, i) for i in range(9))
    table.write_bytes(b"y,\xc3\xa9\xe9\n" + rows)
    notes = sparcl.read_data(table).notes
    assert notes[0] == 'é\\xe9: "0 EUR" is read as 0'
    assert notes[1].startswith("line 1 has bytes that are no UTF-8")
