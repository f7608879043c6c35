import type { ChatChunk } from '../contract/chat-reply.ts'
import { Problem, problem } from '../contract/problems.ts'
import { failureOf } from '../calls/call.ts'
import { noteChunks } from '../calls/content-draft.ts'
import { ClientGone } from '../calls/client-gone.ts'
import { COPIES_OF_STREAM, MemoryGrowth } from '../calls/memory-budget.ts'
import type { PulledStream } from '../calls/pulled-stream.ts'
import { type OpenReply, closeReply, headersOf, writeHead } from './open-reply.ts'
import { addHeaders } from './common-headers.ts'
import { drained } from './drained.ts'
import { FramedBody } from './framed-body.ts'
import { bodyOf } from './problems.ts'
import { LARGE_CHARS } from '../translation/json/large-text.ts'

export const STILL_HERE = ': still here\n\n'
export const STREAM_HEADERS = ['content-type', 'text/event-stream; charset=utf-8', 'x-accel-buffering', 'no']

/** Sends a chat in our own format. */
export function streamChatReply(open: OpenReply, start: () => Promise<PulledStream<ChatChunk>>): Promise<void> {
  return streamReply(open, start, CHAT_EVENTS)
}

/**
 * Sends a reply as server-sent events. The 200 is held back until the first chunk, so that an earlier failure gets its own
 * status. Only a long silence opens the reply early, with a comment, because proxies close connections that stay quiet.
 */
export async function streamReply<Chunk>(
  open: OpenReply,
  start: () => Promise<PulledStream<Chunk>>,
  format: EventFormat<Chunk>,
): Promise<void> {
  const client = new EventStream(open, format)
  let stream: PulledStream<Chunk> | undefined
  try {
    stream = await start()
    await sendAll(stream, client, open, format.remembersNothing ? undefined : open.call.memory)
    client.finish()
  } catch (error) {
    // The stream did not see an error that was thrown here while its chunks were being written, and the ledger line has to say it.
    const reason = failureOf(open.call, error)
    if (stream) leaveFor(reason, stream, open)
    // Otherwise it would be appended after the last bytes were sent, because nothing is waited for in between.
    open.services.calls.ledger.append()
    if (!client.opened && !(reason instanceof ClientGone) && !format.isEvent?.(reason)) {
      addHeaders(open.reply, headersOf(open.call))
      throw reason
    }
    client.fail(reason)
  } finally {
    stream?.leave()
    client.stop()
    closeReply(open)
  }
}

/** The client is told why its answer broke off, even if the end of the call fails too. */
function leaveFor<Chunk>(reason: unknown, stream: PulledStream<Chunk>, open: OpenReply): void {
  try {
    stream.leave(reason)
  } catch (error) {
    logUnexpected(error, open)
  }
}

/** After the head was sent, the framework does not log errors. */
function logUnexpected(error: unknown, { request, services }: OpenReply): void {
  services.log?.error({ request_id: request.id, err: error }, 'unexpected error')
}

async function sendAll<Chunk>(
  stream: PulledStream<Chunk>,
  client: EventStream<Chunk>,
  open: OpenReply,
  memory: OpenReply['call']['memory'] | undefined,
): Promise<void> {
  const memoryGrowth = new MemoryGrowth(memory, COPIES_OF_STREAM, open.call.signal)
  let length = 0
  for (let chunks = await stream.next(); chunks; chunks = await stream.next()) {
    const { content } = open.call.record
    if (content) noteChunks(content, chunks)
    const text = client.textOf(chunks)
    length += text.length
    const waiting = memoryGrowth.reach(length)
    if (waiting) await waiting
    if (text.length > LARGE_CHARS) await open.services.calls.loopSlot(open.call.caller.owner)
    const isTaken = client.send(text)
    noteOverhead(open)
    if (!isTaken) await drained(open)
  }
}

