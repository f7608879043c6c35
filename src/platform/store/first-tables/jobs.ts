import { byOwnerId, OF_PROJECT, OWNER } from './owner-columns.ts'

// Jobs, responses that are made in the background, and webhooks. Large values are in tables of their own, because SQLite rewrites a
// whole row when one column changes, and a job's lease changes every few seconds. The indexes over unfinished work are partial, so that
// a history of millions costs them nothing. `bytes` is what a row and its large values take, so that the sum of an owner is read from
// an index.

export const jobTables = [
  `CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    ${OWNER},
    key_id TEXT NOT NULL,
    end_user TEXT,
    feature TEXT NOT NULL,
    subfeature TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT,
    show_original BIGINT NOT NULL,
    webhook_url TEXT,
    idempotency_key TEXT,
    body_hash TEXT,
    retry_of TEXT,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'success', 'fail')),
    stop TEXT CHECK (stop IN ('cancelled', 'deleted')),
    turn BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    executions BIGINT NOT NULL,
    worker TEXT,
    lease_until BIGINT,
    deadline_at BIGINT,
    ticket TEXT,
    cost_nanos BIGINT,
    error TEXT,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    ${OF_PROJECT}
  )`,
  // What an owner has.
  'CREATE INDEX jobs_by_owner ON jobs (owner, created_at, id)',
  'CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL',
  'CREATE INDEX jobs_stored ON jobs (owner, bytes)',
  byOwnerId('jobs'),
  // What operators list, and what ends with a project.
  'CREATE INDEX jobs_by_organization ON jobs (organization, created_at, id)',
  'CREATE INDEX jobs_by_project ON jobs (project, created_at, id)',
  'CREATE INDEX jobs_by_end_user ON jobs (project, end_user) WHERE end_user IS NOT NULL',
  'CREATE INDEX jobs_by_creation ON jobs (created_at, id)',
  'CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE finished_at IS NULL',
  "CREATE INDEX jobs_failed ON jobs (created_at, id) WHERE state = 'fail'",
  'CREATE INDEX jobs_by_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL',
  // What workers claim, renew and give up, and what is over.
  "CREATE INDEX jobs_queued ON jobs (turn, created_at, id) WHERE state = 'queued'",
  "CREATE INDEX jobs_queued_by_owner ON jobs (owner, turn) WHERE state = 'queued'",
  "CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running'",
  'CREATE INDEX jobs_by_deadline ON jobs (deadline_at) WHERE finished_at IS NULL AND deadline_at IS NOT NULL',
  'CREATE INDEX jobs_by_finish ON jobs (finished_at) WHERE finished_at IS NOT NULL',
  "CREATE INDEX jobs_deleted ON jobs (finished_at) WHERE stop = 'deleted'",

  `CREATE TABLE job_requests (
    job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    request TEXT NOT NULL,
    user_parameters TEXT
  )`,
  `CREATE TABLE job_results (
    job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    output TEXT,
    original TEXT
  )`,

  // A response in the background as it is shown until its job ends. The events of its stream are kept while the job is, so that any
  // process can send them, and send them again.
  `CREATE TABLE background_responses (
    job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    shell TEXT NOT NULL,
    streamed BIGINT NOT NULL,
    first_number BIGINT NOT NULL
  )`,
  `CREATE TABLE response_events (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    first_number BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    events TEXT NOT NULL,
    PRIMARY KEY (job_id, first_number)
  )`,

  // There is no reference to the job, because a promised webhook is sent even if its job is deleted in the meantime. `submitted_by` is
  // the key that submitted it, `key_id` that of the signature. A message to a receiver of alerts belongs to the installation.
  `CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    job_id TEXT NOT NULL UNIQUE,
    organization TEXT,
    project TEXT,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('project', 'key', 'subject', 'person', 'operator', 'receiver')),
    owner_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    submitted_by TEXT,
    url TEXT NOT NULL,
    receiver TEXT NOT NULL,
    signature TEXT NOT NULL,
    key_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL,
    lease BIGINT NOT NULL,
    lease_until BIGINT,
    next_at BIGINT NOT NULL,
    last_status BIGINT,
    last_error TEXT,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    CHECK ((owner_kind = 'receiver') = (project IS NULL) AND (project IS NULL) = (organization IS NULL)),
    ${OF_PROJECT}
  )`,
  'CREATE INDEX deliveries_stored ON deliveries (owner, bytes)',
  'CREATE INDEX deliveries_by_organization ON deliveries (organization, created_at, id)',
  'CREATE INDEX deliveries_by_project ON deliveries (project, created_at, id)',
  byOwnerId('deliveries'),
  'CREATE INDEX deliveries_by_creation ON deliveries (created_at, id)',
  "CREATE INDEX deliveries_failed ON deliveries (created_at, id) WHERE state = 'failed'",
  // Counted by owner and receiver, and claimed from owner to owner if one owner has too many in flight.
  "CREATE INDEX deliveries_due ON deliveries (next_at, id, owner, receiver) WHERE state = 'pending'",
  "CREATE INDEX deliveries_pending_by_owner ON deliveries (owner, next_at, id, receiver) WHERE state = 'pending'",
  "CREATE INDEX deliveries_in_flight ON deliveries (lease_until, receiver) WHERE state = 'pending' AND lease_until IS NOT NULL",
  'CREATE INDEX deliveries_by_settlement ON deliveries (settled_at) WHERE settled_at IS NOT NULL',
  `CREATE TABLE delivery_bodies (
    delivery_id TEXT PRIMARY KEY REFERENCES deliveries (id) ON DELETE CASCADE,
    body BYTEA NOT NULL
  )`,
  // With the beginning of the receiver's answer. `lease` is the number of the claim, which only grows.
  `CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    lease BIGINT NOT NULL,
    at BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    answer TEXT,
    duration_ms BIGINT NOT NULL,
    signed_at BIGINT,
    signature TEXT,
    PRIMARY KEY (delivery_id, lease)
  )`,
]
