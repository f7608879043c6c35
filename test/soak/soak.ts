import { spawnSync } from 'node:child_process'
import { startPgBouncer } from '../fakes/pgbouncer.ts'
import { startPostgres } from '../fakes/postgres.ts'
import { type FlowOptions, type FlowReport, killedFlow } from './killed-flow.ts'
import { type KillOptions, killedLedger } from './killed-ledger.ts'
import { largeLedger } from './large-ledger.ts'
import { startProcess, temporaryFolder } from '../e2e/gateway-process.ts'
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
const WORKER_KILLS = 40 * SHARE
/** A killed API process has to be replaced within this time. */
const REPLACED_WITHIN_MS = 3_000

/** Each returns how much went wrong. */
const PARTS = {
  samples: wholeSamples,
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

/** The loop delay in ms; its p99 should be under 30. */
async function readings(): Promise<number> {
  const { isWithin, ...measured } = await loopDelayWhileReading()
  console.log(isWithin ? 'ok   ' : 'WRONG', 'loop delay while ten pages are read', JSON.stringify(measured))
  return isWithin ? 0 : 1
}

/** The memory of 100,000 keys, and the latency of chats before, during and after their import. */
async function manyKeys(): Promise<number> {
  const reports: [title: string, report: { isWithin: boolean }][] = [
    ['memory of 100,000 keys in use', await memoryOfKeys()],
    ['chats while 100,000 keys are imported, SQLite', await chatsDuringImport()],
  ]
  if ('url' in postgres)
    reports.push(['chats while 100,000 keys are imported, PostgreSQL', await chatsDuringImport(postgres.url)])
  for (const [title, { isWithin, ...measured }] of reports)
    console.log(isWithin ? 'ok   ' : 'WRONG', title, JSON.stringify(measured))
  return reports.filter(([, { isWithin }]) => !isWithin).length
}

async function killedFlows(): Promise<number> {
  let faults = 0
  for (const [title, flow] of Object.entries(FLOWS)) {
    faults += judge(`${title}, SQLite`, await killedFlow({ ...flow, endWithinMs: END_WITHIN_MS }))
    if (!flow.deliveriesOnly) faults += await killedFlowsOfPostgres(title, flow)
  }
  return faults
}

async function killedFlowsOfPostgres(title: string, flow: Omit<FlowOptions, 'endWithinMs'>): Promise<number> {
  const tenth = { ...flow, jobs: flow.jobs / 10, kills: flow.kills / 10, endWithinMs: END_WITHIN_MS }
  let faults = 0
  for (const [store, server] of Object.entries({ PostgreSQL: postgres, PgBouncer: pgbouncer }))
    if ('url' in server)
      faults += judge(`${title}, ${store} (a tenth)`, await killedFlow({ ...tenth, databaseUrl: server.url }))
  return faults
}

async function killedLedgers(): Promise<number> {
  let faults = 0
  for (const [title, kills] of Object.entries(LEDGERS)) {
    faults += await linesAfter(`${title}, SQLite`, kills)
    if ('url' in postgres) faults += await linesAfter(`${title}, PostgreSQL`, { ...kills, databaseUrl: postgres.url })
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
  const sqlite = await reportsOf('SQLite', undefined)
  return sqlite + ('url' in postgres ? await reportsOf('PostgreSQL', postgres.url) : 0)
}

/** Reports over a large ledger should take less than 200 ms, and add at most 50 ms to a job submission. */
async function reportsOf(store: string, databaseUrl: string | undefined): Promise<number> {
  const { wrong, slowestMs, submissionMs } = await largeLedger({ ...LARGE_LEDGER, databaseUrl })
  const isQuick = Math.max(...Object.values(slowestMs)) < 200 && submissionMs.duringReports < submissionMs.alone + 50
  const isOk = wrong.length === 0 && isQuick
  console.log(isOk ? 'ok   ' : 'WRONG', `reports, ${store}`, JSON.stringify({ wrong, slowestMs, submissionMs }))
  return isOk ? 0 : 1
}

async function killedApiProcesses(): Promise<number> {
  const sqlite = await workerKills('API processes killed, SQLite', {})
  if ('skip' in postgres) return sqlite
  return sqlite + (await workerKills('API processes killed, PostgreSQL', { DATABASE_URL: postgres.url }))
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
