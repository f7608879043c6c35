import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { withEnoughTime } from '../../../test/fakes/enough-time.ts'
import { closed, openProvider } from './fixtures/raw-provider.ts'

// A provider that sends a byte now and then is never silent, and is given up all the same.

const DRIP_MS = 5
const SHORT_MS = 100
const LONG_MS = 600_000
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n'
const EVENTS = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const BODY_TIMEOUTS = (shortMs: number) => ({ headersMs: LONG_MS, idleMs: shortMs })
const HEAD_TIMEOUTS = (shortMs: number) => ({ headersMs: shortMs, idleMs: LONG_MS })

const DRIPS = {
  'in the head': { first: 'HTTP/1.1 200 OK\r\n', drip: 'x', timeouts: HEAD_TIMEOUTS, kind: 'headers_timeout' },
  'with interim answers': {
    first: '',
    drip: 'HTTP/1.1 102 \r\n\r\n',
    timeouts: HEAD_TIMEOUTS,
    kind: 'headers_timeout',
  },
  'in a whole body': { first: `${HEAD}{`, drip: '1', timeouts: BODY_TIMEOUTS, kind: 'idle_timeout' },
  'in a chunk of an event': { first: `${EVENTS}999\r\n`, drip: 'x', timeouts: BODY_TIMEOUTS, kind: 'idle_timeout' },
  'in chunks of one byte': { first: EVENTS, drip: '1\r\nx\r\n', timeouts: BODY_TIMEOUTS, kind: 'idle_timeout' },
  'in white space before a body': {
    first: HEAD,
    drip: '\n',
    timeouts: (shortMs: number) => ({ headersMs: shortMs, idleMs: shortMs }),
    kind: 'idle_timeout',
  },
}

for (const [where, { first, drip, timeouts, kind }] of Object.entries(DRIPS))
  test(`a provider that drips ${where} is too late`, async (context) => {
    const { provider, text } = await openProvider(context, ({ socket }) => dripInto(socket, first, drip, context))
    await withEnoughTime(SHORT_MS, async (shortMs) => {
      await assert.rejects(text('/', {}, { timeouts: timeouts(shortMs) }), { kind })
      await closed(provider.sockets.at(-1))
    })
  })

function dripInto(socket: Socket, first: string, drip: string, context: TestContext): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(drip), DRIP_MS)
  context.after(() => clearInterval(timer))
  socket.once('close', () => clearInterval(timer))
}
