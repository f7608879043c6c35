import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type GroupName, ROOT } from './groups.ts'

// All groups, each in a process of its own that reports for itself: `node --test` would carry every single result over to
// its own process first, which takes as long as the tests of a whole group.

/** More than there are cores: groups wait for disks, timers and processes of their own. */
const AT_ONCE = 5
const LIMIT_MS = 300_000
/** Those that take longest come first, or else they would end alone. */
const GROUPS: Record<GroupName, true> = {
  'worst-case': true,
  pure: true,
  processes: true,
  tasks: true,
  surface: true,
  chat: true,
  storage: true,
  sdks: true,
  features: true,
  'without-network': true,
}
const COUNTED = ['tests', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const

type Report = { group: string; output: string; isGood: boolean }

const started = performance.now()
const waiting = Object.keys(GROUPS)
const reports: Report[] = []
const first = runNext()
await once(spawn(process.execPath, ['test/groups/fill-code-cache.ts'], { cwd: ROOT, stdio: 'inherit' }), 'close')
await Promise.all([first, ...Array.from({ length: AT_ONCE - 1 }, runNext)])
summarize()

async function runNext(): Promise<void> {
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    const report = await run(group)
    reports.push(report)
    process.stdout.write(`\n▶▶ ${group}\n${report.output}`)
  }
}

async function run(group: string): Promise<Report> {
  const parameters = ['--test-reporter=spec', `test/groups/${group}.group.ts`]
  const child = spawn(process.execPath, parameters, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS })
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const output = said + complained
  // One that broke off before its end has no count, and is no success, whatever it says.
  return { group, output, isGood: code === 0 && countIn(output, 'tests') > 0 && countIn(output, 'fail') === 0 }
}

function summarize(): void {
  const bad = reports.filter(({ isGood }) => !isGood).map(({ group }) => group)
  for (const what of COUNTED) {
    console.log(`ℹ ${what} ${reports.reduce((sum, { output }) => sum + countIn(output, what), 0)}`)
  }
  console.log(`ℹ duration_ms ${Math.round(performance.now() - started)}`)
  if (bad.length === 0) return
  console.log(`✖ failed: ${bad.join(', ')} (see above, or run: node --test test/groups/${bad[0]}.group.ts)`)
  process.exitCode = 1
}

/** From the summary at the end of a report. */
function countIn(output: string, what: (typeof COUNTED)[number]): number {
  return Number(
    output
      .match(new RegExp(`^ℹ ${what} (\\d+)$`, 'gm'))
      ?.at(-1)
      ?.split(' ')
      .at(-1) ?? 0,
  )
}
