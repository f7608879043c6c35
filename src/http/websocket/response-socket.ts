import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { WebSocket } from 'ws'
import { isRecord } from '../../base/schema/record.ts'
import { KB, MB, MINUTE_MS } from '../../base/units/units.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { newResponseId } from '../../endpoints/responses/response-ids.ts'
import { readText } from '../../translation/json/parse-body.ts'
import { bodyOf } from '../problems.ts'
import { type CreateFrame, joined, readFrame, type Turn } from './create-frame.ts'
import { connectLocally } from '../local/local-connection.ts'
import { repeatedHeaders } from '../local/repeated-headers.ts'
import { emptyTurn } from './empty-turn.ts'

/** Frames that may wait while a response is made. A client sends one and waits. */
const MAX_WAITING = 4
const IDLE_MS = 10 * MINUTE_MS
/** The bytes of a frame, their text and the texts that are made of it. */
const COPIES_OF_FRAME = 5
/** Shorter frames are not counted, because the number of connections is limited. */
const UNCOUNTED_BYTES = 16 * KB
const LARGE_BYTES = 64 * KB
/** What a conversation that is not stored may take, in characters. A client that continues a longer one sends all of it. */
const MAX_KEPT_CHARS = 8 * MB

const GOING_AWAY = 1001
const TEXT_ONLY = 1003
const TRY_LATER = 1013

/** What may wait for a client that does not read, before frames that it was not asked for end the connection. */
const MAX_UNREAD_BYTES = 64 * KB

/** Headers of an answer that a client needs beside an error. */
const OF_ERRORS = /^(?:x-request-id|retry-after|x-should-retry|x-ratelimit-.*)$/

type Services = Pick<CallServices, 'memory' | 'monotonic' | 'loopSlot' | 'newId' | 'now'>

type SocketParts = {
  socket: WebSocket
  /** The request that asked for the WebSocket. */
  opening: IncomingMessage
  server: NodeJS.EventEmitter
  owner: string
  /** How often the client is asked whether it is still there. */
  pingMs: number
  services: Services
}

/**
 * One WebSocket of a client. Each frame is a request to POST /v3/responses on a connection inside of this process, so that keys, limits,
 * validation, the log and the ledger treat it as every other; each event of the answer is a frame. There is one response at a time.
 */
export class ResponseSocket {
  readonly #parts: SocketParts
  readonly #ping: NodeJS.Timeout
  /** For the frame that is arriving. */
  #arriving: MemoryLease
  #arrivedBytes = 0
  /** For what the next response may continue. */
  readonly #kept: MemoryLease
  #last: Turn | undefined
  #turns = Promise.resolve()
  #waiting = 0
  #usedAt: number
  /** What the client has to send back to the last ping. */
  #unanswered: string | undefined
  #isLeaving = false
  #isPonging = false
  #lastPing: Buffer | undefined

  constructor(parts: SocketParts) {
    const { socket, opening, owner, pingMs, services } = parts
    this.#parts = parts
    this.#arriving = services.memory.lease(owner)
    this.#kept = services.memory.lease(owner)
    this.#usedAt = services.monotonic()
    this.#ping = setInterval(() => this.#look(), pingMs)
    opening.socket.on('data', (chunk: Buffer) => this.#count(chunk.length))
    socket.on('message', (data, isBinary) => {
      if (Buffer.isBuffer(data)) this.#take(data, isBinary)
    })
    // A client that only says that it is there, and does not read, cannot know what the ping says.
    socket.on('pong', (data) => {
      if (String(data) === this.#unanswered) this.#unanswered = undefined
    })
    socket.on('ping', (data) => this.#pong(data))
    // What is wrong with a frame is said by the code with which the library closes the connection.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(this.#ping)
      this.#arriving.close()
      this.#kept.close()
    })
  }

  /** The gateway will stop: the response that is being made is the last one. */
  leave(): void {
    this.#isLeaving = true
    if (this.#waiting === 0) this.#close(GOING_AWAY, 'The gateway is shutting down.')
  }

  #look(): void {
    const { socket, services } = this.#parts
    if (this.#unanswered !== undefined) return socket.terminate()
    if (this.#waiting === 0 && services.monotonic() - this.#usedAt > IDLE_MS)
      return this.#close(GOING_AWAY, 'No request arrived for ten minutes.')
    this.#unanswered = services.newId()
    socket.ping(this.#unanswered)
  }

  #close(code: number, reason: string): void {
    this.#parts.socket.close(code, reason)
  }

  /** Reserves memory for a long frame while it arrives. While there is none, the connection is not read. */
  #count(bytes: number): void {
    this.#arrivedBytes += bytes
    if (this.#arrivedBytes <= UNCOUNTED_BYTES || this.#arriving.tryHold(bytes * COPIES_OF_FRAME)) return
    const { socket } = this.#parts
    socket.pause()
    this.#arriving.hold(bytes * COPIES_OF_FRAME).then(
      () => socket.resume(),
      () => this.#close(TRY_LATER, 'The gateway has no memory for this frame.'),
    )
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    const { services, owner } = this.#parts
    const lease = this.#arriving
    this.#arriving = services.memory.lease(owner)
    this.#arrivedBytes = 0
    if (this.#isLeaving || isBinary || this.#waiting >= MAX_WAITING) {
      lease.close()
      if (isBinary) this.#close(TEXT_ONLY, 'Frames must be text frames.')
      else this.#turnAway(this.#isLeaving ? SHUTTING_DOWN : TOO_MANY)
      return
    }
    this.#waiting++
    this.#turns = this.#turns.then(() => this.#turn(bytes, lease))
  }

  /** Such refusals have no turn to wait for, so a client that sends and does not read could pile them up. */
  #turnAway(refusal: Problem): void {
    const { socket } = this.#parts
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) return socket.terminate()
    // It fails if the client has left, and then no client misses it.
    this.#refuse(refusal).catch(() => {})
  }

