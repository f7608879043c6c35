// Whole answers under load: wrk where the machine has it, else autocannon.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { median } from './bench-figures.ts'
import { findProgram } from './upstream.ts'
import type { Workplace } from './workplace.ts'

const GRACE_MS = 15_000

export type BenchRequest = { url: string; headers: Record<string, string>; body: string }
type Load = BenchRequest & { connections: number; seconds: number }
type LoadOutcome = { count: number; seconds: number; p50Us: number; errors: number }
export type LoadGenerator = { name: 'wrk' | 'autocannon'; run(load: Load): Promise<LoadOutcome> }

type Autocannon = (options: object) => Promise<AutocannonResult> & { on(event: 'response', use: OnResponse): void }
type OnResponse = (client: unknown, status: number, bytes: number, milliseconds: number) => void
type AutocannonResult = { '2xx': number; non2xx: number; errors: number; duration: number }

export function loadGenerator(workplace: Workplace): LoadGenerator {
  const wrk = findProgram('wrk')
  if (wrk) return { name: 'wrk', run: (load) => runWrk(workplace, wrk, load) }
  return { name: 'autocannon', run: runAutocannon }
}

async function runWrk(workplace: Workplace, wrk: string, load: Load): Promise<LoadOutcome> {
  // With --at-once, two of them run at the same time.
  const folder = mkdtempSync(join(workplace.folder, 'wrk-'))
  const script = join(folder, 'wrk.lua')
  const body = join(folder, 'wrk-body.json')
  writeFileSync(body, load.body)
  writeFileSync(script, wrkScript(body, load.headers))
  const parameters = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '-s', script, load.url]
  const output = await workplace.run({ name: 'wrk', command: wrk, parameters }, load.seconds * 1000 + GRACE_MS)
  return JSON.parse(output.slice(output.lastIndexOf('{'))) as LoadOutcome
}

function wrkScript(bodyFile: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`)
  return `wrk.method = 'POST'
wrk.body = io.open(${quoted(bodyFile)}, 'rb'):read('*a')
${lines.join('\n')}
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"count":%d,"seconds":%f,"p50Us":%f,"errors":%d}',
    summary.requests - e.status, summary.duration / 1e6, latency:percentile(50),
    e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

// JSON's escapes of plain ASCII are also Lua's.
function quoted(text: string): string {
  return JSON.stringify(text)
}

async function runAutocannon(load: Load): Promise<LoadOutcome> {
  const autocannon: Autocannon = createRequire(import.meta.url)('autocannon')
  const { url, headers, body, connections, seconds } = load
  const run = autocannon({ url, method: 'POST', headers, body, connections, duration: seconds })
  const times: number[] = []
  // Its own percentiles are whole milliseconds.
  run.on('response', (_client, _status, _bytes, milliseconds) => times.push(milliseconds * 1000))
  const result = await run
  const errors = result.errors + result.non2xx
  return { count: result['2xx'], seconds: result.duration, p50Us: median(times), errors }
}
