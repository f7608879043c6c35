import type { ScanState } from '../../engine-api/engines.ts'
import type { PreTools } from '../hook.ts'
import { CHARS_PER_STEP, OutOfSteps } from '../step-budget.ts'
import type { Kind, PersonalData } from './personal-data.ts'
import { SCAN_START, scanText } from './scan-text.ts'

/** How much text one piece of work in a thread searches, which takes a fifth of a second. */
const PIECE_CHARS = 100_000

type Found = Map<string, PersonalData[]>
type Finding = { kinds: readonly Kind[]; tools: Pick<PreTools, 'shortWork' | 'engine'> }

/** The findings of the patterns in each text. Short texts are searched at once, long ones piece by piece in a thread. */
export async function findInTexts(texts: Iterable<string>, finding: Finding): Promise<Found> {
  const found: Found = new Map()
  const pending = [...new Set(texts)].filter((text) => !findNow(text, finding, found))
  await findShort(
    pending.filter(({ length }) => length <= PIECE_CHARS),
    finding,
    found,
  )
  for (const text of pending) if (text.length > PIECE_CHARS) found.set(text, await findLong(text, finding))
  return found
}

/** Returns whether the search was possible without blocking the event loop. */
function findNow(text: string, { kinds, tools }: Finding, found: Found): boolean {
  // With many texts, an exception for each would take longer than the search.
  if (tools.shortWork.remaining < 1 + text.length / CHARS_PER_STEP) return false
  try {
    found.set(text, scanText(text, { kinds, isAll: true, state: SCAN_START, budget: tools.shortWork }).found)
    return true
  } catch (error) {
    if (error instanceof OutOfSteps) return false
    throw error
  }
}

async function findShort(texts: readonly string[], { kinds, tools }: Finding, found: Found): Promise<void> {
  for (const batch of inBatches(texts)) {
    const parts = batch.map((text) => ({ text, isAll: true, state: SCAN_START }))
    const scanned = await tools.engine('redact_pii', { parts, kinds })
    for (const [at, text] of batch.entries()) found.set(text, scanned[at]!.found)
  }
}

function inBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = []
  let chars = PIECE_CHARS
  for (const text of texts) {
    chars += text.length
    if (chars > PIECE_CHARS) [chars] = [text.length, batches.push([])]
    batches.at(-1)!.push(text)
  }
  return batches
}

/** Each piece starts where the result of the previous one became uncertain. */
async function findLong(text: string, { kinds, tools }: Finding): Promise<PersonalData[]> {
  const found: PersonalData[] = []
  let [at, state]: [number, ScanState] = [0, SCAN_START]
  while (at < text.length) {
    const isAll = at + PIECE_CHARS >= text.length
    const [scanned] = await tools.engine('redact_pii', {
      parts: [{ text: text.slice(at, at + PIECE_CHARS), isAll, state: { ...state, joined: 0 } }],
      kinds,
    })
    for (const one of scanned!.found) found.push({ ...one, start: one.start + at, end: one.end + at })
    at += scanned!.end
    state = scanned!.state
  }
  return found
}
