import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { awsFrame, errorFrame, eventFrame, exceptionFrame } from '../../../test/fakes/aws-frames.ts'
import { type WireEvent, WireFailure } from '../../translation/wire/wire.ts'
import { AwsEventStream } from './aws-event-stream.ts'

// The frame from the test cases that the smithy specification and the AWS SDKs share: one header, one payload, with their
// checksums.
const PUBLISHED = Buffer.from(
  '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
  'hex',
)

const FRAMES = [
  eventFrame('messageStart', { role: 'assistant' }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße aus 東京 🗼' }, p: 'abcdef' }),
  eventFrame('messageStop', { stopReason: 'end_turn' }),
]
const BODY = Buffer.concat(FRAMES)

describe('events', () => {
  test('a frame that AWS has published is read, its checksums agree', async () => {
    assert.deepEqual(await read([PUBLISHED]), { events: [{ event: undefined, data: "{'foo':'bar'}" }], failed: false })
  })

  test('the frames of our fakes are the published ones, byte for byte', () => {
    assert.deepEqual(awsFrame({ 'content-type': 'application/json' }, "{'foo':'bar'}"), PUBLISHED)
  })

  test('what came in one read is one batch', async () => {
    const stream = new AwsEventStream(from([BODY, FRAMES[0]!]))
    assert.deepEqual(
      (await stream.next())?.map(({ event }) => event),
      ['messageStart', 'contentBlockDelta', 'messageStop'],
    )
    assert.equal((await stream.next())?.length, 1)
    assert.equal(await stream.next(), undefined)
  })

  test('bytes cut anywhere give the same events', async () => {
    const whole = await read([BODY])
    assert.equal(whole.events.length, 3)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(BODY.length)), async (cuts) => {
        assert.deepEqual(await read(cutAt(BODY, cuts)), whole)
      }),
    )
    assert.deepEqual(await read(cutAt(BODY, [...BODY.keys()])), whole)
  })

  test('exceptions and errors are named as such', async () => {
    const { events } = await read([exceptionFrame('throttlingException', 'Slow down'), errorFrame('Internal', 'Oh')])
    assert.deepEqual(events, [
      { event: 'exception:throttlingException', data: '{"message":"Slow down"}' },
      { event: 'error:Internal', data: '{"message":"Oh"}' },
    ])
  })

  test('headers of every type are stepped over', async () => {
    const odd = [[0], [1], [2, 7], [3, 0, 1], [4, 0, 0, 0, 1], [5, ...zeros(8)], [6, 0, 2, 9, 9], [8, ...zeros(8)]]
    const { events } = await read([frameWithHeaders([...odd, [9, ...zeros(16)], [7, 0, 1, 65]])])
    assert.deepEqual(events, [{ event: 'A', data: '' }])
  })
})

describe('a broken body', () => {
  test('that ends inside a frame just ends, at every place', async () => {
    for (let length = 0; length < BODY.length; length++) {
      const { events, failed } = await read([BODY.subarray(0, length)])
      assert.equal(failed, false)
      assert.ok(events.length < 3)
    }
  })

  test('a flipped bit anywhere is a failure, and what was good before it is not lost', async () => {
    const start = FRAMES[0]!.length
    for (let at = start; at < start + FRAMES[1]!.length; at++) {
      const bytes = Buffer.from(BODY)
      bytes[at] = bytes[at]! ^ 1
      const { events, failed } = await read([bytes])
      assert.ok(failed, `byte ${at}`)
      assert.equal(events.length, 1)
    }
  })

  test('a length that no frame has is refused before anything is kept for it', async () => {
    const stream = new AwsEventStream(from([prelude(0xffffffff, 0), Buffer.alloc(1)]))
    await assert.rejects(stream.next(), { kind: 'protocol' })
    assert.equal((await read([prelude(12, 0)])).failed, true)
    assert.equal((await read([prelude(40, 30)])).failed, true)
  })

  test('headers that lie about their length are refused', async () => {
    assert.equal((await read([frameWithHeaders([[7, 255, 255, 65]])])).failed, true)
    assert.equal((await read([frameWithHeaders([[77, 0]])])).failed, true)
    assert.equal((await read([awsFrameOf(Buffer.from([200, 65]))])).failed, true)
  })

  test('closing leaves the body', async () => {
    let left = false
    const stream = new AwsEventStream({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: FRAMES[0]! }),
        return: async () => {
          left = true
          return { done: true, value: undefined }
        },
      }),
    })
    await stream.next()
    stream.close()
    assert.equal(left, true)
  })
})

async function read(pieces: Uint8Array[]): Promise<{ events: WireEvent[]; failed: boolean }> {
  const stream = new AwsEventStream(from(pieces))
  const events: WireEvent[] = []
  try {
    for (let batch = await stream.next(); batch; batch = await stream.next()) events.push(...batch)
    return { events, failed: false }
  } catch (error) {
    assert.ok(error instanceof WireFailure && error.kind === 'protocol', String(error))
    return { events, failed: true }
  }
}

async function* from(pieces: Uint8Array[]) {
  yield* pieces
}

function cutAt(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))
}

/** Gives each value a name of its own; the string is the event type. */
function frameWithHeaders(values: number[][]): Buffer {
  const headers = values.map((value, at) => {
    const name = value[0] === 7 ? ':event-type' : `h${at}`
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(value)])
  })
  return awsFrameOf(Buffer.concat(headers))
}

/** A frame without a payload whose headers are these bytes. */
function awsFrameOf(headers: Buffer): Buffer {
  const frame = Buffer.concat([prelude(16 + headers.length, headers.length), headers, Buffer.alloc(4)])
  frame.writeUInt32BE(crcOf(frame.subarray(0, -4)), frame.length - 4)
  return frame
}

function prelude(total: number, headers: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(total, 0)
  bytes.writeUInt32BE(headers, 4)
  bytes.writeUInt32BE(crcOf(bytes.subarray(0, 8)), 8)
  return bytes
}

/** The checksum computed bit by bit, as specified, to verify the fast implementation. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0)
}
