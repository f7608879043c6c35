import { withoutDashes } from '../../base/schema/resource-id.ts'
import { MINUTE_MS } from '../../base/units/units.ts'
import { GATEWAY } from '../../platform/store/batches/batch-lines.ts'
import {
  knownAt,
  noteEnd,
  type ProviderBatch,
  type RestOfLines,
} from '../../platform/store/batches/provider-batches.ts'
import type { SeenEnd } from '../../translation/batches/batch-wire.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import type { OpenedApi } from './batch-api.ts'
import { type ProviderTurn, REMOVED } from './provider-turn.ts'
import { InputGone } from './read-places.ts'
import { takeResults } from './take-results.ts'

/** A batch whose creation was not answered is looked for in the provider's list for this long. */
const SOUGHT_FOR_MS = 10 * MINUTE_MS
const SLOWER_BY = 2

/** Batches at providers, from their creation until their answers are taken. */
export class ProviderWatch {
  readonly #turn: ProviderTurn

  constructor(turn: ProviderTurn) {
    this.#turn = turn
  }

  /** In how many milliseconds a provider is to be asked again; undefined if none has lines of this batch. */
  async nextLook(): Promise<number | undefined> {
    const { lateInMs, needs } = this.#turn
    const [first] = await this.#turn.list()
    return first && Math.max(needs.timing.leastLookMs, Math.min(first.inMs, lateInMs > 0 ? lateInMs : first.inMs))
  }

  /** Looks at the batches whose time it is. */
  async look(): Promise<void> {
    for (const row of await this.#turn.list()) {
      if (this.#turn.signals.ending.aborted) return
      if (this.#turn.isLate && row.state === 'running') await this.#cancel(row)
      else if (row.inMs <= 0) await this.#advance(row)
    }
  }

  /** No line is to be answered any more: asks the providers to stop. What they have answered by then is kept. */
  async stop(): Promise<void> {
    for (const row of await this.#turn.list()) {
      if (row.state === 'running') await this.#cancel(row)
      else if (row.inMs <= 0 || row.state === 'prepared' || row.state === 'submitting') await this.#advance(row)
    }
  }

  /** Takes a batch at a provider one step further. */
  async #advance(row: ProviderBatch): Promise<void> {
    const turn = this.#turn
    const api = turn.open(row)
    try {
      if (row.state === 'prepared') return await turn.end(row, { carrier: null })
      if (!api) throw new Error(REMOVED.message)
      const found = row.providerId === null ? await this.#find(row, api) : row
      if (found?.providerId == null) return
      const seen = await api.wire.look(found.providerId, api.ask)
      if (seen.isEnded) await this.#take(found, seen, api)
      else await turn.note(found, found.state, found.providerId, this.#slower(row))
    } catch (error) {
      if (turn.signals.abort.aborted) throw error
      if (error instanceof InputGone)
        return await turn.end(row, { outcome: 'errored', answer: JSON.stringify(UNREADABLE) })
      if (!isOfProvider(error) && api) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const about = { batch: turn.batch.id, provider: row.provider, error: reason }
      turn.needs.log.warn(about, 'a batch at a provider cannot be read now')
      if (turn.isLost) await turn.end(row, { outcome: 'errored', answer: JSON.stringify(LOST) })
      else await turn.note(row, row.state, row.providerId, this.#slower(row))
    }
  }

  /** What the provider may have answered, and so may have to be paid, is not asked again elsewhere. */
  async #take(row: ProviderBatch, { sources, failure }: SeenEnd, api: OpenedApi): Promise<void> {
    const turn = this.#turn
    const ended = await noteEnd(turn.needs.services().db, turn.batch, row)
    if (!ended) return
    const taken = sources ? await takeResults(turn, { ...row, at: ended.at }, sources, api) : 'garbled'
    if (taken === 'stopped') return
    if (taken === 'all') return await this.#endTaken(row, failure)
    turn.needs.log.warn(
      { batch: turn.batch.id, provider: row.provider },
      'results of a provider are not what they should be',
    )
    if (ended.agoMs > turn.needs.timing.garbledMs)
      await turn.end(row, { outcome: 'errored', answer: JSON.stringify(GARBLED) })
    else await turn.note(row, row.state, row.providerId, this.#slower(row))
  }

  /** The creation was not answered: perhaps the provider has the batch all the same. */
  async #find(row: ProviderBatch, { wire, ask }: OpenedApi): Promise<ProviderBatch | undefined> {
    const turn = this.#turn
    const known = await knownAt(turn.needs.services().db, row.provider)
    const mark = withoutDashes(row.id)
    const providerId = await wire.find({ mark, since: row.createdAt, count: row.lines, known }, ask)
    if (providerId !== undefined) {
      const state = wire.guesses ? 'guessed' : 'running'
      await turn.note(row, state, providerId)
      return { ...row, state, providerId }
    }
    if (row.ageMs < SOUGHT_FOR_MS) await turn.note(row, row.state, null)
    else await turn.end(row, { carrier: null })
    return undefined
  }

  async #cancel(row: ProviderBatch): Promise<void> {
    const turn = this.#turn
    const api = turn.open(row)
    if (!api) return
    try {
      await api.wire.cancel(row.providerId!, api.ask)
    } catch (error) {
      // It may have ended just now, which a look shows.
      if (!isOfProvider(error)) throw error
    }
    await turn.note(row, 'cancelling', row.providerId, 0)
    await this.#advance({ ...row, state: 'cancelling', waitMs: turn.needs.timing.lookMs })
  }

  async #endTaken(row: ProviderBatch, failure: string | undefined): Promise<void> {
    const turn = this.#turn
    const { batch, needs } = turn
    const reason = failure && turn.reasonOf(new UpstreamProblem('bad_request', failure), row)
    if (reason)
      needs.log.warn({ batch: batch.id, provider: row.provider, error: reason }, 'a provider did not answer a batch')
    await turn.end(row, this.#restOfEnded(reason))
  }

  #restOfEnded(reason: string | undefined): RestOfLines {
    const { batch, request, isOver } = this.#turn
    if (batch.state === 'cancelling') return { outcome: 'cancelled', answer: null }
    if (isOver) return { outcome: 'expired', answer: null }
    if (request.execution === 'auto') return { carrier: GATEWAY }
    const message = reason ? `${NO_ANSWER.message} The provider says: ${reason}` : NO_ANSWER.message
    return { outcome: 'errored', answer: JSON.stringify({ ...NO_ANSWER, message }) }
  }

  #slower({ waitMs }: Pick<ProviderBatch, 'waitMs'>): number {
    const { lookMs, maxLookMs } = this.#turn.needs.timing
    return Math.max(lookMs, Math.min(waitMs * SLOWER_BY, maxLookMs))
  }
}

const NO_ANSWER = { code: 'no_answer', message: 'The batch at the provider has ended without an answer to this line.' }
const LOST = {
  code: 'provider_batch_lost',
  message: 'The provider does not say what became of this line, so its cost is not known.',
}
const GARBLED = {
  code: 'provider_results_unreadable',
  message:
    'The results of the provider cannot be read, so it is not known whether it has answered this line, and what that cost.',
}
const UNREADABLE = {
  code: 'file_not_found',
  message: 'The input file is gone, so what the provider has answered cannot be read.',
}

function isOfProvider(error: unknown): boolean {
  return error instanceof UpstreamProblem || error instanceof WireFailure
}
