import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { AwsEventStream } from './aws-event-stream.ts'
import { EventReader } from './event-reader.ts'
import { MB } from '../../base/units/units.ts'

// The memory budget is told of every byte of an incomplete event, and can pause its sender.

const PIECE = Buffer.alloc(64 * 1024, 'a')

for (const [name, open] of Object.entries({
  'server-sent events': (body: AsyncIterable<Uint8Array>, reach: Reach) => new EventReader(body, reach),
  'frames of AWS': (body: AsyncIterable<Uint8Array>, reach: Reach) => new AwsEventStream(body, reach),
}))
  test(`${name}: an incomplete event is counted as it grows, and waits if there is no memory`, async () => {
    const seen: number[] = []
    const refusal = new Error('no room')
    const reach = (bytes: number) => (seen.push(bytes) < 5 ? undefined : Promise.reject(refusal))
    const pieces = name.startsWith('frames') ? frame() : endless()
    await assert.rejects(open(pieces, reach).next(), refusal)
    assert.equal(seen.length, 5)
    assert.ok(seen[4]! >= 4 * PIECE.length, String(seen))
  })

for (const end of ['\n', '\r\n', '\r'])
  test(`an event is read as soon as it is there, with lines that end with ${JSON.stringify(end)}`, async () => {
    let sent = 0
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (; sent < 3; ) yield Buffer.from(`data: {"piece":${++sent}}${end}${end}`)
    }
    const reader = new EventReader(pieces())
    for (let piece = 1; piece <= 3; piece++) {
      const events = await reader.next()
      assert.deepEqual([events?.map(({ data }) => data), sent], [[`{"piece":${piece}}`], piece])
    }
  })

type Reach = (bytes: number) => Promise<void> | undefined

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < 100; sent++) yield PIECE
}

/** A prelude that announces 10 MB, with its checksum, and never completes. */
async function* frame(): AsyncGenerator<Uint8Array> {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(10 * MB, 0)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  yield prelude
  yield* endless()
}
