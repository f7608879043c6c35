import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { BatchWire } from './batch-wire.ts'
import { BATCH_WIRES } from './index.ts'

/** What each provider says about a batch with this word for its state. */
const SAID: Record<keyof typeof BATCH_WIRES, { batch: (word: unknown) => object; running: string; done: string }> = {
  openai: { batch: (status) => ({ status }), running: 'finalizing', done: 'completed' },
  mistral: { batch: (status) => ({ status }), running: 'QUEUED', done: 'SUCCESS' },
  anthropic: { batch: (processing_status) => ({ processing_status }), running: 'canceling', done: 'ended' },
  gemini: {
    batch: (state) => ({ metadata: { state } }),
    running: 'BATCH_STATE_PENDING',
    done: 'BATCH_STATE_SUCCEEDED',
  },
}

for (const [name, { batch, running, done }] of Object.entries(SAID)) {
  const wire: BatchWire = BATCH_WIRES[name as keyof typeof BATCH_WIRES]
  const look = (word: unknown) => wire.look('batches/1', async () => ({ ...batch(word) }))

  test(`a word that is not known does not say that a batch runs, nor that it has ended: ${name}`, async () => {
    assert.deepEqual(await look(running), { isEnded: false })
    for (const word of ['sleeping', undefined, 7, 'x'.repeat(1_000)])
      await assert.rejects(look(word), (error) => {
        assert(error instanceof UpstreamProblem)
        assert.match(error.message, /the state ".{1,40}", which is not known/)
        return true
      })
  })

  test(`a batch that is done and does not say where its results are: ${name}`, async () => {
    const seen = await look(done)
    assert(seen.isEnded)
    if (name === 'anthropic') assert.deepEqual(seen.sources, [{ path: '/messages/batches/batches%2F1/results' }])
    else assert.equal(seen.sources, undefined)
  })
}

test("an answer of Google's that does not say whose it is is no result, and not one less", async () => {
  const response = { candidates: [] }
  const metadata = {
    state: 'BATCH_STATE_SUCCEEDED',
    output: { inlinedResponses: { inlinedResponses: [{ response }, 7] } },
  }
  const seen = await BATCH_WIRES.gemini.look('batches/1', async () => ({ metadata }))
  assert.deepEqual(seen, { isEnded: true, sources: [{ results: [undefined, undefined] }], failure: undefined })
})

test('a host that forgets the metadata of a batch has our mark in the name of its file', async () => {
  const since = 1_800_000_000_000
  const created_at = since / 1_000
  const data = [
    { id: 'known', created_at, input_file_id: 'ours' },
    { id: 'old', created_at: created_at - 3_600, input_file_id: 'ours' },
    { id: 'other', created_at, input_file_id: 'other' },
    { id: 'marked', created_at, input_file_id: 'ours', metadata: { gatehouse_batch: 'another' } },
    { id: 'it', created_at, input_file_id: 'ours' },
  ]
  const asked: string[] = []
  const ask = async ({ path }: { path: string }) => {
    asked.push(path)
    return path.startsWith('/batches') ? { data } : { filename: path.endsWith('/ours') ? 'mark.jsonl' : 'other.jsonl' }
  }
  const sought = { mark: 'mark', since, count: 1, known: new Set(['known']) }
  assert.equal(await BATCH_WIRES.openai.find(sought, ask), 'it')
  assert.deepEqual(asked.slice(1), ['/files/other', '/files/ours'])
})
