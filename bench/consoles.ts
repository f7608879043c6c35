// What open consoles do to chats: `node bench/consoles.ts [--data DIR] [--database URL] [--slices n]`. One gateway on a ledger
// that is already there (`gatehouse demo` makes one), chats in slices that take turns: without consoles, without
// them once more (the noise), and with four.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { intervalOfMedian, median, othersShare, rotated } from './bench-figures.ts'
import { type Contender, localUrl, startGatehouse } from './contenders.ts'
import { watchMachine } from './cpu.ts'
import { type LoadGenerator, loadGenerator } from './load.ts'
import { percent, table } from './markdown.ts'
import { openConsoles } from './open-consoles.ts'
import { chatBody } from './payload.ts'
import { startWholeUpstream } from './upstream.ts'
import { freePort, openWorkplace } from './workplace.ts'

const CONSOLES = 4
const SECONDS = 2
const WARM_UPS = 3
const LOADS = [
  { title: '1 chat at a time', connections: 1 },
  { title: '32 chats at once', connections: 32 },
]
const ARMS = ['without', 'again without', 'with four'] as const

type Arm = (typeof ARMS)[number]
/** The median answer time of a slice, in microseconds. */
type Round = Record<Arm, number>
type Stage = { gatehouse: Contender; adminUrl: string; load: LoadGenerator; connections: number }

const { values } = parseArgs({
  options: { data: { type: 'string' }, database: { type: 'string' }, slices: { type: 'string', default: '20' } },
})
const workplace = openWorkplace()
try {
  const stage = await start()
  const used = watchMachine()
  const rows: string[][] = []
  for (const { title, connections } of LOADS) rows.push(rowOf(title, await measure({ ...stage, connections })))
  console.log(table(['load', 'p50 without', 'again ÷ without', 'with four ÷ without (95 % of the median)'], rows))
  console.log(`Other work on the machine: ${percent(othersShare([used()]))}`)
} finally {
  await workplace.close()
}

async function start(): Promise<Omit<Stage, 'connections'>> {
  const upstream = await startWholeUpstream(workplace)
  const adminPort = await freePort()
  const gatehouse = await startGatehouse(workplace, upstream.baseUrl, {
    ADMIN_PORT: String(adminPort),
    DATA_DIR: values.data ?? mkdtempSync(join(workplace.folder, 'data-')),
    ...(values.database && { DATABASE_URL: values.database }),
  })
  return { gatehouse, adminUrl: localUrl(adminPort, ''), load: loadGenerator(workplace) }
}

async function measure(stage: Stage): Promise<Round[]> {
  for (let pass = 0; pass < WARM_UPS; pass++) for (const arm of ARMS) await slice(stage, arm)
  const rounds: Round[] = []
  for (let number = 0; number < Number(values.slices); number++) {
    const round: Partial<Round> = {}
    for (const arm of rotated(ARMS, number)) round[arm] = await slice(stage, arm)
    rounds.push(round as Round)
  }
  return rounds
}

async function slice({ gatehouse, adminUrl, load, connections }: Stage, arm: Arm): Promise<number> {
  await using consoles = await openConsoles(adminUrl, arm === 'with four' ? CONSOLES : 0)
  const { url, headers, model } = gatehouse
  const { p50Us, errors } = await load.run({
    url,
    headers,
    body: chatBody(model, 1_024),
    connections,
    seconds: SECONDS,
  })
  if (errors > 0 || consoles.failed.length > 0) throw new Error(`${errors} chats failed; ${consoles.failed.join(', ')}`)
  return p50Us
}

function rowOf(title: string, rounds: readonly Round[]): string[] {
  const ratio = (arm: Arm) => {
    const { low, middle, high } = intervalOfMedian(rounds.map((round) => round[arm] / round.without))
    return `${middle.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`
  }
  const without = `${Math.round(median(rounds.map((round) => round.without)))} µs`
  return [title, without, ratio('again without'), ratio('with four')]
}