/** One measurement for all events that came together. */
function noteOverhead({ call: { record }, services: { calls } }: OpenReply): void {
  const arrivedAt = record.attempts.at(-1)?.wire.arrivedAt
  if (arrivedAt) calls.metrics.tookForEvents((performance.now() - arrivedAt) / 1000)
}

/**
 * How a client format expresses the parts of a stream, each as the text of whole events. There is one per stream, so it may
 * have state.
 */
export type EventFormat<Chunk = ChatChunk> = {
  chunks(chunks: Chunk[]): string
  /** The headers of the content, if it is not server-sent events. */
  headers?: readonly string[]
  /** What to send during a silence, if the format has an event for it. Otherwise a comment is sent. */
  silence?(): string | undefined
  /** The text after the last chunk of a complete answer. */
  end(): string
  /** After the 200, an error can only be reported inside of the stream. Nothing follows it. */
  failure(failure: Problem): string
  /** Whether clients of the format understand this failure only as an event, also if it comes before everything else. */
  isEvent?(failure: unknown): boolean
  /** Whether some clients ignore the error and take every body that ends properly for a whole answer. */
  endsFailuresAbruptly?: boolean
  /** Chunks are sent as they are, so that the reply takes no memory of its own. */
  remembersNothing?: boolean
}

const CHAT_EVENTS: EventFormat = {
  chunks: (chunks) => {
    let text = ''
    for (const chunk of chunks) text += `data: ${JSON.stringify(chunk)}\n\n`
    return text
  },
  end: () => 'data: [DONE]\n\n',
  failure: (failure) => `data: ${JSON.stringify(bodyOf(failure))}\n\n`,
  endsFailuresAbruptly: true,
  remembersNothing: true,
}

class EventStream<Chunk> {
  readonly #openReply: OpenReply
  readonly #format: EventFormat<Chunk>
  readonly #heartbeat: NodeJS.Timeout
  #body: FramedBody | undefined

  constructor(open: OpenReply, format: EventFormat<Chunk>) {
    this.#openReply = open
    this.#format = format
    const beat = () => this.#write(format.silence?.() ?? STILL_HERE, true)
    this.#heartbeat = setInterval(beat, open.services.edge.heartbeatMs)
  }

  get opened(): boolean {
    return this.#body !== undefined
  }

  textOf(chunks: Chunk[]): string {
    return this.#format.chunks(chunks)
  }

  /**
   * Writes all chunks that arrived together at once. Returns false if the client's buffer is full: then wait before the
   * next write.
   */
  send(text: string): boolean {
    this.#openReply.call.signal.throwIfAborted()
    this.#heartbeat.refresh()
    return this.#write(text)
  }

  finish(): void {
    this.#write(this.#format.end())
    this.#body?.end()
  }

  /**
   * After the 200, an error can only be reported inside of the stream. No `[DONE]` follows, because the answer is not
   * complete.
   */
  fail(error: unknown): void {
    const { reply, services } = this.#openReply
    if (error instanceof ClientGone) return void reply.hijack().raw.destroy()
    if (!(error instanceof Problem)) logUnexpected(error, this.#openReply)
    const failure = error instanceof Problem ? error : problem('internal_error')
    this.#write(this.#format.failure(failure))
    if (this.#format.endsFailuresAbruptly) this.#body?.cut(services.edge.cutAfterMs)
    else this.#body?.end()
  }

  stop(): void {
    clearInterval(this.#heartbeat)
  }

  #write(text: string, isComment = false): boolean {
    this.#body ??= this.#open(isComment)
    return this.#openReply.reply.raw.destroyed || this.#body.write(text)
  }

  /** A reply that a comment opens cannot say yet which model will answer. */
  #open(early: boolean): FramedBody {
    const { call, reply } = this.#openReply
    writeHead(this.#openReply, early ? [] : headersOf(call), this.#format.headers ?? STREAM_HEADERS)
    return new FramedBody(reply.raw)
  }
}
