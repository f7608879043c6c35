import { spawnSync } from 'node:child_process'
import { startPgBouncer } from '../fakes/pgbouncer.ts'
import { startPostgres } from '../fakes/postgres.ts'
import { newPostgres } from '../fakes/stores.ts'
import { costs } from './costs.ts'
import { type FlowOptions, type FlowReport, killedFlow } from './killed-flow.ts'
import { type KillOptions, killedLedger } from './killed-ledger.ts'
import { largeLedger } from './large-ledger.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { killedWorkers } from './killed-workers.ts'
import { loopDelayWhileReading } from './loop-delay.ts'
import { chatsDuringImport, memoryOfKeys } from './many-keys.ts'
import { sampledTests } from './sampled-tests.ts'

// The long form of the tests that kill processes, and of those that try a sample of something: `npm run soak`, about an hour.
// Exits with 1 if anything was lost, stuck or changed, or if a test failed. `--quick` kills and fills a tenth of it, and
// `npm run soak -- reports workers` runs only the parts that it names.

const ROOT = new URL('../..', import.meta.url).pathname
const SHARE = process.argv.includes('--quick') ? 0.1 : 1
const END_WITHIN_MS = 120_000
const WHOLE_RUN_MS = 7_200_000

const FLOWS: Record<string, Omit<FlowOptions, 'endWithinMs'>> = {
  'jobs, process killed': { jobs: 5_000 * SHARE, kills: 200 * SHARE, lifeMs: 400 },
  'webhooks, deliverer killed': { jobs: 2_000 * SHARE, kills: 100 * SHARE, lifeMs: 120, deliveriesOnly: true },
}

const LEDGERS: Record<string, KillOptions> = {
  'ledger, process killed': { kills: 40 * SHARE, lifeMs: 2_000, clients: 64 },
  'ledger, one of two API processes killed': { kills: 40 * SHARE, lifeMs: 2_000, clients: 64, workers: 2 },
}

const LARGE_LEDGER = { lines: 10_000_000 * SHARE, days: 100, jobs: 200, repeats: 5 }
const MAX_REPORT_MS = 200
const MAX_FIRST_PAGE_MS = 100
const MAX_ADDED_MS = 50
const WORKER_KILLS = 40 * SHARE
/** A killed API process has to be replaced within this time. */
const REPLACED_WITHIN_MS = 3_000

/** Each returns how much went wrong. */
const PARTS = {
  samples: wholeSamples,
  costs: factors,
  pages: readings,
  keys: manyKeys,
  flows: killedFlows,
  ledger: killedLedgers,
  reports: largeLedgers,
  workers: killedApiProcesses,
} satisfies Record<string, () => Promise<number>>

