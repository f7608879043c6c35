import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText } from './read-text.ts'

const LIMIT = 10

test('as much as the limit is read, as text', async () => {
  assert.equal(await readText(bodyOf('Grü', 'ß dich'), LIMIT + 1), 'Grüß dich')
  assert.equal(await readText({ ...bodyOf(), takeComplete: () => [Buffer.from('0123456789')] }, LIMIT), '0123456789')
})

test('more is refused when it comes, and the rest is not waited for', async () => {
  let hasLeft = false
  async function* tooLong() {
    try {
      for (let piece = 0; piece < 1_000; piece++) yield Buffer.from('0123')
    } finally {
      hasLeft = true
    }
  }
  await assert.rejects(readText(tooLong(), LIMIT), { kind: 'protocol' })
  assert.equal(hasLeft, true)
  const here = { ...bodyOf(), takeComplete: () => [Buffer.from('0123456789'), Buffer.from('a')] }
  await assert.rejects(readText(here, LIMIT), { kind: 'protocol' })
})

test('what is no UTF-8 is no text', async () => {
  await assert.rejects(readText(bodyOf(Uint8Array.of(0xff)), LIMIT), { kind: 'protocol' })
})

async function* bodyOf(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string)
}
