import { USAGE_GROUPS, type UsageReport } from '../../src/contract/admin/usage.ts'
import type { RequestList } from '../../src/contract/admin/requests.ts'
import { rollUpSql } from '../../src/platform/store/ledger/rollups.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { migrate } from '../../src/platform/store/migrations.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { type AdminClient, adminClient } from '../gateway/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { MINUTE_MS, DAY_MS, HOUR_MS } from '../../src/base/units/units.ts'

// A ledger with many lines, made inside of the database. Reports have to be the sums of its lines, and quick, and job
// submissions must not wait for them.

const LINES_AT_ONCE = 200_000
const KEYS = 1_000
const END_USERS = 1_500
const GROUPS = [...USAGE_GROUPS, 'tag:team']
/** Filters of the request log: some that most lines pass, some that few pass, some that none passes. */
const FILTERS = [
  ...[
    '',
    'project=project_7',
    'key=key_7',
    'key=unknown',
    'end_user=eu_7',
    'failed=true',
    'status=5xx',
    'fallback=true',
  ],
  ...['model=provider/model_7', 'model=unknown/has-it', 'min_cost=900', 'tag=team%3Dt7', 'requested_model=alias_7'],
  ...['id=req_7', 'project=project_7&status=5xx', 'upstream_id=up-77'],
]
const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }

export type LargeLedgerOptions = {
  lines: number
  days: number
  /** How many jobs are submitted without and with reports at the same time. */
  jobs: number
  /** How often each report is measured, after it was read once. */
  repeats: number
  databaseUrl?: string | undefined
  /** Starts the gateway: a process, unless no times are measured. */
  start?: (env: Record<string, string> & { DATA_DIR: string }) => Promise<LedgerGateway>
}

type LedgerGateway = Pick<GatewayProcess, 'url' | 'adminUrl'> & { stop(): Promise<unknown> }

type LargeLedgerReport = {
  /** Reports whose totals are not those of the lines. */
  wrong: string[]
  /** How long the slowest of some reports took, by what it was grouped by. */
  slowestMs: Record<string, number>
  /** How long the slowest of some first pages of the request log took, by its filter. */
  firstPageMs: Record<string, number>
  /** The 99th percentile of job submissions without and with reports running all the time. */
  submissionMs: { alone: number; duringReports: number }
}

export async function largeLedger(options: LargeLedgerOptions): Promise<LargeLedgerReport> {
  const { lines, days, databaseUrl, start = startProcess } = options
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const dataDir = folder.data
  const db = await openDatabase({ dataDir, databaseUrl })
  // Parts of hours at both ends.
  const to = Date.now() - 17 * MINUTE_MS
  const from = to - days * DAY_MS + 3 * MINUTE_MS
  await migrate(db)
  await makeLines(db, { lines, from: from - HOUR_MS, to: to + HOUR_MS / 4 })
  const expected = await totalsOfLines(db, { from, to })
  await db.close()
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  const gateway = await start({ DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...keys })
  closing.defer(async () => void (await gateway.stop()))
  return await ask(gateway, { from, to, expected, ...options })
}

type Totals = { requests: number; prompt_tokens: number; cost: number }
type Asked = { from: number; to: number; expected: Totals; jobs: number; repeats: number }

async function ask(gateway: LedgerGateway, { from, to, expected, jobs, repeats }: Asked): Promise<LargeLedgerReport> {
  const admin = adminClient(gateway.adminUrl)
  const wrong: string[] = []
  const report = () => admin.get(`/admin/usage?from=${from}&to=${to}&group_by=key`)
  const slowestMs: Record<string, number> = {}
  for (const group of GROUPS) {
    const path = `/admin/usage?from=${from}&to=${to}&group_by=${group}`
    for (let times = 0; times <= repeats; times++) {
      const begun = performance.now()
      const { body } = await admin.get<UsageReport>(path)
      const ms = Math.round(performance.now() - begun)
      if (times > 0) slowestMs[group] = Math.max(slowestMs[group] ?? 0, ms)
      const { requests, prompt_tokens, cost } = body.total
      if (JSON.stringify({ requests, prompt_tokens, cost }) !== JSON.stringify(expected)) wrong.push(group)
    }
  }
  const firstPageMs = await firstPages(admin, { from, to, repeats })
  return { wrong, slowestMs, firstPageMs, submissionMs: await submissions(gateway.url, jobs, report) }
}

async function firstPages(admin: AdminClient, { from, to, repeats }: Pick<Asked, 'from' | 'to' | 'repeats'>) {
  const slowestMs: Record<string, number> = {}
  for (const filter of FILTERS)
    for (let times = 0; times <= repeats; times++) {
      const begun = performance.now()
      const { status, text } = await admin.get<RequestList>(`/admin/requests?from=${from}&to=${to}&${filter}`)
      if (status !== 200) throw new Error(text)
      if (times > 0) slowestMs[filter] = Math.max(slowestMs[filter] ?? 0, Math.round(performance.now() - begun))
    }
  return slowestMs
}

