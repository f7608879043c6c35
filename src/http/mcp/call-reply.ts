import type { FastifyReply, FastifyRequest } from 'fastify'
import { notificationMessage } from '../../translation/mcp/messages.ts'
import type { ProgressToken } from '../../translation/mcp/meta.ts'
import { commonHeaders } from '../common-headers.ts'
import { FramedBody } from '../framed-body.ts'
import type { HttpServices } from '../route.ts'
import { STILL_HERE, STREAM_HEADERS } from '../sse.ts'

type ReplyParts = {
  request: FastifyRequest
  reply: FastifyReply
  services: HttpServices
  progressToken: ProgressToken | undefined
}

/**
 * The reply to one request: JSON, or events if the work takes long or tells its progress. Once it is a stream, errors are messages in
 * it. Clients that do not accept events wait for the JSON.
 */
export class CallReply {
  readonly #parts: ReplyParts
  readonly #streams: boolean
  readonly #heartbeat: NodeJS.Timeout | undefined
  #body: FramedBody | undefined
  #steps = 0

  constructor(parts: ReplyParts) {
    this.#parts = parts
    this.#streams = /text\/event-stream|\*\/\*/.test(parts.request.headers.accept ?? '')
    if (this.#streams) this.#heartbeat = setInterval(() => this.#beat(), parts.services.edge.heartbeatMs)
  }

  /** Tells the client that the work goes on, if it wants to know. */
  progress(message: string): void {
    const { progressToken } = this.#parts
    if (progressToken === undefined || !this.#streams) return
    this.#steps += 1
    const params = { progressToken, progress: this.#steps, message }
    this.#write(eventOf(JSON.stringify(notificationMessage('notifications/progress', params))))
  }

  end(message: object, status: number): void {
    clearInterval(this.#heartbeat)
    const { reply } = this.#parts
    const text = JSON.stringify(message)
    if (!this.#body) return void reply.code(status).type('application/json; charset=utf-8').send(text)
    this.#body.write(eventOf(text))
    this.#body.end()
  }

  /** The client has left. */
  stop(): void {
    clearInterval(this.#heartbeat)
    if (this.#body) this.#parts.reply.raw.destroy()
  }

  #beat(): void {
    if (this.#parts.progressToken === undefined) this.#write(STILL_HERE)
    else this.progress('The work goes on.')
  }

  #write(text: string): void {
    const { raw } = this.#parts.reply
    // A client that does not read gets no more of what it need not know.
    if (raw.destroyed || raw.writableNeedDrain) return
    this.#body ??= this.#open()
    this.#body.write(text)
  }

  #open(): FramedBody {
    const { request, reply, services } = this.#parts
    const list = [...commonHeaders(request, services.health), ...STREAM_HEADERS]
    reply.hijack()
    reply.raw.writeHead(200, list)
    return new FramedBody(reply.raw)
  }
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`
}
