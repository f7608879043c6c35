import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Behaviour } from './behaviours.ts'
import { textEvents } from './openai-events.ts'

/**
 * A stream that never ends and is written as fast as it is read. It shows whether a slow reader slows the provider down.
 */
type EndlessStream = {
  behaviour: Behaviour
  /** Bytes that the connections have accepted, over all calls. */
  readonly bytesWritten: number
  /** Whether a write is waiting for the reader right now. */
  readonly blocked: boolean
  /** Resolves with the number of bytes written once nothing more was accepted for this long. */
  stalled(quietMs?: number): Promise<number>
}

const EVENT_CHARACTERS = 16 * 1024
const QUIET_MS = 200

export function endlessStream(eventCharacters = EVENT_CHARACTERS): EndlessStream {
  const counts = { bytesWritten: 0, blocked: false }
  const [opening, delta] = textEvents('x'.repeat(eventCharacters)).map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const behaviour: Behaviour = async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(opening)
    while (!response.destroyed) await write(delta!, response, counts)
  }
  return {
    behaviour,
    get bytesWritten() {
      return counts.bytesWritten
    },
    get blocked() {
      return counts.blocked
    },
    stalled: (quietMs = QUIET_MS) => stalled(counts, quietMs),
  }
}

type Counts = { bytesWritten: number; blocked: boolean }

// A write's callback is called when the kernel has accepted it. Until then, it waits for the reader.
function write(text: string, response: ServerResponse, counts: Counts): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('close', settle)
      counts.blocked = false
      resolve()
    }
    counts.blocked = true
    response.once('close', settle)
    response.write(text, (error) => {
      if (!error) counts.bytesWritten += Buffer.byteLength(text)
      settle()
    })
  })
}

async function stalled(counts: Counts, quietMs: number): Promise<number> {
  for (;;) {
    const before = counts.bytesWritten
    await setTimeout(quietMs)
    if (counts.blocked && counts.bytesWritten === before) return before
  }
}
