import type { FastifyReply, FastifyRequest } from 'fastify'
import { commonHeaders } from './common-headers.ts'
import { FramedBody } from './framed-body.ts'
import type { HttpServices } from './route.ts'
import { STILL_HERE, STREAM_HEADERS } from './sse.ts'
import { whenClosed } from './when-closed.ts'

/** What waits for a client that does not read. Older events are dropped. */
const MAX_WAITING = 500

/** Server-sent events without an end of their own, to a client that may read slowly. Their number in memory is bounded. */
export class EventFeed {
  readonly #raw: FastifyReply['raw']
  readonly #body: FramedBody
  readonly #heartbeat: NodeJS.Timeout
  readonly #waiting: string[] = []
  #dropped = 0
  #isFull = false

  constructor(request: FastifyRequest, reply: FastifyReply, { edge, health }: HttpServices) {
    reply.hijack()
    this.#raw = reply.raw
    this.#raw.writeHead(200, [...commonHeaders(request, health), ...STREAM_HEADERS])
    this.#body = new FramedBody(this.#raw)
    this.#raw.on('drain', () => this.#drain())
    this.#heartbeat = setInterval(() => this.#beat(), edge.heartbeatMs).unref()
    whenClosed(this.#raw, () => clearInterval(this.#heartbeat))
    // The head leaves with the first piece of the body.
    this.#beat()
  }

  send(event: string, data: object): void {
    this.#waiting.push(eventText(event, data))
    if (this.#waiting.length > MAX_WAITING) this.drop(this.#waiting.splice(0, 1).length)
    this.#drain(this.#isFull)
  }

  /** So many events will never be sent. The client is told before the next event. */
  drop(count: number): void {
    this.#dropped += count
  }

  end(): void {
    clearInterval(this.#heartbeat)
    if (!this.#raw.destroyed && !this.#raw.writableEnded) this.#body.end()
  }

  #drain(isFull = false): void {
    this.#isFull = isFull
    while (!this.#isFull && this.#waiting.length > 0 && !this.#raw.writableEnded) {
      const told = this.#dropped > 0 ? eventText('dropped', { count: this.#dropped }) : ''
      this.#dropped = 0
      this.#isFull = !this.#body.write(told + this.#waiting.shift()!)
    }
  }

  #beat(): void {
    if (!this.#isFull && !this.#raw.writableEnded) this.#isFull = !this.#body.write(STILL_HERE)
  }
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
