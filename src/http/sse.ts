import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import type { ChatChunk } from '../contract/chat-reply.ts'
import { Problem, problem } from '../contract/problems.ts'
import { type Call, ClientGone } from '../core/call.ts'
import { headersOf } from './call-headers.ts'
import { bodyOf } from './problems.ts'
import type { House } from './route.ts'

/** A client that takes nothing for this long has left without saying so. */
const STUCK_READER_MS = 60_000

/**
 * Sends a reply as server-sent events. The 200 is held back until the first chunk, so that a failure before it has its
 * own status; only a long silence opens the reply early, with a comment, because proxies cut lines that stay quiet.
 */
export async function streamReply(
  reply: FastifyReply,
  call: Call,
  { outside }: House,
  controller: AbortController,
  open: () => Promise<AsyncGenerator<ChatChunk[]>>,
): Promise<FastifyReply> {
  const client = new EventStream(reply, call, outside.heartbeatMs, controller)
  try {
    for await (const chunks of await open()) await client.send(chunks)
    client.finish()
  } catch (error) {
    const reason = call.signal.aborted ? call.signal.reason : error
    if (!client.opened && !(reason instanceof ClientGone)) throw reason
    client.fail(reason)
  } finally {
    client.stop()
  }
  return reply
}

class EventStream {
  readonly #reply: FastifyReply
  readonly #call: Call
  readonly #controller: AbortController
  readonly #heartbeat: NodeJS.Timeout
  opened = false

  constructor(reply: FastifyReply, call: Call, heartbeatMs: number, controller: AbortController) {
    this.#reply = reply
    this.#call = call
    this.#controller = controller
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs)
  }

  /** One write for all chunks that came together; waits while the client's line is full. */
  async send(chunks: ChatChunk[]): Promise<void> {
    let text = ''
    for (const chunk of chunks) text += `data: ${JSON.stringify(chunk)}\n\n`
    this.#heartbeat.refresh()
    if (!this.#write(text)) await this.#drained()
    this.#call.signal.throwIfAborted()
  }

  finish(): void {
    this.#write('data: [DONE]\n\n')
    this.#reply.raw.end()
  }

  /** After the 200 an error can only be told in the stream. No `[DONE]` follows: this answer is not complete. */
  fail(error: unknown): void {
    if (error instanceof ClientGone) return void this.#reply.hijack().raw.destroy()
    const failure = error instanceof Problem ? error : problem('internal_error')
    this.#write(`data: ${JSON.stringify(bodyOf(failure))}\n\n`)
    this.#reply.raw.end()
  }

  stop(): void {
    clearInterval(this.#heartbeat)
  }

  #write(text: string): boolean {
    const { raw } = this.#reply
    if (!this.opened) this.#open()
    return raw.destroyed || raw.write(text)
  }

  #open(): void {
    this.opened = true
    this.#reply.hijack()
    this.#reply.raw.writeHead(200, {
      ...(this.#reply.getHeaders() as Record<string, string>),
      ...headersOf(this.#call),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
  }

  async #drained(): Promise<void> {
    const timer = setTimeout(() => this.#controller.abort(new ClientGone()), STUCK_READER_MS)
    try {
      await once(this.#reply.raw, 'drain', { signal: this.#call.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}
