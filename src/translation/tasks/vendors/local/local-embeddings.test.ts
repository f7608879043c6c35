import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { run } from '../../fixtures/local.ts'

/** The same said twice, with hardly a word in common. */
const PAIRS: [one: string, other: string][] = [
  ['How do I reset my password?', 'I forgot my login and cannot get in.'],
  ['The parcel arrived broken.', 'My package was damaged in transit.'],
  ['Shares fell on Wall Street.', 'The stock market lost ground.'],
  ['A kitten sleeps on the rug.', 'The cat naps on the carpet.'],
  ['It will rain tomorrow.', 'The forecast says showers for the next day.'],
  ['She plays the violin.', 'She is a musician in an orchestra.'],
  ['The doctor prescribed antibiotics.', 'He was given medicine for his infection.'],
  ['Book a table for two tonight.', 'I would like to reserve dinner for a couple this evening.'],
  ['The bridge is closed for repairs.', 'Road works block the crossing over the river.'],
  ['The company hired fifty engineers.', 'New technical staff joined the firm.'],
]

describe('the engine that turns texts into numbers', () => {
  test('puts each sentence nearest to the one that says the same', async () => {
    const all = await vectorsOf([...PAIRS.map(([one]) => one), ...PAIRS.map(([, other]) => other)])
    const [ones, others] = [all.slice(0, PAIRS.length), all.slice(PAIRS.length)]
    assert.deepEqual(new Set(all.map(({ length }) => length)), new Set([512]))
    const right = ones.filter((one, index) => nearest(one, others) === index).length
    assert.equal(right, 10)
    // The vector of a text does not depend on the other texts of the batch.
    const [alone] = await vectorsOf([PAIRS.at(-1)![1]])
    assert.ok(likeness(all.at(-1)!, alone!) > 0.99999)
    assert.deepEqual([all.length, await vectorsOf([])], [2 * PAIRS.length, []])
  })

  test('a search puts the sentence that says the same first, by every measure', async () => {
    const texts = PAIRS.map(([, other]) => other)
    for (const [document, [query]] of PAIRS.entries()) {
      for (const similarity_metric of document === 0 ? ['cosine', 'hamming', 'manhattan', 'euclidean'] : [null]) {
        const { items } = (await run('text/search', { texts, query, similarity_metric })) as Hits
        assert.equal(items[0]?.document, document, query)
        assert.deepEqual(
          items.map((item) => item.document).toSorted((one, other) => one - other),
          [...PAIRS.keys()],
        )
        for (const { score } of items) assert.ok(score >= 0 && score <= 1)
      }
    }
    for (const [input, code] of [
      [{ texts: Array(101).fill('a'), query: 'a' }, 'too_many_texts'],
      [{ texts: ['a'], query: 'a'.repeat(2_001) }, 'text_too_long'],
      [{ texts: ['a dog '.repeat(65)], query: 'a' }, 'unreadable_input'],
    ] as const)
      await assert.rejects(run('text/search', input), { code, status: 422 })
  })

  test('hears no difference between opposites, nor a likeness across languages', async () => {
    const [love, hate, cat, chat] = await vectorsOf([
      'I love this phone.',
      'I hate this phone.',
      'The cat sleeps on the carpet.',
      'Le chat dort sur le tapis.',
    ])
    assert.ok(likeness(love!, hate!) > 0.8)
    assert.ok(likeness(cat!, chat!) < 0.3)
  })

  test('declines what it would read only in part', async () => {
    const refusals: [input: object, code: string][] = [
      [{ texts: ['a dog '.repeat(65)] }, 'unreadable_input'],
      [{ texts: ['fine', ''] }, 'unreadable_input'],
      [{ texts: ['a'.repeat(2_001)] }, 'text_too_long'],
      [{ texts: Array(101).fill('a') }, 'too_many_texts'],
      [{ texts: ['a'], dimensions: 256 }, 'unsupported_dimensions'],
    ]
    for (const [input, code] of refusals) await assert.rejects(run('text/embeddings', input), { code, status: 422 })
  })
})

type Hits = { items: { document: number; score: number }[] }

async function vectorsOf(texts: string[]): Promise<number[][]> {
  const { items } = (await run('text/embeddings', { texts })) as { items: { embedding: number[] }[] }
  return items.map(({ embedding }) => embedding)
}

/** Of vectors of length one this is their cosine. */
function likeness(one: number[], other: number[]): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0)
}

function nearest(one: number[], others: number[][]): number {
  const likenesses = others.map((other) => likeness(one, other))
  return likenesses.indexOf(Math.max(...likenesses))
}
