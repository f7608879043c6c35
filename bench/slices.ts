// Contenders in turn, one short slice each, round after round; CPU is read before and after every slice.
import { type MachineUse, rotated } from './bench-figures.ts'
import type { Contender, ContenderName } from './contenders.ts'
import { treeCpuUs, treeRssBytes, watchMachine } from './cpu.ts'

/** Work a contender put off (a batch of ledger lines, a log buffer) still belongs to the slice that caused it. */
const SETTLE_MS = 300

/** What a slice did: `count` is requests or events, `p50Us` the median answer time or time to first byte. */
export type Work = { count: number; seconds: number; p50Us: number; errors: string[]; aborts?: Aborts }
export type Aborts = { sent: number; reached: number }
export type Slice = Work & {
  contender: ContenderName
  round: number
  cpuUs: number
  rssBytes: number
  machine: MachineUse
}
export type Rounds = { warmUps: number; slices: number }
export type Doing = (contender: Contender) => Promise<Work>

export async function runSlices(contenders: readonly Contender[], rounds: Rounds, work: Doing): Promise<Slice[]> {
  for (let pass = 0; pass < rounds.warmUps; pass++) for (const contender of contenders) await work(contender)
  const slices: Slice[] = []
  for (let round = 0; round < rounds.slices; round++) {
    for (const contender of rotated(contenders, round)) slices.push(await runSlice(contender, round, work))
    process.stderr.write('.')
  }
  process.stderr.write('\n')
  return slices
}

/** A slice with errors is void: it is named in the report, but no figure comes from it. */
export function isValid(slice: Slice): boolean {
  return slice.errors.length === 0 && slice.count > 0
}

async function runSlice(contender: Contender, round: number, work: Doing): Promise<Slice> {
  const used = watchMachine()
  const before = cpuUs(contender)
  const done = await work(contender).catch(failed)
  if (contender.running) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return {
    ...done,
    contender: contender.name,
    round,
    cpuUs: (cpuUs(contender) - before) / done.count,
    rssBytes: contender.running ? treeRssBytes(contender.running.pid) : 0,
    machine: used(),
  }
}

function failed(error: Error): Work {
  return { count: 0, seconds: 0, p50Us: Number.NaN, errors: [error.message] }
}

function cpuUs(contender: Contender): number {
  return contender.running ? treeCpuUs(contender.running.pid) : 0
}
