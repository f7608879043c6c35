import { byOwnerId, OF_PROJECT, OWNER } from './owner-columns.ts'

// Batches: many requests that are answered later. The requests are lines of a file of the caller; a row of `batch_lines` says where its
// line is in that file, and has its answer until the batch ends. Then the answers are in files, and the rows are gone.

export const batchTables = [
  // `turn_at` is when a process last worked on it: owners, and then batches of an owner, take turns. Leases, turns, pauses and
  // deadlines are on the steady clock. The ids of the files with the answers are chosen before these are written.
  `CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    ${OWNER},
    key_id TEXT NOT NULL,
    end_user TEXT,
    door TEXT NOT NULL CHECK (door IN ('openai', 'anthropic', 'gemini')),
    endpoint TEXT,
    name TEXT,
    input_file TEXT NOT NULL,
    output_file TEXT,
    error_file TEXT,
    request TEXT NOT NULL,
    webhook_url TEXT,
    window_ms BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('validating', 'in_progress', 'cancelling', 'finalizing', 'completed', 'failed', 'expired', 'cancelled')),
    ending TEXT CHECK (ending IN ('completed', 'failed', 'expired', 'cancelled')),
    problems TEXT,
    paused_reason TEXT,
    resume_at BIGINT,
    total BIGINT NOT NULL,
    succeeded BIGINT NOT NULL,
    errored BIGINT NOT NULL,
    cancelled BIGINT NOT NULL,
    expired BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    worker TEXT,
    lease_until BIGINT,
    turn_at BIGINT NOT NULL,
    deadline_at BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    in_progress_at BIGINT,
    cancelling_at BIGINT,
    finalizing_at BIGINT,
    ended_at BIGINT,
    ${OF_PROJECT}
  )`,
  'CREATE INDEX batches_by_owner ON batches (owner, created_at, id)',
  'CREATE INDEX batches_stored ON batches (owner, bytes)',
  byOwnerId('batches'),
  'CREATE INDEX batches_by_organization ON batches (organization, created_at, id)',
  'CREATE INDEX batches_by_project ON batches (project, created_at, id)',
  'CREATE INDEX batches_by_end_user ON batches (project, end_user) WHERE end_user IS NOT NULL',
  'CREATE INDEX batches_by_creation ON batches (created_at, id)',
  'CREATE INDEX batches_unfinished ON batches (owner, turn_at, id, total) WHERE ended_at IS NULL',
  'CREATE INDEX batches_by_input ON batches (input_file) WHERE ended_at IS NULL',
  'CREATE INDEX batches_by_end ON batches (ended_at) WHERE ended_at IS NOT NULL',

  // `attempt` is that of the batch which began the line last; 0 for a line that was put back. `starts` counts how often the line was
  // begun and not put back, `refusals` how often it was refused. A line has an outcome when it is
  // not asked any more. `begins` and `length` are its place in the input file, in bytes. `carrier` says who answers it: the gateway, or
  // a batch of a provider by its id; null as long as that is not decided.
  `CREATE TABLE batch_lines (
    batch_id TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    custom_id TEXT,
    carrier TEXT,
    begins BIGINT NOT NULL,
    length BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    refusals BIGINT NOT NULL,
    tools TEXT,
    outcome TEXT CHECK (outcome IN ('succeeded', 'errored', 'cancelled', 'expired')),
    status BIGINT,
    request_id TEXT,
    answer TEXT,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (batch_id, number)
  )`,
  'CREATE INDEX batch_lines_open ON batch_lines (batch_id, carrier, refusals, number) WHERE outcome IS NULL',
  // Batches at providers, for lines of a batch. A row is written before the provider is asked: as long as it has no id of the provider, there
  // may be such a batch, and it is looked for. `model` is our name of it, `model_name` that of the provider. `windows` is what is held of
  // limits until it has ended, under its id. `look_at` and `begun_at` are on the steady clock. `ended_at` is when it was found that it has ended: the time of
  // all its lines in the ledger, so that a line that is written again is the same line.
  `CREATE TABLE provider_batches (
    id TEXT PRIMARY KEY,
    batch_id TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    state TEXT NOT NULL CHECK (state IN ('prepared', 'submitting', 'running', 'guessed', 'cancelling')),
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    credential BIGINT NOT NULL,
    credential_name TEXT,
    provider_id TEXT,
    lines BIGINT NOT NULL,
    windows TEXT NOT NULL,
    wait_ms BIGINT NOT NULL,
    look_at BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
  )`,
  'CREATE INDEX provider_batches_of ON provider_batches (batch_id, look_at)',
  'CREATE INDEX provider_batches_known ON provider_batches (provider, provider_id) WHERE provider_id IS NOT NULL',
  'CREATE INDEX batch_lines_ended ON batch_lines (batch_id, outcome, bytes) WHERE outcome IS NOT NULL',
]
