import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CASES, isSlow } from './cases.ts'
import { accounting, floodOfOneModel, malformedIsCounted, outage, retryBudget, runLong } from './long-cases.ts'
import { type Result, runCase } from './run-case.ts'
import { openStage } from './stage.ts'

// How the gateway handles failing providers, in real time: `npm run rehearse`, about five minutes, never more than six.
// Exits with 1 if anything was wrong. `--quick` runs a tenth of the storms.

const WHOLE_RUN_MS = 350_000
const SHARE = process.argv.includes('--quick') ? 0.1 : 1
const STORMS: Record<string, number>[] = [
  { randomCuts: 1_000, leaving: 500, openAndCancel: 20_000 },
  { crossTalk: 50_000 },
]

const children: ChildProcess[] = []
let wrong = 0
let printed = 0

const watchdog = setTimeout(() => {
  console.error('The rehearsal takes longer than it may.')
  for (const child of children) child.kill('SIGKILL')
  process.exit(1)
}, WHOLE_RUN_MS).unref()

console.log(row('', 'case', 'calls', 'seconds', 'what the caller got'))
await playCases()
await Promise.all(STORMS.map(runStorms))
clearTimeout(watchdog)
console.log(`\n${printed - wrong} right, ${wrong} wrong`)
process.exitCode = wrong === 0 ? 0 : 1

/** Slow cases run concurrently, the others one after the other. */
async function playCases(): Promise<void> {
  const stage = await openStage('real')
  const waiting = [...CASES.filter(isSlow).map((one) => runCase(one, stage)), runLong(outage, stage)]
  const printing = waiting.map(async (result) => print(await result))
  for (const one of CASES) if (!isSlow(one)) print(await runCase(one, stage))
  await Promise.all(printing)
  for (const long of [malformedIsCounted, accounting, retryBudget, floodOfOneModel]) print(await runLong(long, stage))
  await stage.close()
}

async function runStorms(storms: Record<string, number>): Promise<void> {
  const requests = Object.entries(storms).map(([name, count]) => `${name}=${count * SHARE}`)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'storm-child.ts'), ...requests], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const ended = once(child, 'exit')
  let results = 0
  for await (const line of createInterface(child.stdout)) {
    print(JSON.parse(line) as Result)
    results++
  }
  await ended
  if (results < requests.length) {
    print({
      title: requests.slice(results).join(' '),
      got: 'no result',
      calls: 0,
      seconds: 0,
      wrong: ['the process ended'],
    })
  }
}

function print({ title, got, calls, seconds, wrong: faults }: Result): void {
  printed++
  if (faults.length > 0) wrong++
  console.log(row(faults.length === 0 ? 'right' : 'WRONG', title, String(calls), seconds.toFixed(1), got))
  for (const fault of faults) console.log(`      ${fault}`)
}

function row(mark: string, title: string, calls: string, seconds: string, got: string): string {
  return [mark.padEnd(5), title.padEnd(92), calls.padStart(6), seconds.padStart(8), ` ${got}`].join(' ')
}