async function submissions(url: string, jobs: number, report: () => Promise<unknown>) {
  const alone = await submit(url, jobs)
  let isDone = false
  const reports = (async () => {
    while (!isDone) await report()
  })()
  const duringReports = await submit(url, jobs)
  isDone = true
  await reports
  return { alone, duringReports }
}

/** The 99th percentile of the times in milliseconds. */
async function submit(url: string, jobs: number): Promise<number> {
  const times: number[] = []
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  for (let job = 0; job < jobs; job++) {
    const begun = performance.now()
    const response = await fetch(`${url}/v3/universal-ai/async`, { method: 'POST', headers, body: JSON.stringify(JOB) })
    await response.text()
    if (response.status !== 202) throw new Error(`a job was answered with ${response.status}`)
    times.push(performance.now() - begun)
  }
  return Math.round(times.sort((a, b) => a - b)[Math.floor(jobs * 0.99)]!)
}

/** Lines at even distances. Their values come from prime factors, so that most combinations occur. */
async function makeLines(
  db: Database,
  { lines, from, to }: { lines: number; from: number; to: number },
): Promise<void> {
  const distance = (to - from) / lines
  for (let first = 0; first < lines; first += LINES_AT_ONCE) {
    const last = Math.min(first + LINES_AT_ONCE, lines)
    const numbers = `WITH RECURSIVE numbers (i) AS (SELECT CAST(${first} AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last - 1})`
    const sql = `INSERT INTO usage (${COLUMNS}) ${numbers} SELECT ${valuesOf(from, distance)} FROM numbers`
    await db.transaction([{ sql }], { unhurried: true })
  }
  await db.transaction([{ sql: rollUpSql('usage', db.kind) }], { unhurried: true })
  if (db.kind === 'postgres')
    await db.transaction([{ sql: 'ANALYZE usage_rollups' }, { sql: 'ANALYZE usage' }], { unhurried: true })
}

const COLUMNS = `id, at, key_id, owner_kind, owner_id, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms,
  organization, project, end_user, tags, rolled_labels, requested_model, detail`

function valuesOf(from: number, distance: number): string {
  return `'req_' || i, CAST(FLOOR(${from} + i * CAST(${distance} AS DOUBLE PRECISION)) AS BIGINT), 'key_' || (i * 7919 % ${KEYS}),
    'project', 'project_' || (i * 7919 % ${KEYS} / 5), CASE i % 3 WHEN 0 THEN 'chat/completions' WHEN 1 THEN 'messages' ELSE 'responses' END,
    'provider/model_' || (i * 31 % 61), 'provider_' || (i * 31 % 61 % 12), CASE WHEN i % 97 = 0 THEN 502 ELSE 200 END,
    CASE WHEN i % 97 = 0 THEN 'upstream_error' END, i % 2, CASE WHEN i % 101 = 0 THEN 2 ELSE 1 END, i * 13 % 4001, 0, 0, i * 17 % 997, 0,
    CASE WHEN i % 50 > 0 THEN i * 37 % 1000003 END, 0, i * 101 % 30011, 'default', 'project_' || (i * 7919 % ${KEYS} / 5),
    CASE WHEN i % 2 = 0 THEN 'eu_' || (i * 31 % ${END_USERS}) END,
    CASE WHEN i % 2 = 0 THEN '{"team":"t' || (i % 40) || '"}' END,
    CASE WHEN i % 2 = 0 THEN '{"end_user":"eu_' || (i * 31 % ${END_USERS}) || '","tag:team":"t' || (i % 40) || '"}' END,
    'alias_' || (i % 20), '{"a":[[' || CASE WHEN i % 101 = 0 THEN '"first/model"' ELSE 'null' END ||
    ',null,"main","answered",200,"up-' || i || '",null,120.5,480.1,null]],"c":{"input":0.00012,"output":0.0004}}'`
}

async function totalsOfLines(db: Database, { from, to }: { from: number; to: number }): Promise<Totals> {
  const sql = `SELECT COUNT(*) AS requests, SUM(prompt_tokens) AS tokens, SUM(cost_nanos) AS nanos FROM usage
    WHERE at >= $1 AND at < $2`
  const [result] = await db.transaction([{ sql, values: [from, to] }], { unhurried: true })
  const { requests, tokens, nanos } = result!.rows[0] as { requests: number; tokens: number; nanos: number }
  return { requests, prompt_tokens: tokens, cost: nanos / 1e9 }
}
