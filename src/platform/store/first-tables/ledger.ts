import type { Database } from '../database.ts'
import { FAILED } from '../ledger/line-columns.ts'
import { ROLLUPS_TABLE } from '../ledger/rollups.ts'

/** The ledger, its roll-ups, and the batches of lines that the roll-ups do not have yet. */
export function ledgerTables(kind: Database['kind']): string[] {
  return [...(kind === 'postgres' ? ON_POSTGRES : ON_SQLITE), ...INDEXES]
}

// The time is the first column of the primary key: it serves every range of time by itself, and rows with random ids are still written
// side by side. With the id first, each row of a batch would dirty a page of its own (measured: twice the CPU).
const LINE = `
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  organization TEXT NOT NULL,
  project TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  user_id TEXT,
  end_user TEXT,
  session TEXT,
  agent TEXT,
  parent_agent TEXT,
  client TEXT,
  tags TEXT,
  rolled_labels TEXT,
  endpoint TEXT NOT NULL,
  requested_model TEXT,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  status BIGINT NOT NULL,
  code TEXT,
  stream BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  more_tokens TEXT,
  cost_nanos BIGINT,
  provider_cost_nanos BIGINT,
  estimated BIGINT NOT NULL,
  price_version TEXT,
  duration_ms BIGINT NOT NULL,
  first_token_ms BIGINT,
  detail TEXT,
  charges TEXT,
  batch_id TEXT,
  tier TEXT,
  guardrails TEXT,
  guardrails_passed TEXT,
  batch BIGINT,
  PRIMARY KEY (at, id)`

// A batch is inserted together with its lines and removed together with the change of the roll-ups. Numbers never come twice: a line
// keeps the number of its batch.
const BATCH = 'lines BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL'

/** A partition for this month and for the next two. */
const PARTITIONS = `DO $$
  DECLARE
    this_month DATE := date_trunc('month', now() AT TIME ZONE 'UTC');
    month DATE := this_month;
  BEGIN
    WHILE month <= this_month + interval '2 months' LOOP
      EXECUTE format('CREATE TABLE usage_%s PARTITION OF usage FOR VALUES FROM (%s) TO (%s)', to_char(month, 'YYYY_MM'),
        extract(epoch FROM month)::BIGINT * 1000, extract(epoch FROM month + interval '1 month')::BIGINT * 1000);
      month := month + interval '1 month';
    END LOOP;
  END $$`

const ON_POSTGRES = [
  `CREATE TABLE usage (${LINE}) PARTITION BY RANGE (at)`,
  // Lines whose time is wrong, or whose month has no partition yet.
  'CREATE TABLE usage_other PARTITION OF usage DEFAULT',
  PARTITIONS,
  // A caller's own id is the beginning of an id, and only this order finds beginnings.
  'CREATE INDEX usage_by_id ON usage (id COLLATE "C")',
  // Every row is written again and again, and no index has a sum. With room in its page, the next version stays there.
  `${ROLLUPS_TABLE} WITH (fillfactor = 60)`,
  `CREATE TABLE unrolled_batches (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${BATCH})`,
  // Until it is analyzed, PostgreSQL expects thousands of rows in it.
  'ANALYZE unrolled_batches',
]

const ON_SQLITE = [
  `CREATE TABLE usage (${LINE})`,
  'CREATE INDEX usage_by_id ON usage (id)',
  `${ROLLUPS_TABLE} WITHOUT ROWID`,
  `CREATE TABLE unrolled_batches (number INTEGER PRIMARY KEY AUTOINCREMENT, ${BATCH})`,
]

const INDEXES = [
  'CREATE INDEX usage_by_batch ON usage (batch, at) WHERE batch IS NOT NULL',
  // The filters of the request log that find few among many lines. Others are found on the way through the time.
  'CREATE INDEX usage_by_project ON usage (project, at, id)',
  'CREATE INDEX usage_by_key ON usage (key_id, at, id)',
  'CREATE INDEX usage_by_user ON usage (user_id, at, id) WHERE user_id IS NOT NULL',
  'CREATE INDEX usage_by_end_user ON usage (end_user, at, id) WHERE end_user IS NOT NULL',
  'CREATE INDEX usage_by_batch_id ON usage (batch_id, at, id) WHERE batch_id IS NOT NULL',
  'CREATE INDEX usage_by_session ON usage (session, at, id) WHERE session IS NOT NULL',
  `CREATE INDEX usage_failed ON usage (at, id) WHERE ${FAILED}`,
  // Those in which a guardrail did something.
  'CREATE INDEX usage_by_guardrails ON usage (at, id) WHERE guardrails IS NOT NULL',
  'CREATE INDEX usage_with_fallback ON usage (at, id) WHERE attempts > 1',
]
