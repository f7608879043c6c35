// Contenders in turn, one short slice each, round after round; CPU is read before every slice and once more at the end.
import { withProgress } from '../src/cli/output/progress.ts'
import { type MachineUse, rotated } from './bench-figures.ts'
import type { Contender, ContenderName } from './contenders.ts'
import type { ScenarioName } from './settings.ts'
import { treeCpuUs, treeRssBytes, watchMachine } from './cpu.ts'

/** Longer than any contender keeps work for later (a batch of ledger lines, a log buffer). */
const SETTLE_MS = 1_200

/** What a slice did: `count` is requests or events, `p50Us` the median answer time or time to first byte. */
export type Work = { count: number; seconds: number; p50Us: number; errors: string[]; aborts?: Aborts }
type Aborts = { sent: number; reached: number }
export type Doing = (contender: Contender) => Promise<Work>
type Rounds = {
  warmUps: number
  slices: number
  /** All contenders of a round run at the same time, and share whatever else happens on the machine. */
  atOnce?: boolean
}
export type Slice = Work & {
  contender: ContenderName
  round: number
  /** CPU per request or event. */
  cpuUs: number
  rssBytes: number
  machine: MachineUse
}
export type Result = { scenario: ScenarioName; title: string; slices: Slice[] }
type OpenSlice = Omit<Slice, 'cpuUs'> & { cpuBeforeUs: number }

export async function runSlices(contenders: readonly Contender[], rounds: Rounds, work: Doing): Promise<Slice[]> {
  const slices = await withProgress('slices', { screen: process.stderr }, async ({ at }) => {
    const total = contenders.length * (rounds.warmUps + rounds.slices)
    let done = 0
    const counted: Doing = async (contender) => {
      at(done++, total)
      return await work(contender)
    }
    return await openSlices(contenders, rounds, counted)
  })
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return closeSlices(slices, new Map(contenders.map((contender) => [contender.name, cpuUs(contender)])))
}

async function openSlices(contenders: readonly Contender[], rounds: Rounds, work: Doing): Promise<OpenSlice[]> {
  for (let pass = 0; pass < rounds.warmUps; pass++) for (const contender of contenders) await work(contender)
  const slices: OpenSlice[] = []
  for (let round = 0; round < rounds.slices; round++) {
    const inTurn = rotated(contenders, round)
    if (rounds.atOnce) slices.push(...(await Promise.all(inTurn.map((one) => runSlice(one, round, work)))))
    else for (const contender of inTurn) slices.push(await runSlice(contender, round, work))
  }
  return slices
}

/**
 * A slice's CPU is all that its contender used until its own next slice began: what a contender puts off until others
 * have their turn is still its work.
 */
export function closeSlices(slices: readonly OpenSlice[], last: ReadonlyMap<ContenderName, number>): Slice[] {
  const until = new Map(last)
  const closed = slices.toReversed().map(({ cpuBeforeUs, ...slice }) => {
    const used = (until.get(slice.contender) ?? 0) - cpuBeforeUs
    until.set(slice.contender, cpuBeforeUs)
    return { ...slice, cpuUs: used / slice.count }
  })
  return closed.reverse()
}

/** A slice with errors is void: it is named in the report, but no figure comes from it. */
export function isValid(slice: Slice): boolean {
  return slice.errors.length === 0 && slice.count > 0
}

async function runSlice(contender: Contender, round: number, work: Doing): Promise<OpenSlice> {
  const used = watchMachine()
  const cpuBeforeUs = cpuUs(contender)
  const done = await work(contender).catch((error: Error) => failed(contender, error))
  const rssBytes = contender.running ? treeRssBytes(contender.running.pid) : 0
  return { ...done, contender: contender.name, round, cpuBeforeUs, rssBytes, machine: used() }
}

function failed({ running }: Contender, error: Error): Work {
  const reason = running && !running.alive() ? `it ended: ${running.lastWords()}` : error.message
  return { count: 0, seconds: 0, p50Us: Number.NaN, errors: [reason] }
}

function cpuUs(contender: Contender): number {
  return contender.running ? treeCpuUs(contender.running.pid) : 0
}
