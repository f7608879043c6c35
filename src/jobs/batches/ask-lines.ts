import type { FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { SECOND_MS } from '../../base/units/units.ts'
import type { FileServices } from '../../calls/files/files.ts'
import type { Problem } from '../../contract/problems.ts'
import {
  GATEWAY,
  type LineAnswer,
  noteTools,
  type OpenLine,
  putBack,
  takeLines,
} from '../../platform/store/batches/batch-lines.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { interruptedTools, ToolNotebook, type ToolNotes } from '../tool-notes.ts'
import { AnswerWriter } from './answer-writer.ts'
import type { LineReply, Lines } from './ask-line.ts'
import type { BatchRequest } from './batch-request.ts'
import type { Pace } from './pace.ts'
import { LineFault, readLine } from './read-line.ts'
import { InputGone, readPlaces } from './read-places.ts'

/** Lines of one batch that a process asks at once. */
const LINES_AT_ONCE = 32
/** A line that was begun so often and never ended may be what kills the process. */
export const MAX_STARTS = 3
/** A line that was refused for a while so often gets the refusal as its answer. */
const MAX_REFUSALS = 20
/** How long a batch waits for a budget that does not say when it is renewed, and the most that it waits before it looks again. */
const BUDGET_WAIT_MS = 600_000
const MAX_WAIT_MS = 600_000
const MIN_WAIT_MS = 1_000

/** Without a reason, providers work on lines, and are asked again then. */
export type Pause = { reason: string | null; forMs: number }

/** Why no more lines are begun. */
type AskingEnd = 'none left' | 'input gone' | 'key gone' | 'stopped' | Pause

export type AskingNeeds = {
  files: FileServices
  lines: Lines
  pace: Pace
  /** Lines that run in this process, of all batches. */
  places: FairSemaphore
  /** The key of the batch with what it may do now; undefined if it may do nothing any more. */
  caller(): Promise<Caller | undefined>
  now(): number
  monotonic(): number
  log: { error(about: object, text: string): void }
}

/** A line that may be answered later. `counts`: it comes behind the others, and not any number of times. */
type Refusal = { pause: Pause; counts: boolean }

/** Raised when no line is to be begun any more (`ending`), and when those that run are to be given up (`abort`). */
type AskingSignals = { ending: AbortSignal; abort: AbortSignal }

/** Asks the open lines of a batch until there are none, the turn is over, or the batch has to pause. Those that run are waited for. */
export async function askLines(batch: ClaimedBatch, needs: AskingNeeds, signals: AskingSignals): Promise<AskingEnd> {
  const asking = new Asking(batch, needs, signals)
  return await asking.run()
}

class Asking {
  readonly #batch: ClaimedBatch
  readonly #request: BatchRequest
  readonly #needs: AskingNeeds
  readonly #signals: AskingSignals
  readonly #writer: AnswerWriter
  readonly #running = new Set<Promise<void>>()
  #pause: Pause | undefined
  #failure: unknown
  #isLost = false

  constructor(batch: ClaimedBatch, needs: AskingNeeds, signals: AskingSignals) {
    this.#batch = batch
    this.#request = JSON.parse(batch.request) as BatchRequest
    this.#needs = needs
    this.#signals = signals
    this.#writer = new AnswerWriter(batch, { db: needs.files.db, monotonic: needs.monotonic })
  }

  async run(): Promise<AskingEnd> {
    try {
      return await this.#askAll()
    } finally {
      await Promise.all(this.#running)
    }
  }

  get #isEnding(): boolean {
    const { ending, abort } = this.#signals
    return ending.aborted || abort.aborted || this.#pause !== undefined || this.#isLost || this.#failure !== undefined
  }

  async #askAll(): Promise<AskingEnd> {
    const { files } = this.#needs
    for (;;) {
      if (this.#running.size >= LINES_AT_ONCE) await this.#oneEnds()
      if (this.#isEnding) break
      const lines = await takeLines(files.db, this.#batch, {
        limit: LINES_AT_ONCE - this.#running.size,
        carrier: GATEWAY,
      })
      if (lines.length > 0) {
        const missing = await this.#begin(lines)
        if (missing) return missing
      } else if (this.#running.size === 0) return this.#pause ?? 'none left'
      else await this.#oneEnds()
    }
    await Promise.all(this.#running)
    if (this.#failure !== undefined) throw this.#failure
    return this.#pause ?? 'stopped'
  }

  async #oneEnds(): Promise<void> {
    await Promise.race(this.#running)
  }

  /** Returns what is missing, if no line of the batch can be asked any more. */
  async #begin(lines: readonly OpenLine[]): Promise<'input gone' | 'key gone' | undefined> {
    const { files, pace, places } = this.#needs
    const { owner } = this.#batch
    const waiting = new Set(lines)
    try {
      const caller = await this.#needs.caller()
      if (!caller) return 'key gone'
      for await (const { line, bytes } of readPlaces(this.#batch, lines, files.blobs)) {
        await pace.turn(this.#signals.ending)
        if (this.#isEnding) break
        await places.acquire(owner, 1, this.#signals.ending)
        waiting.delete(line)
        const run = this.#ask(line, bytes, caller).finally(() => {
          places.release(owner)
          this.#running.delete(run)
        })
        this.#running.add(run)
      }
      return undefined
    } catch (error) {
      if (error instanceof InputGone) return 'input gone'
      if (!this.#signals.ending.aborted) throw error
      return undefined
    } finally {
      await this.#putBack([...waiting], false)
    }
  }

  /** Never rejects. */
  async #ask(line: OpenLine, bytes: Buffer, caller: Caller): Promise<void> {
    try {
      if (line.tools !== null) return await this.#keep(interrupted(line, JSON.parse(line.tools) as ToolNotes))
      if (line.starts > MAX_STARTS) return await this.#keep(givenUp(line))
      const notebook = new ToolNotebook((notes) => this.#noteTools(line, notes))
      const reply = await this.#replyTo(bytes, caller, notebook)
      if (this.#signals.abort.aborted) return
      // A line that has called tools is not asked again.
      if (!(reply instanceof LineFault) && notebook.tools.length === 0) {
        const refusal = this.#refusalIn(reply, line)
        if (refusal) return await this.#refused(line, refusal)
      }
      await this.#keep(answerOf(line, reply))
    } catch (error) {
      if (!this.#signals.abort.aborted) this.#failure ??= error
    }
  }

  async #noteTools({ number }: OpenLine, notes: ToolNotes): Promise<void> {
    if (await noteTools(this.#needs.files.db, this.#batch, number, JSON.stringify(notes))) return
    this.#isLost = true
    throw new Error('The batch belongs to another process.')
  }

  async #replyTo(bytes: Buffer, caller: Caller, { add }: ToolNotebook): Promise<LineReply | LineFault> {
    const { lines } = this.#needs
    const { id, door, endpoint } = this.#batch
    try {
      const { url, body } = readLine(bytes, { door, endpoint, endpointOf: lines.endpointOf })
      const { headers } = this.#request
      const batch = { id, tier: null, beforeToolCall: add }
      return await lines.ask({ url, body, caller, headers, batch }, this.#signals.abort)
    } catch (error) {
      if (error instanceof LineFault) return error
      throw error
    }
  }

  /** What keeps this line, and most likely those behind it, from being asked now. */
  #refusalIn({ problem }: LineReply, { refusals }: OpenLine): Refusal | undefined {
    if (!problem) return undefined
    const { code, message, details } = problem
    if (code === 'budget_exhausted') return { pause: pauseForBudget(problem, this.#needs), counts: false }
    if (!PASSING.has(code) || refusals >= MAX_REFUSALS) return undefined
    const waitMs = details.retryAfterSeconds === undefined ? 0 : details.retryAfterSeconds * SECOND_MS
    const backOffMs = MIN_WAIT_MS * 2 ** Math.min(refusals, 10)
    const forMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs || backOffMs))
    return { pause: { reason: message, forMs }, counts: true }
  }

  async #refused(line: OpenLine, { pause, counts }: Refusal): Promise<void> {
    this.#pause ??= pause
    await this.#putBack([line], counts)
  }

  async #putBack(lines: readonly OpenLine[], isRefused: boolean): Promise<void> {
    const { db } = this.#needs.files
    await putBack(
      db,
      this.#batch,
      lines.map(({ number }) => ({ number, isRefused })),
    )
  }

  async #keep(answer: LineAnswer): Promise<void> {
    if (!(await this.#writer.add(answer))) this.#isLost = true
  }
}

/** A budget may be raised at any time, so the batch looks again before it is renewed. */
export function pauseForBudget({ message, details: { members } }: Problem, { now }: { now(): number }): Pause {
  const renewed = typeof members?.resets_at === 'string' ? Date.parse(members.resets_at) : Number.NaN
  const forMs = Number.isFinite(renewed) ? renewed - now() : BUDGET_WAIT_MS
  return { reason: message, forMs: Math.max(MIN_WAIT_MS, Math.min(MAX_WAIT_MS, forMs)) }
}

/** The same request may be answered later. */
const PASSING: ReadonlySet<string> = new Set(['rate_limit_exceeded', 'rate_limited', 'overloaded', 'unavailable'])

export function answerOf({ number }: OpenLine, reply: LineReply | LineFault): LineAnswer {
  if (reply instanceof LineFault) return ofGateway(number, reply)
  const { status, requestId, body } = reply
  const outcome = status >= 200 && status < 300 ? ('succeeded' as const) : ('errored' as const)
  return { number, outcome, status, requestId, answer: body }
}

function interrupted({ number }: OpenLine, notes: ToolNotes): LineAnswer {
  return ofGateway(number, interruptedTools('the answer to this line', notes))
}

function givenUp({ number }: OpenLine): LineAnswer {
  return ofGateway(number, {
    code: 'line_given_up',
    message: `The line was begun ${MAX_STARTS} times, and the gateway stopped each time before it ended.`,
  })
}

/** What the gateway says about a line that it has no answer to. */
export function ofGateway(number: number, { code, message }: { code: string; message: string }): LineAnswer {
  return { number, outcome: 'errored', status: 0, requestId: null, answer: JSON.stringify({ code, message }) }
}
