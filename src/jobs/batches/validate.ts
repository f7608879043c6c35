import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import {
  type Carrier,
  forgetLines,
  insertLines,
  type LinePlace,
  unfinishedLinesOf,
} from '../../platform/store/batches/batch-lines.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import type { BatchProblem } from '../../platform/store/batches/batches.ts'
import type { Database } from '../../platform/store/database.ts'
import { type TextLine, textLines } from './jsonl.ts'
import { LineFault, type LineRules, readLine } from './read-line.ts'

/** The most lines of one batch, and of all batches of an owner that have not ended. */
const MAX_LINES = 50_000
const MAX_UNFINISHED_LINES = 500_000
/** How many faults are listed. The rest of the file is not read then. */
const MAX_PROBLEMS = 100
const LINES_AT_ONCE = 500
/** After this many bytes, other work gets its turn. */
const BYTES_PER_TURN = 256 * 1024

/** `carrier`: who answers the lines, if that is known. */
type Needs = { db: Database; blobs: BlobStore; maxLineBytes: number; carrier: Carrier; signal: AbortSignal } & Pick<
  LineRules,
  'endpointOf'
>

/** `total` is how many lines there are. */
export type Validation = { problems: BatchProblem[]; total: number }

/**
 * Reads the file once, checks every line, and notes where it is. Neither the file nor the notes are held in memory: of a line, only the
 * hash of its id is, for as long as the file is read. Undefined if the batch does not belong to this attempt any more.
 */
export async function validate(batch: ClaimedBatch, needs: Needs): Promise<Validation | undefined> {
  const { db, blobs, carrier, signal } = needs
  if (!(await forgetLines(db, batch))) return undefined
  const file = await blobs.read(batch.inputFile, undefined, batch.owner)
  if (!file)
    return { problems: [fileProblem('file_not_found', 'The input file was deleted or has expired.')], total: 0 }
  const checker = new LineChecker({ door: batch.door, endpoint: batch.endpoint, endpointOf: needs.endpointOf })
  let places: LinePlace[] = []
  let bytes = 0
  for await (const line of textLines(file, needs.maxLineBytes)) {
    signal.throwIfAborted()
    const place = checker.check(line, needs.maxLineBytes)
    if (place) places.push(place)
    if (checker.isFull) break
    if (places.length >= LINES_AT_ONCE) {
      if (!(await insertLines(db, batch, places, carrier))) return undefined
      places = []
    }
    bytes += line.length
    if (bytes > BYTES_PER_TURN) {
      bytes = 0
      await turn()
    }
  }
  const found = checker.result
  if (found.problems.length > 0) return found
  if ((await unfinishedLinesOf(db, batch.owner, batch.id)) + found.total > MAX_UNFINISHED_LINES)
    return { ...found, problems: [tooManyWaiting()] }
  return (await insertLines(db, batch, places, carrier)) ? found : undefined
}

class LineChecker {
  readonly #rules: LineRules
  readonly #ids = new Map<string, number>()
  readonly #problems: BatchProblem[] = []
  #total = 0

  constructor(rules: LineRules) {
    this.#rules = rules
  }

  get isFull(): boolean {
    return this.#problems.length >= MAX_PROBLEMS || this.#total > MAX_LINES
  }

  get result(): Validation {
    const problems = [...this.#problems]
    if (this.#total === 0) problems.push(fileProblem('empty_file', 'The input file has no lines.'))
    if (this.#total > MAX_LINES)
      problems.unshift(
        fileProblem('too_many_lines', `A batch may have ${MAX_LINES} lines, and the input file has more.`),
      )
    return { problems: problems.slice(0, MAX_PROBLEMS), total: this.#total }
  }

  /** The place of a line that is valid. */
  check(line: TextLine, maxBytes: number): LinePlace | undefined {
    this.#total++
    try {
      if (!line.bytes) throw new LineFault('line_too_long', `A line may have ${maxBytes} bytes.`)
      const { customId } = readLine(line.bytes, this.#rules)
      if (customId !== null && this.#rules.door !== 'gemini') this.#refuseRepeated(customId, line.number)
      const { number, begins, length } = line
      return { number, customId, begins, length }
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      this.#problems.push({ code: error.code, message: error.message, line: line.number, param: error.param })
      return undefined
    }
  }

  #refuseRepeated(customId: string, number: number): void {
    const key = hash('sha256', customId, 'base64').slice(0, 22)
    const first = this.#ids.get(key)
    if (first === undefined) this.#ids.set(key, number)
    else throw new LineFault('duplicate_custom_id', `Line ${first} has the same custom_id.`, 'custom_id')
  }
}

function fileProblem(code: string, message: string): BatchProblem {
  return { code, message, line: null, param: null }
}

function tooManyWaiting(): BatchProblem {
  const message =
    `The batches of this owner that have not ended may have ${MAX_UNFINISHED_LINES} lines together. ` +
    'Try again when some of them have ended.'
  return fileProblem('too_many_waiting_lines', message)
}
