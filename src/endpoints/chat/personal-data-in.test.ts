import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engines, RunEngine } from '../../translation/engine-api/engines.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { PIECE_CHARACTERS, personalDataIn } from './personal-data-in.ts'

const LINE = 'Nothing of note happened on that day. '

test('long texts are read in pieces, short ones together, and places are those of the whole text', async () => {
  const { engine, batches } = findingAnna()
  const texts = ['Anna', `${LINE.repeat(1_500)}Anna`, '', `Anna${'x'.repeat(3 * PIECE_CHARACTERS)}Anna`, 'to Anna']
  const found = await read(texts, engine)
  assert.deepEqual(
    texts.map((text, index) => found[index]!.map(({ start, end }) => [start, text.slice(start, end)])),
    [
      [[0, 'Anna']],
      [[LINE.length * 1_500, 'Anna']],
      [],
      [0, texts[3]!.length - 4].map((at) => [at, 'Anna']),
      [[3, 'Anna']],
    ],
  )
  const sizes = batches.map((batch) => batch.join('').length)
  assert.ok(sizes.every((size) => size <= PIECE_CHARACTERS))
  assert.equal(batches.flat().join(''), texts.join(''))
  assert.ok(batches[1]![0]!.endsWith('day. '))
  assert.deepEqual(await read([], engine), [])
})

test('the caller learns if the text is too long, too much for the engine, or if the engine is busy', async () => {
  const { engine, batches } = findingAnna()
  await assert.rejects(read(['a'.repeat(400_000), 'b'.repeat(100_001)], engine), { status: 422 })
  assert.equal(batches.length, 0)
  for (const [kind, status] of [
    ['context_length', 422],
    ['rate_limited', 503],
  ] as const) {
    const failing = (() => Promise.reject(new UpstreamProblem(kind, 'no'))) as RunEngine
    await assert.rejects(read(['Anna'], failing), { status })
  }
})

function read(texts: string[], engine: RunEngine) {
  return personalDataIn(texts, ['name'], {
    signal: new AbortController().signal,
    owner: 'owner',
    services: { engine },
  })
}

function findingAnna() {
  const batches: (readonly string[])[] = []
  const engine = (async (_name: string, { texts }: Engines['privacy']['input']) => {
    batches.push(texts)
    return texts.map((text) => {
      return [...text.matchAll(/Anna/g)].map(({ index }) => ({ start: index, end: index + 4, kind: 'name' }))
    })
  }) as unknown as RunEngine
  return { engine, batches }
}
