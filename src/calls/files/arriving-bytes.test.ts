import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arrival, ArrivingBytes } from './arriving-bytes.ts'

test('bytes of an owner are counted together until they have become a file, and those of another apart', async () => {
  const arriving = new ArrivingBytes()
  const [first, second, other] = [arrivalOf('a'), arrivalOf('a'), arrivalOf('b')]
  await read(arriving.counted(pieces(6), first))
  await assert.rejects(read(arriving.counted(pieces(6), second)), /too many/)
  await read(arriving.counted(pieces(6), other))
  assert.deepEqual([arriving.of('a'), arriving.of('b')], [11, 6])
  for (const arrival of [first, first, second, other]) arriving.ended(arrival)
  assert.deepEqual([arriving.of('a'), arriving.of('b')], [0, 0])
  await read(arriving.counted(pieces(10), arrivalOf('a')))
})

function arrivalOf(owner: string): Arrival {
  return {
    owner,
    size: 0,
    check: (arriving) => {
      if (arriving > 10) throw new Error('too many')
    },
  }
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < count; piece++) yield new Uint8Array(1)
}

async function read(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}
