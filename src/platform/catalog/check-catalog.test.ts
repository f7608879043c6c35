import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS } from '../providers/providers.ts'
import { type Catalog, loadCatalog, type Model, OPERATOR } from './catalog.ts'
import { checkCatalog } from './check-catalog.ts'

const ALL = PROVIDERS
const GOOD: Model = {
  id: 'm',
  created: 1_700_000_000,
  provider: 'groq',
  type: 'chat',
  context: 1000,
  output: null,
  price: { input: 1, output: 2, tiers: [{ above: 10, input: 2, output: 4 }] },
  can: ['tools'],
  regions: ['global'],
  source: 'a test',
  checked: '2026-11-15',
}

test('the catalog that is shipped has no flaw', () => {
  assert.deepEqual(checkCatalog(ALL, loadCatalog(ALL)), [])
})

test('a model without a flaw, one without a price and one of the operator pass', () => {
  const { source, checked, ...unsourced } = GOOD
  const own = { ...unsourced, source: OPERATOR }
  assert.deepEqual(flawsOf(GOOD, { ...unsourced, price: null }, own), [])
})

const BAD: [string, Partial<Model>, RegExp][] = [
  ['a provider without a row', { provider: 'no-such-provider' }, /no row/],
  ['a price without a source', { source: undefined }, /no source/],
  ['a price without a day', { checked: undefined }, /no day/],
  ['a day that is none', { checked: '2026-13-40' }, /no day/],
  ['a negative price', { price: { input: -1, output: 2 } }, /input costs -1/],
  ['a price that is no number', { price: { input: 1, output: Number.NaN } }, /output costs NaN/],
  ['a negative price of a tier', tiers([10, -1]), /input above 10 costs -1/],
  ['a negative price of an image', { perImage: [{ usd: -1 }] }, /an image costs -1/],
  ['a negative price of a search', { per: { search: -1 } }, /search costs -1/],
  ['tiers that descend', tiers([20, 1], [10, 2]), /do not ascend: 20, 10/],
  ['tiers that repeat', tiers([20, 1], [20, 2]), /do not ascend/],
  ['an unknown type', { type: 'poem' as 'chat' }, /type 'poem'/],
  ['an unknown capability', { can: ['fly' as 'tools'] }, /capability 'fly'/],
  ['a limit that is none', { context: 0.5 }, /0.5 is no limit/],
  ['a quality off the scale', { quality: 6 as 5 }, /quality 6/],
  ['an unknown trait', { traits: { refusess: ['stop'] } as object }, /trait 'refusess'/],
  ['a trait with a wrong value', { traits: { refuses: [] } }, /trait 'refuses'/],
  ['an unknown way to think', { traits: { thinking: { by: 'magic' as 'effort' } } }, /trait 'thinking'/],
  ['an unknown word about thinking', { traits: { thinking: { by: 'effort', word: 1 } as never } }, /trait 'thinking'/],
]

for (const [title, change, flaw] of BAD)
  test(`${title} is found`, () => {
    const flaws = flawsOf({ ...GOOD, ...change })
    assert.equal(flaws.length, 1)
    assert.match(flaws[0]!.flaw, flaw)
    assert.equal(flaws[0]!.model, `${change.provider ?? 'groq'}/m`)
  })

test('what was wrong with the files comes first', () => {
  const flaw = { model: 'x/*', flaw: 'its provider has no row' }
  assert.deepEqual(checkCatalog(ALL, { ...catalogOf([GOOD]), flaws: [flaw] }), [flaw])
})

function tiers(...borders: [above: number, input: number][]): Partial<Model> {
  return { price: { input: 1, output: 2, tiers: borders.map(([above, input]) => ({ above, input, output: 4 })) } }
}

function flawsOf(...models: Model[]) {
  return checkCatalog(ALL, catalogOf(models))
}

function catalogOf(models: Model[]): Catalog {
  return { find: () => undefined, list: () => models }
}
