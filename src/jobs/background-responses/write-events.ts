import type { Call } from '../../calls/call.ts'
import { noteChunks } from '../../calls/content-draft.ts'
import { streamAnswer } from '../../endpoints/tool-loop/answer-chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import type { ResponseObject } from '../../contract/responses.ts'
import { ResponseEvents } from '../../translation/formats/responses/response-events.ts'
import type { JobServices } from '../job-services.ts'
import type { ClaimedJob } from '../../platform/store/jobs/job-runs.ts'
import { addEvents, beginEvents } from '../../platform/store/responses/background.ts'
import { retryWhileUnavailable } from '../../platform/store/retry-while-unavailable.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import type { ResponseRequest } from '../../endpoints/responses/stored-response.ts'
import { viewOf } from '../../endpoints/responses/response-request.ts'
import { numbersIn } from '../../endpoints/responses/background/event-numbers.ts'

/** Events are written when they have waited for this long, or earlier when they are this many characters. */
const BATCH_MS = 100
const BATCH_CHARS = 64 * 1024
/** What was begun costs money, so it does not end because the store is away for a moment. */
const STORE_FOR_MS = 60_000
const STORE_PAUSE_MS = 250

type Streamed = { job: ClaimedJob; request: ResponseRequest; native: AskedChat; call: Call; services: JobServices }

/** Makes a response as a stream, and stores its events except for the last, which is made from the stored response. */
export async function streamInBackground(streamed: Streamed): Promise<ResponseObject> {
  const { job, request, native, call, services } = streamed
  const events = new ResponseEvents(viewOf(request), await beginEvents(services.db, job))
  const writer = new EventWriter(job, services)
  const stream = await streamAnswer(native, call, services.calls)
  try {
    let last: ChatChunk | undefined
    for (let chunks = await stream.next(); chunks; chunks = await stream.next()) {
      if (call.record.content) noteChunks(call.record.content, chunks)
      await writer.add(events.chunks(chunks))
      last = chunks.findLast(({ choices }) => choices.length === 0) ?? last
    }
    await writer.flush()
    const response = events.final(last)
    if (!response) throw problem('upstream_error', { message: 'The provider sent no response.' })
    return response
  } finally {
    writer.stop()
    stream.leave()
  }
}

/** Collects events, so that a fast stream is not one transaction per token. */
class EventWriter {
  readonly #job: ClaimedJob
  readonly #services: JobServices
  #text = ''
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isUnwanted = false

  constructor(job: ClaimedJob, services: JobServices) {
    this.#job = job
    this.#services = services
  }

  /** The first event of a silence is written at once, and those that follow it together. */
  async add(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= BATCH_CHARS) return await this.flush()
    if (this.#timer) return
    // A failure is thrown by the next flush, which waits for this one.
    this.#timer = setTimeout(() => void this.flush().catch(() => {}), BATCH_MS)
    await this.#writeNow()
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writeNow()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #writeNow(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const numbers = numbersIn(this.#text)
    if (!numbers || this.#isUnwanted) return
    const batch = { ...numbers, events: this.#text }
    this.#text = ''
    const { db, background } = this.#services
    const write = () => addEvents(db, this.#job, batch)
    if (await retryWhileUnavailable(write, { pauseMs: STORE_PAUSE_MS, forMs: STORE_FOR_MS })) return
    // Another attempt has the job, or its owner has stopped it. The worker finds out which, and aborts the call.
    this.#isUnwanted = true
    background.current?.stopJob(this.#job.id)
  }
}
