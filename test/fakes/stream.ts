import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Behaviour } from './behaviours.ts'
import { hangUp } from './hang-up.ts'
import { randomNumbers } from './random-numbers.ts'

/** How the bytes are split: all at once, one event at a time, this many bytes at a time, or at random places (`seed`). */
export type Chunking = 'whole' | 'event' | 'random' | number

export type StreamOptions = {
  chunking?: Chunking
  seed?: number
  /** done: `[DONE]` and a proper end. clean: a proper end without it. fin, rst: the connection is closed in the middle. */
  end?: 'done' | 'clean' | 'fin' | 'rst'
  pauseMs?: number
  /** After `waitAfter` pieces (1 by default), the stream waits for this before it sends the next. */
  waitFor?: Promise<unknown>
  waitAfter?: number
  headers?: Record<string, string>
}

const RANDOM_PIECE_BYTES = 40

/** Server-sent events. An object becomes a `data:` event; a string is sent as it is, for comments and broken events. */
export function stream(events: readonly (string | object)[], options: StreamOptions = {}): Behaviour {
  const { end = 'done', headers } = options
  const texts = events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`))
  const pieces = cut(end === 'done' ? [...texts, 'data: [DONE]\n\n'] : texts, options)
  return async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers }).flushHeaders()
    if (!(await sendAll(pieces, response, options))) return
    if (end === 'fin' || end === 'rst') hangUp(response, end)
    else response.end()
  }
}

function cut(texts: string[], { chunking = 'event', seed = 1 }: StreamOptions): Buffer[] {
  if (chunking === 'event') return texts.map((text) => Buffer.from(text))
  const bytes = Buffer.from(texts.join(''))
  if (chunking === 'whole') return [bytes]
  const random = randomNumbers(seed)
  const length = () => (chunking === 'random' ? 1 + Math.floor(random() * RANDOM_PIECE_BYTES) : chunking)
  const pieces: Buffer[] = []
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = at + length()
    pieces.push(bytes.subarray(at, end))
  }
  return pieces
}

/** Returns whether everything was sent; false if the client has disconnected. */
async function sendAll(pieces: Buffer[], response: ServerResponse, options: StreamOptions): Promise<boolean> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await pause(index, options)
    if (!(await send(piece, response))) return false
  }
  if (options.waitFor && pieces.length <= (options.waitAfter ?? 1)) await options.waitFor
  return !response.destroyed
}

// A turn of the event loop between two pieces keeps them from leaving as one packet.
async function pause(index: number, { pauseMs, waitFor, waitAfter = 1 }: StreamOptions): Promise<void> {
  if (waitFor && index === waitAfter) await waitFor
  await (pauseMs ? setTimeout(pauseMs) : setImmediate())
}

function send(piece: Buffer, response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve(false)
    const gone = () => resolve(false)
    response.once('close', gone)
    response.write(piece, (error) => {
      response.off('close', gone)
      resolve(!error)
    })
  })
}
