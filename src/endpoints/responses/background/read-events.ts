import { setTimeout as sleep } from 'node:timers/promises'
import type { CallServices } from '../../../calls/services/call-services.ts'
import type { PulledStream } from '../../../calls/pulled-stream.ts'
import { type Problem, problem } from '../../../contract/problems.ts'
import type { ResponseObject } from '../../../contract/responses.ts'
import { eventText } from '../../../translation/formats/event-text.ts'
import { withDigits } from '../../../translation/json/exact-numbers.ts'
import { type EventsRead, readEvents } from '../../../platform/store/responses/background.ts'
import type { ResponseReader } from '../stored-response.ts'
import { uuidOf } from '../response-ids.ts'
import { eventsAfter } from './event-numbers.ts'
import { findInBackground } from './read-background.ts'

/** How often a stream looks for new events. The process that writes them may be another one. */
const POLL_MS = 150

type Followed = { id: string; after: number; reader: ResponseReader; signal: AbortSignal }

/** The events of a response in the background behind one of them, from whatever process, until it has ended. */
export class FollowedEvents implements PulledStream<string> {
  readonly #followed: Followed
  readonly #services: CallServices
  #after: number
  #isEnded = false

  constructor(followed: Followed, services: CallServices) {
    this.#followed = followed
    this.#services = services
    this.#after = followed.after
  }

  async next(): Promise<string[] | undefined> {
    const { id, reader, signal } = this.#followed
    while (!this.#isEnded) {
      const read = await readEvents(this.#services.db, reader.owner, uuidOf(id), this.#after)
      const events = await this.#eventsIn(read)
      if (events !== '') return [events]
      if (!this.#isEnded) await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
    return undefined
  }

  leave(): void {
    this.#isEnded = true
  }

  /** An error inside of the stream. */
  failure({ message, type, code, details }: Problem): string {
    const { param = null } = details
    const error = { type, code, message, param }
    return eventText({ type: 'error', code, message, param, error, sequence_number: this.#after + 1 })
  }

  async #eventsIn(read: EventsRead): Promise<string> {
    if (read.state === undefined) throw gone()
    if (read.batches.length > 0) {
      const text = read.batches.map(({ events }) => eventsAfter(events, this.#after)).join('')
      this.#after = Math.max(this.#after, read.batches.at(-1)!.last)
      return text
    }
    const isOver = read.stop !== null || read.state === 'success' || read.state === 'fail'
    return isOver ? await this.#end(read.endNumber) : ''
  }

  /** The last events are made from the stored response, so that a stream never says anything else than it. */
  async #end(number: number): Promise<string> {
    const { id, reader } = this.#followed
    const found = await findInBackground(id, reader, this.#services)
    if (!found) throw gone()
    this.#isEnded = true
    const last = lastEvents(withDigits(found.response, found.exact), number)
    return eventsAfter(last, this.#after)
  }
}

function lastEvents(response: ResponseObject, number: number): string {
  const { status, error } = response
  if (status !== 'failed') return eventText({ type: `response.${status}`, response, sequence_number: number })
  const { code = null, message = null } = error ?? {}
  const details = { type: 'server_error', code, message, param: null }
  return (
    eventText({ type: 'error', code, message, param: null, error: details, sequence_number: number }) +
    eventText({ type: 'response.failed', response, sequence_number: number + 1 })
  )
}

function gone() {
  return problem('not_found', { message: 'This response was deleted.' })
}
