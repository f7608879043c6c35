import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { ImagesMade } from '../../../endpoints/images/images.ts'
import { ANY_CALLER } from '../../../../test/fakes/any-caller.ts'
import { newCall } from '../../../calls/call.ts'
import type { OpenReply } from '../../open-reply.ts'
import { writeImages } from './images-reply.ts'
import { MINUTE_MS } from '../../../base/units/units.ts'

const MANY_MINUTES_MS = 10 * MINUTE_MS

test('a client that accepts nothing of an image for minutes is dropped: the file does not stay open forever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { open, raw } = stuckReader()
  let isClosed = false
  const writing = writeImages(imageOf(read()), open)
  await raw.hasBegun
  t.mock.timers.tick(MANY_MINUTES_MS)
  await writing
  assert.deepEqual([isClosed, raw.isDestroyed], [true, true])

  async function* read() {
    try {
      for (;;) yield Buffer.from('QUJD')
    } finally {
      isClosed = true
    }
  }
})

/** Accepts the beginning, and never drains. */
function stuckReader() {
  const begun = Promise.withResolvers<void>()
  const raw = Object.assign(new EventEmitter(), {
    hasBegun: begun.promise,
    isDestroyed: false,
    writeHead: () => raw,
    write: (chunk: Uint8Array) => {
      if (String(chunk) === 'QUJD') setImmediate(begun.resolve)
      return false
    },
    end: () => raw,
    destroy: () => {
      raw.isDestroyed = true
    },
  })
  const controller = new AbortController()
  const facts = { id: 'r', caller: ANY_CALLER, endpoint: 'images', startedAt: 0, wantsMetadata: false }
  const call = newCall({ ...facts, signal: controller.signal })
  const line = {
    request: { id: 'r' },
    reply: { raw, hijack: () => {} },
    services: { health: {}, calls: { metrics: { tookBeforeAnswer: () => {} } } },
    call,
    controller,
  }
  return { raw, open: line as unknown as OpenReply }
}

function imageOf(bytes: AsyncGenerator<Uint8Array>): ImagesMade {
  const base64 = { length: 8, head: Buffer.from('QUJD'), read: () => bytes }
  const about = { output_format: 'png', size: '1x1', cost: 0, provider: 'p' }
  return { created: 0, data: [{ base64 }], ...about } as unknown as ImagesMade
}
