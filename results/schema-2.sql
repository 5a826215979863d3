-- SPDX-License-Identifier: Apache-2.0
-- From schema version 1 to 2: where samples come from, which revision was tested, and pairs of runs.

ALTER TABLE run ADD COLUMN origin TEXT NOT NULL DEFAULT 'measured'
    CHECK (origin IN ('measured', 'gbench', 'hyperfine', 'perf-stat', 'faultline'));
ALTER TABLE run ADD COLUMN commit_id TEXT;
ALTER TABLE run ADD COLUMN commit_ns INTEGER;

-- Two runs measured side by side: both samples of a cell and round are neighbours in time, in random
-- order. What follows from the pairs is computed when it is asked for, never stored.
CREATE TABLE pairing (
    id        INTEGER PRIMARY KEY,
    base      INTEGER NOT NULL UNIQUE REFERENCES run,
    head      INTEGER NOT NULL UNIQUE REFERENCES run,
    purpose   TEXT NOT NULL CHECK (purpose IN ('ab', 'calibrate')),
    base_side TEXT NOT NULL,
    head_side TEXT NOT NULL,
    tolerance REAL NOT NULL CHECK (tolerance >= 0),
    detect    REAL NOT NULL CHECK (detect > tolerance),
    planned   INTEGER NOT NULL CHECK (planned >= 1),
    budget_ns INTEGER NOT NULL CHECK (budget_ns >= 0),
    CHECK (base <> head)
) STRICT;

-- Which cell of the base goes with which of the head. calls: of a timed window, the same for both
-- sides; NULL until a pilot has told it.
CREATE TABLE paired_cell (
    pairing   INTEGER NOT NULL REFERENCES pairing,
    position  INTEGER NOT NULL,
    key       TEXT NOT NULL,
    base_cell INTEGER NOT NULL REFERENCES cell,
    head_cell INTEGER NOT NULL REFERENCES cell,
    calls     INTEGER CHECK (calls >= 1),
    tolerance REAL NOT NULL CHECK (tolerance >= 0),
    detect    REAL NOT NULL CHECK (detect > tolerance),
    PRIMARY KEY (pairing, position)
) STRICT, WITHOUT ROWID;