const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const unknown = named.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`)
  process.exit(1)
}

const watchdog = setTimeout(() => {
  console.error('The soak test takes longer than it may.')
  process.exit(1)
}, WHOLE_RUN_MS).unref()

await using closing = new AsyncDisposableStack()
const postgres = await startPostgres({ fsync: true })
if ('skip' in postgres) console.log(`PostgreSQL is left out: ${postgres.skip}`)
else closing.defer(postgres.stop)
const pgbouncer = 'skip' in postgres ? postgres : await startPgBouncer(postgres.url)
if ('skip' in pgbouncer) console.log(`PgBouncer is left out: ${pgbouncer.skip}`)
else closing.defer(pgbouncer.stop)

let wrong = 0
for (const [name, part] of Object.entries(PARTS)) {
  if (named.length > 0 && !named.includes(name)) console.log(`skipped ${name}: not asked for`)
  else wrong += await part()
}
clearTimeout(watchdog)
process.exitCode = wrong === 0 ? 0 : 1

async function wholeSamples(): Promise<number> {
  const flags = ['--test', '--test-concurrency=1', '--test-reporter=dot']
  const env = { ...process.env, GATEHOUSE_SOAK: '1' }
  const { status } = spawnSync(process.execPath, [...flags, ...sampledTests()], { cwd: ROOT, env, stdio: 'inherit' })
  console.log(status === 0 ? 'ok   ' : 'WRONG', 'samples in full')
  return status === 0 ? 0 : 1
}

/** How many times as long as plainer work it takes to read hostile input. */
async function factors(): Promise<number> {
  let wrong = 0
  for (const { name, ...cost } of await costs()) wrong += said(`cost of ${name}`, cost)
  return wrong
}

/** The loop delay in ms; its p99 should be under 30. */
async function readings(): Promise<number> {
  return said('loop delay while ten pages are read', await loopDelayWhileReading())
}

/**
 * Runs on a database of its own: what another run has left there would be taken for the own, and is encrypted with another
 * key. Nothing is wrong if there is no such server.
 */
async function onPostgres(
  work: (databaseUrl: string) => Promise<number>,
  through: { url: string } | { skip: string } = postgres,
): Promise<number> {
  if ('skip' in postgres || 'skip' in through) return 0
  const { databaseUrl, remove } = await newPostgres(postgres.url, through.url)
  return await work(databaseUrl!).finally(remove)
}

/** The memory of 100,000 keys, and the latency of chats before, during and after their import. */
async function manyKeys(): Promise<number> {
  const title = 'chats while 100,000 keys are imported'
  return (
    said('memory of 100,000 keys in use', await memoryOfKeys()) +
    said(`${title}, SQLite`, await chatsDuringImport()) +
    (await onPostgres(async (url) => said(`${title}, PostgreSQL`, await chatsDuringImport(url))))
  )
}

function said(title: string, { isWithin, ...measured }: { isWithin: boolean }): number {
  console.log(isWithin ? 'ok   ' : 'WRONG', title, JSON.stringify(measured))
  return isWithin ? 0 : 1
}

async function killedFlows(): Promise<number> {
  let faults = 0
  for (const [title, flow] of Object.entries(FLOWS)) {
    faults += judge(`${title}, SQLite`, await killedFlow({ ...flow, endWithinMs: END_WITHIN_MS }))
    if (flow.deliveriesOnly) continue
    const tenth = { ...flow, jobs: flow.jobs / 10, kills: flow.kills / 10, endWithinMs: END_WITHIN_MS }
    for (const [store, server] of Object.entries({ PostgreSQL: postgres, PgBouncer: pgbouncer }))
      faults += await onPostgres(async (databaseUrl) => {
        return judge(`${title}, ${store} (a tenth)`, await killedFlow({ ...tenth, databaseUrl }))
      }, server)
  }
  return faults
}

async function killedLedgers(): Promise<number> {
  let faults = 0
  for (const [title, kills] of Object.entries(LEDGERS)) {
    faults += await linesAfter(`${title}, SQLite`, kills)
    faults += await onPostgres((databaseUrl) => linesAfter(`${title}, PostgreSQL`, { ...kills, databaseUrl }))
  }
  return faults
}

async function linesAfter(title: string, kills: KillOptions): Promise<number> {
  const { missing, repeated, ...counts } = await killedLedger(kills)
  const faults = { missing: missing.length, repeated: repeated.length }
  console.log(
    faults.missing + faults.repeated === 0 ? 'ok   ' : 'WRONG',
    title,
    JSON.stringify({ ...counts, ...faults }),
  )
  return faults.missing + faults.repeated
}

async function largeLedgers(): Promise<number> {
  return (await reportsOf('SQLite', undefined)) + (await onPostgres((url) => reportsOf('PostgreSQL', url)))
}

function slowestOf(times: Record<string, number>): number {
  return Math.max(...Object.values(times))
}

/** Reports over a large ledger are quick, and so are first pages of the request log; job submissions hardly notice them. */
async function reportsOf(store: string, databaseUrl: string | undefined): Promise<number> {
  const report = await largeLedger({ ...LARGE_LEDGER, databaseUrl })
  const { wrong, slowestMs, firstPageMs, submissionMs } = report
  const isQuick = slowestOf(slowestMs) < MAX_REPORT_MS && slowestOf(firstPageMs) < MAX_FIRST_PAGE_MS
  const isUnhindered = submissionMs.duringReports < submissionMs.alone + MAX_ADDED_MS
  return said(`reports, ${store}`, { ...report, isWithin: wrong.length === 0 && isQuick && isUnhindered })
}

async function killedApiProcesses(): Promise<number> {
  const sqlite = await workerKills('API processes killed, SQLite', {})
  return sqlite + (await onPostgres((url) => workerKills('API processes killed, PostgreSQL', { DATABASE_URL: url })))
}

/** No connection may hang, no counter decrease, and a replacement has to come in time. */
async function workerKills(title: string, env: Record<string, string>): Promise<number> {
  const folder = await temporaryFolder()
  const gateway = await startProcess({ DATA_DIR: folder.data, WORKERS: '2', GATEHOUSE_API_KEY: 'soak', ...env })
  const report = await killedWorkers({ gateway, key: 'soak', clients: 16, kills: WORKER_KILLS, lifeMs: 2_500 })
  await gateway.stop()
  await folder.remove()
  const late = report.replacedMs.filter((ms) => ms > REPLACED_WITHIN_MS).length
  const faults = report.hung + report.decreased.length + late
  console.log(faults === 0 ? 'ok   ' : 'WRONG', title, JSON.stringify({ ...report, late }))
  return faults
}

function judge(title: string, report: FlowReport): number {
  const { lost, stuck, changedAfterEnd, deliveriesLost, repetitionsThatDiffer } = report
  const faults = lost + stuck + changedAfterEnd + deliveriesLost + repetitionsThatDiffer
  console.log(faults === 0 ? 'ok   ' : 'WRONG', title, JSON.stringify(report))
  return faults
}
