import type { UsageReport } from '../../src/contract/admin/usage.ts'
import { DAY_MS, HOUR_MS, rollUpAllSql } from '../../src/store/ledger/rollups.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrations.ts'
import { openDatabase } from '../../src/store/open-database.ts'
import { adminClient } from '../e2e/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../e2e/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../e2e/gateway-under-test.ts'

// A ledger with many lines, made inside of the database. Reports have to be the sums of its lines, and quick, and job
// submissions must not wait for them.

const LINES_AT_ONCE = 200_000
const KEYS = 1_000
const GROUPS = ['key', 'owner', 'model', 'provider', 'endpoint', 'status', 'day', 'hour']
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

export type LargeLedgerReport = {
  /** Reports whose totals are not those of the lines. */
  wrong: string[]
  /** How long the slowest of some reports took, by what it was grouped by. */
  slowestMs: Record<string, number>
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
  const to = Date.now() - 17 * 60_000
  const from = to - days * DAY_MS + 3 * 60_000
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
  return { wrong, slowestMs, submissionMs: await submissions(gateway.url, jobs, report) }
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
  await db.transaction(
    rollUpAllSql('usage').map((sql) => ({ sql })),
    { unhurried: true },
  )
  if (db.kind === 'postgres') await db.query('ANALYZE usage_rollups')
}

const COLUMNS = `id, at, key_id, owner, endpoint, model, provider, status, code, stream, attempts, prompt_tokens,
  cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost_nanos, estimated, duration_ms`

function valuesOf(from: number, distance: number): string {
  return `'req_' || i, CAST(FLOOR(${from} + i * CAST(${distance} AS DOUBLE PRECISION)) AS BIGINT), 'key_' || (i * 7919 % ${KEYS}),
    'owner_' || (i * 7919 % ${KEYS} / 5), CASE i % 3 WHEN 0 THEN 'chat/completions' WHEN 1 THEN 'messages' ELSE 'responses' END,
    'provider/model_' || (i * 31 % 61), 'provider_' || (i * 31 % 61 % 12), CASE WHEN i % 97 = 0 THEN 502 ELSE 200 END,
    CASE WHEN i % 97 = 0 THEN 'upstream_error' END, i % 2, 1, i * 13 % 4001, 0, 0, i * 17 % 997, 0,
    CASE WHEN i % 50 > 0 THEN i * 37 % 1000003 END, 0, i * 101 % 30011`
}

async function totalsOfLines(db: Database, { from, to }: { from: number; to: number }): Promise<Totals> {
  const sql = `SELECT COUNT(*) AS requests, SUM(prompt_tokens) AS tokens, SUM(cost_nanos) AS nanos FROM usage
    WHERE at >= $1 AND at < $2`
  const [result] = await db.transaction([{ sql, values: [from, to] }], { unhurried: true })
  const { requests, tokens, nanos } = result!.rows[0] as { requests: number; tokens: number; nanos: number }
  return { requests, prompt_tokens: tokens, cost: nanos / 1e9 }
}
