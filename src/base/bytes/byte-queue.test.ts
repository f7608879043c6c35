import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteQueue } from './byte-queue.ts'
import { inBlocks } from './in-blocks.ts'
import { sample } from '../../../test/soak/sample.ts'

const PIECE = fc.oneof(
  fc.uint8Array({ maxLength: 3 }),
  fc.uint8Array({ maxLength: 40 }),
  fc.nat({ max: 40_000 }).map((length) => new Uint8Array(length).fill(length)),
)

test('bytes come out in order, however they are taken', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(PIECE, fc.boolean()), { maxLength: 40 }), fc.nat(), (pushes, seed) => {
      const queue = new ByteQueue()
      const taken: Uint8Array[] = []
      for (const [index, [piece, isLent]] of pushes.entries()) {
        const lent = piece.slice()
        queue.push(lent, isLent)
        if (isLent) lent.fill(255)
        if ((seed + index) % 5 === 0) taken.push(...[queue.shift() ?? []].map((one) => Uint8Array.from(one)))
      }
      const before = Buffer.concat(taken).length
      assert.equal(queue.length, Buffer.concat(pushes.map(([piece]) => piece)).length - before)
      const rest = seed % 2 ? queue.takeAll() : Buffer.concat(queue.takePieces())
      assert.ok(Buffer.concat([...taken, rest]).equals(Buffer.concat(pushes.map(([piece]) => piece))))
      assert.deepEqual([queue.length, queue.shift()], [0, undefined])
    }),
  )
})

test('a piece that was handed out, or belongs to its sender, is never written to', () => {
  const queue = new ByteQueue()
  const source = Buffer.from('abcdef')
  queue.push(source.subarray(0, 3))
  queue.push(Buffer.from('x'))
  const first = queue.shift()!
  queue.push(Buffer.from('y'))
  queue.push(Buffer.from('z'))
  assert.deepEqual([String(first), String(queue.shift()), String(source)], ['abcx', 'yz', 'abcdef'])
})

test('a million single bytes come out as a few pieces', () => {
  const queue = new ByteQueue()
  const byte = Buffer.from('a')
  for (let pushed = 0; pushed < 1_000_000; pushed++) queue.push(byte, true)
  assert.ok(queue.takePieces().length <= 1_000_000 / (16 * 1024) + 1)
})

test('blocks contain the same bytes; large pieces pass unchanged', async () => {
  const large = Buffer.alloc(16 * 1024, 1)
  const small = [...Array(sample(50_000, 200_000)).keys()].map((index) => Buffer.from([index % 251]))
  const options = [...small.slice(0, 5), large, ...small, large, Buffer.from('end')]
  const blocks: Uint8Array[] = []
  for await (const block of inBlocks(one(options))) blocks.push(block)
  assert.ok(Buffer.concat(blocks).equals(Buffer.concat(options)))
  assert.ok(blocks.length < 30, `${blocks.length} blocks`)
  assert.equal(blocks.filter((block) => block === large).length, 2)
})

async function* one(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