  /** One at a time, and then only the last ping counts (RFC 6455, 5.5.3): a client that does not read piles up none. */
  #pong(data: Buffer): void {
    if (this.#isPonging) {
      this.#lastPing = data
      return
    }
    this.#isPonging = true
    this.#parts.socket.pong(data, undefined, (error) => {
      this.#isPonging = false
      const last = this.#lastPing
      this.#lastPing = undefined
      if (last && !error) this.#pong(last)
    })
  }

  async #turn(bytes: Buffer, lease: MemoryLease): Promise<void> {
    try {
      if (this.#parts.socket.readyState === this.#parts.socket.OPEN) await this.#answer(bytes)
    } catch (error) {
      await this.#refuse(error instanceof Problem ? error : problem('internal_error')).catch(() => {})
    } finally {
      lease.close()
      this.#waiting--
      this.#usedAt = this.#parts.services.monotonic()
      if (this.#isLeaving) this.leave()
    }
  }

  async #answer(bytes: Buffer): Promise<void> {
    const { services, owner } = this.#parts
    if (bytes.length > LARGE_BYTES) await services.loopSlot(owner)
    const frame = readFrame(readText(bytes), this.#last)
    // What fails is not continued.
    this.#keep(undefined)
    if (frame.generates) return await this.#generate(frame)
    const id = newResponseId(services)
    for (const event of emptyTurn(id, frame.model, services.now())) await this.#send(event)
    this.#keep({ id, previous: frame.previous, items: frame.items })
  }

  async #generate(frame: CreateFrame): Promise<void> {
    const answer = await this.#post(frame.body)
    if (answer.statusCode !== 200) return await this.#pass(answer)
    let final: string | undefined
    for await (const { event, data } of eventsOf(answer)) {
      await this.#send(data)
      if (event === 'response.completed' || event === 'response.incomplete') final = data
    }
    if (final !== undefined) this.#keep(turnAfter(frame, final))
  }

  /** Ends with the connection of the client: then no client waits for the answer. */
  async #post(body: string): Promise<IncomingMessage> {
    const { opening, server, socket } = this.#parts
    const connection = connectLocally(server, opening)
    const hangUp = () => connection.destroy()
    socket.once('close', hangUp)
    connection.once('close', () => socket.off('close', hangUp))
    const bytes = Buffer.from(body)
    const sent = httpRequest({
      method: 'POST',
      path: '/v3/responses',
      headers: [
        ...repeatedHeaders(opening),
        'content-type',
        'application/json',
        'content-length',
        String(bytes.length),
      ],
      createConnection: () => connection,
    })
    sent.end(bytes)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }

  /** An error of the request, in the shape that the clients of this protocol read. */
  async #pass(answer: IncomingMessage): Promise<void> {
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk
    const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => OF_ERRORS.test(name)))
    await this.#send(JSON.stringify({ type: 'error', status: answer.statusCode, ...JSON.parse(text), headers }))
  }

  async #refuse(refusal: Problem): Promise<void> {
    await this.#send(JSON.stringify({ type: 'error', status: refusal.status, ...bodyOf(refusal) }))
  }

  /** Resolves when the text has left, so that nothing is read for a client that does not read. */
  #send(text: string): Promise<void> {
    const { socket } = this.#parts
    return new Promise((resolve, reject) => socket.send(text, (error) => (error ? reject(error) : resolve())))
  }

  #keep(turn: Turn | undefined): void {
    this.#kept.empty()
    const chars = turn?.items.length ?? 0
    const isKept = chars <= MAX_KEPT_CHARS && (chars <= UNCOUNTED_BYTES || this.#kept.tryHold(2 * chars))
    this.#last = isKept ? turn : undefined
  }
}

const TOO_MANY = problem('conflict', {
  message: `${MAX_WAITING} requests are already waiting. Send one at a time.`,
})
const SHUTTING_DOWN = problem('overloaded', { message: 'The gateway is shutting down. Open another connection.' })

type Event = { event: string | undefined; data: string }

/** Comments, which keep a silent stream open, are left out. */
async function* eventsOf(answer: IncomingMessage): AsyncGenerator<Event> {
  const events: Event[] = []
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  for await (const chunk of answer.setEncoding('utf8')) {
    parser.feed(chunk)
    yield* events.splice(0)
  }
}

/** A response that is stored is found in the store when a request continues it. */
function turnAfter({ previous, items }: CreateFrame, final: string): Turn | undefined {
  const { response } = JSON.parse(final)
  if (!isRecord(response) || response.store !== false || !Array.isArray(response.output)) return undefined
  const output = response.output.map((item) => JSON.stringify(item))
  return { id: String(response.id), previous, items: joined([items, ...output]) }
}
