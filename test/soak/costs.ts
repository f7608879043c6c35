import { HOSTILE_BODIES } from '../../src/translation/json/fixtures/hostile-bodies.ts'
import { parseText, readText } from '../../src/translation/json/parse-body.ts'
import { cpuOf } from '../fakes/cpu.ts'

// What hard input costs, as a multiple of plainer work on the same machine. The tests of CI do not assert such factors, because they
// change with the load of the machine: those assert how work grows. `npm run soak -- costs` measures only this.

const RUNS = 5
/** Seen: up to 7, for blanks around numbers, which JSON.parse skips faster than any JavaScript. */
const MOST = 10

type Cost = { name: string; factor: number; most: number; isWithin: boolean }
type Case = { name: string; most: number; work(): unknown; plain(): unknown }

export async function costs(): Promise<Cost[]> {
  return readingBodies().map(({ name, most, work, plain }) => {
    const factor = Number((least(work) / least(plain)).toFixed(2))
    return { name, factor, most, isWithin: factor < most }
  })
}

/** Reading the body of a request, step by step, compared with JSON.parse alone. */
function readingBodies(): Case[] {
  return Object.entries(HOSTILE_BODIES).flatMap(([name, { text, most }]): Case[] => {
    const bytes = Buffer.from(text(most))
    const read = readText(bytes)
    const plain = () => JSON.parse(bytes.toString())
    return [
      { name: `scanning a body, ${name}`, most: MOST, work: () => readText(bytes), plain },
      { name: `parsing a body, ${name}`, most: MOST, work: () => parseText(read), plain },
    ]
  })
}

/** The cheapest of some runs, in microseconds of CPU. */
function least(work: () => unknown): number {
  return Math.max(1, Math.min(...Array.from({ length: RUNS }, () => cpuOf(work))))
}
