-- SPDX-License-Identifier: Apache-2.0
-- The store, schema version 1. docs/schema.md explains every table, column and view.
--
-- Times are nanoseconds: of day since 1970-01-01T00:00:00Z, of duration as they are. Repeated text
-- (reasons, facts) is kept once and referred to, so that a sample costs a few hundred bytes.

-- Where a run ran. One row per fingerprint.
CREATE TABLE machine (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE machine_fact (
    machine INTEGER NOT NULL REFERENCES machine,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (machine, name)
) STRICT, WITHOUT ROWID;

-- One execution of a scenario.
CREATE TABLE run (
    id             INTEGER PRIMARY KEY,
    uuid           TEXT NOT NULL UNIQUE,
    machine        INTEGER NOT NULL REFERENCES machine,
    host           TEXT NOT NULL,
    label          TEXT,
    scenario       TEXT NOT NULL,
    title          TEXT,
    scenario_text  TEXT NOT NULL,
    command_line   TEXT NOT NULL,
    version        TEXT NOT NULL,
    build_flags    TEXT NOT NULL,
    seed           INTEGER NOT NULL,
    settle_ns      INTEGER NOT NULL,
    window_ns      INTEGER NOT NULL,
    rounds         INTEGER NOT NULL,
    counted_rounds INTEGER NOT NULL,
    counted_calls  INTEGER NOT NULL,
    started_ns     INTEGER NOT NULL,
    finished_ns    INTEGER,
    status         TEXT NOT NULL
                   CHECK (status IN ('running', 'finished', 'interrupted', 'failed'))
) STRICT;
CREATE INDEX run_scenario ON run (scenario, id);

-- What surrounded a run and can move its results, as found when it started.
CREATE TABLE environment (
    run   INTEGER NOT NULL REFERENCES run,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- One point of an experiment. Shared by all runs that have it.
CREATE TABLE cell (
    id  INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
) STRICT;

-- Every factor of a cell, those that its key leaves out (at their fallback) included.
CREATE TABLE cell_factor (
    cell     INTEGER NOT NULL REFERENCES cell,
    factor   TEXT NOT NULL,
    level    TEXT NOT NULL,
    position INTEGER NOT NULL,
    implied  INTEGER NOT NULL CHECK (implied IN (0, 1)),
    PRIMARY KEY (cell, factor)
) STRICT, WITHOUT ROWID;
CREATE INDEX cell_factor_level ON cell_factor (factor, level);

-- Why something is not there or did not work, each text once.
CREATE TABLE reason (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- What a run set out to measure. `unavailable`: known before the first sample that it cannot run.
CREATE TABLE run_cell (
    run         INTEGER NOT NULL REFERENCES run,
    cell        INTEGER NOT NULL REFERENCES cell,
    position    INTEGER NOT NULL,
    unavailable INTEGER REFERENCES reason,
    PRIMARY KEY (run, cell)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    unit     TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('timed', 'exact', 'set', 'noisy-count', 'level')),
    better   TEXT NOT NULL CHECK (better IN ('less', 'more', 'none')),
    mode     TEXT NOT NULL CHECK (mode IN ('every', 'counted')),
    per_call INTEGER NOT NULL CHECK (per_call IN (0, 1)),
    summary  TEXT NOT NULL,
    source   TEXT NOT NULL
) STRICT;

CREATE TABLE run_metric (
    run      INTEGER NOT NULL REFERENCES run,
    metric   INTEGER NOT NULL REFERENCES metric,
    position INTEGER NOT NULL,
    PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;

-- Resolved values beside a sample. A set is the list of its facts' ids, in ascending order.
CREATE TABLE fact (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (name, value)
) STRICT;

CREATE TABLE fact_set (
    id      INTEGER PRIMARY KEY,
    members TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE fact_set_member (
    fact_set INTEGER NOT NULL REFERENCES fact_set,
    fact     INTEGER NOT NULL REFERENCES fact,
    PRIMARY KEY (fact_set, fact)
) STRICT, WITHOUT ROWID;

-- One cell measured once, in one fresh process.
CREATE TABLE sample (
    id          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL,
    cell        INTEGER NOT NULL,
    mode        TEXT NOT NULL CHECK (mode IN ('timed', 'counted')),
    round       INTEGER NOT NULL CHECK (round >= 0),
    seed        INTEGER NOT NULL,
    outcome     TEXT NOT NULL CHECK (outcome IN
                ('ok', 'crashed', 'timed-out', 'wrong-result', 'unavailable', 'failed')),
    reason      INTEGER REFERENCES reason,
    calls       INTEGER NOT NULL CHECK (calls >= 0),
    started_ns  INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    cpu         INTEGER,
    load        REAL,
    steal_ns    INTEGER,
    facts       INTEGER REFERENCES fact_set,
    FOREIGN KEY (run, cell) REFERENCES run_cell (run, cell),
    UNIQUE (run, cell, mode, round)
) STRICT;

-- One metric of one sample. state: 0 ok, 1 unavailable, 2 not observable; then total is NULL.
CREATE TABLE value (
    sample INTEGER NOT NULL REFERENCES sample,
    metric INTEGER NOT NULL REFERENCES metric,
    total  ANY CHECK (typeof(total) IN ('integer', 'real', 'null')),
    scale  REAL NOT NULL DEFAULT 1.0,
    state  INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)),
    reason INTEGER REFERENCES reason,
    PRIMARY KEY (sample, metric),
    CHECK ((state = 0) = (total IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What became of the scenario's rules, one row a rule and cell. A published figure has a host and is
-- not judged: its held is NULL.
CREATE TABLE expectation (
    run      INTEGER NOT NULL REFERENCES run,
    position INTEGER NOT NULL,
    rule     TEXT NOT NULL,
    metric   TEXT NOT NULL,
    host     TEXT,
    cell     INTEGER REFERENCES cell,
    expected TEXT NOT NULL,
    measured TEXT,
    held     INTEGER CHECK (held IN (0, 1)),
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_run AS
SELECT run.id AS run, uuid, label, scenario, title, status, host, fingerprint, version,
       strftime('%Y-%m-%dT%H:%M:%SZ', started_ns / 1000000000, 'unixepoch') AS started,
       (finished_ns - started_ns) / 1e9 AS seconds,
       (SELECT count(*) FROM run_cell WHERE run_cell.run = run.id) AS cells,
       (SELECT count(*) FROM sample WHERE sample.run = run.id) AS samples
FROM run JOIN machine ON machine.id = run.machine;

CREATE VIEW v_cell AS
SELECT id AS cell, key,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'kernel') AS kernel,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'library') AS library,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'n') AS n,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'workspace') AS workspace,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'malloc') AS malloc,
       (SELECT level FROM cell_factor WHERE cell = cell.id AND factor = 'isa') AS isa
FROM cell;

CREATE VIEW v_sample AS
SELECT sample.id AS sample, run, cell, key, mode, round, outcome, text AS reason, calls,
       strftime('%Y-%m-%dT%H:%M:%SZ', started_ns / 1000000000, 'unixepoch') AS started,
       duration_ns, cpu, load, steal_ns, printf('%u', seed) AS seed, facts
FROM sample JOIN cell ON cell.id = sample.cell LEFT JOIN reason ON reason.id = sample.reason;

CREATE VIEW v_fact AS
SELECT sample.id AS sample, run, cell, name, value
FROM sample JOIN fact_set_member ON fact_set = facts JOIN fact ON fact.id = fact;

CREATE VIEW v_value AS
SELECT run, cell, sample.mode AS mode, round, sample, outcome, metric.id AS metric, name, unit, kind, better,
       total, calls, scale,
       CASE WHEN state <> 0 THEN NULL
            WHEN per_call = 0 AND scale = 1.0 THEN total
            WHEN per_call = 0 THEN total * scale
            WHEN calls = 0 THEN NULL
            WHEN typeof(total) = 'integer' AND scale = 1.0 AND total % calls = 0
            THEN total / calls
            ELSE CAST(total AS REAL) * scale / calls END AS value,
       CASE state WHEN 0 THEN 'ok' WHEN 1 THEN 'unavailable' ELSE 'not-observable' END AS state,
       text AS reason
FROM value JOIN sample ON sample.id = value.sample JOIN metric ON metric.id = value.metric
     LEFT JOIN reason ON reason.id = value.reason;

-- Medians over the samples that went well. Of a time that timed samples have, one taken while counting
-- does not count; one that only counting samples have (waits for mutexes, perf's clocks) does.
CREATE VIEW v_median AS
SELECT run, cell, metric, name, unit, kind, better,
       CASE WHEN count(*) = 1 OR min(value) = max(value) THEN min(value)
            WHEN (min(value) + max(value)) % 2 = 0 AND typeof(min(value)) = 'integer'
                 AND typeof(max(value)) = 'integer'
            THEN (min(value) + max(value)) / 2
            ELSE min(value) / 2.0 + max(value) / 2.0 END AS median,
       lowest AS min, highest AS max, total AS count, scaled
FROM (SELECT run, cell, metric, v.name, v.unit, v.kind, v.better, value,
             row_number() OVER (PARTITION BY run, cell, metric ORDER BY value) AS place,
             count(*) OVER (PARTITION BY run, cell, metric) AS total,
             min(value) OVER (PARTITION BY run, cell, metric) AS lowest,
             max(value) OVER (PARTITION BY run, cell, metric) AS highest,
             max(scale <> 1.0) OVER (PARTITION BY run, cell, metric) AS scaled
      FROM v_value AS v JOIN metric AS m ON m.id = metric
      WHERE outcome = 'ok' AND value IS NOT NULL
            AND NOT (m.kind = 'timed' AND v.mode = 'counted' AND m.mode = 'every'))
WHERE place IN ((total + 1) / 2, total / 2 + 1)
GROUP BY run, cell, metric;
