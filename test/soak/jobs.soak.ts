import { startPostgres } from '../fakes/postgres.ts'
import { type FlowOptions, type FlowReport, killedFlow } from './killed-flow.ts'

// The long form of the tests that kill processes: `node test/soak/jobs.soak.ts`, some minutes. Exits with 1 when anything was
// lost, stuck or changed. `--quick` does a tenth of it.

const SHARE = process.argv.includes('--quick') ? 0.1 : 1
const END_WITHIN_MS = 120_000
const WHOLE_RUN_MS = 1_800_000

const FLOWS: Record<string, Omit<FlowOptions, 'endWithinMs'>> = {
  'jobs, process killed': { jobs: 5_000 * SHARE, kills: 200 * SHARE, lifeMs: 400 },
  'webhooks, deliverer killed': { jobs: 2_000 * SHARE, kills: 100 * SHARE, lifeMs: 120, deliveriesOnly: true },
}

const watchdog = setTimeout(() => {
  console.error('The soak test takes longer than it may.')
  process.exit(1)
}, WHOLE_RUN_MS).unref()

await using closing = new AsyncDisposableStack()
const postgres = await startPostgres({ fsync: true })
if ('skip' in postgres) console.log(`PostgreSQL is left out: ${postgres.skip}`)
else closing.defer(postgres.stop)

let wrong = 0
for (const [title, flow] of Object.entries(FLOWS)) {
  wrong += judge(`${title}, SQLite`, await killedFlow({ ...flow, endWithinMs: END_WITHIN_MS }))
  if ('url' in postgres && !flow.deliveriesOnly) {
    const tenth = { ...flow, jobs: flow.jobs / 10, kills: flow.kills / 10, databaseUrl: postgres.url }
    wrong += judge(`${title}, PostgreSQL (a tenth)`, await killedFlow({ ...tenth, endWithinMs: END_WITHIN_MS }))
  }
}
clearTimeout(watchdog)
process.exitCode = wrong === 0 ? 0 : 1

function judge(title: string, report: FlowReport): number {
  const { lost, stuck, changedAfterEnd, deliveriesLost, repetitionsThatDiffer } = report
  const faults = lost + stuck + changedAfterEnd + deliveriesLost + repetitionsThatDiffer
  console.log(faults === 0 ? 'ok   ' : 'WRONG', title, JSON.stringify(report))
  return faults
}
