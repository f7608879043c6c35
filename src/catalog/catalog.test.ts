import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { PROVIDERS } from '../providers/providers.ts'
import { type CatalogRow, loadCatalog } from './catalog.ts'

const ALL = PROVIDERS
const ROW: CatalogRow = { id: 'm', type: 'chat', context: null, output: null, price: null, can: [] }

describe('the catalog', () => {
  const catalog = loadCatalog(ALL)

  test('knows more than a thousand chat models, and models of other kinds', () => {
    const count = (type: string) => catalog.list().filter((model) => model.type === type).length
    assert.ok(count('chat') > 1000)
    for (const type of ['image', 'responses', 'embedding', 'speech', 'transcription', 'moderation', 'rerank'])
      assert.ok(count(type) > 0, type)
  })

  test('gives a model the traits of its family, the length of its longest answer and the origin of its price', () => {
    const { traits, price, source, checked } = catalog.find('anthropic', 'claude-haiku-5-5')!
    assert.equal(traits?.thinking?.by, 'adaptive')
    assert.deepEqual(traits?.refuses, ['temperature', 'top_p', 'top_k'])
    assert.equal(traits?.maxOutput, 128_000)
    assert.deepEqual([price?.cacheWrite1h, price?.tiers?.[0]?.cacheWrite1h], [0.2, 1])
    assert.match(source!, /pi-ai/)
    assert.equal(checked, '2026-11-02')
  })

  test('lets a row say more than its family', () => {
    const [api, cloud] = ['google', 'vertex'].map((provider) => catalog.find(provider, 'gemini-2.5-flash')!.traits)
    assert.deepEqual(api?.refuses, ['presence_penalty', 'frequency_penalty'])
    assert.equal(cloud?.refuses, undefined)
    assert.deepEqual(api?.thinking, cloud?.thinking)
  })

  test('prices an image by quality and size', () => {
    const { perImage } = catalog.find('openai', 'gpt-image-1.5')!
    assert.deepEqual(perImage?.[0], { quality: 'low', size: '1024x1024', usd: 0.009 })
  })

  test("keeps a profile of Amazon's where its name says", () => {
    const from = (home: 'eu' | 'us') => {
      const amazon = { ...ALL.amazon!, regions: ['global', home] as const }
      const { find } = loadCatalog({ amazon })
      return ['eu.', 'us.', 'global.', ''].map((area) => find('amazon', `${area}anthropic.claude-sonnet-5`)?.regions)
    }
    assert.deepEqual(from('eu'), [['global', 'eu'], ['global'], ['global'], ['global', 'eu']])
    assert.deepEqual(from('us'), [['global'], ['global', 'us'], ['global'], ['global', 'us']])
  })

  test('ranks the same model alike wherever it is served', () => {
    const qualities = ['groq/openai/gpt-oss-120b', 'cerebras/gpt-oss-120b', 'amazon/openai.gpt-oss-120b'].map(
      (name) => {
        const slash = name.indexOf('/')
        return catalog.find(name.slice(0, slash), name.slice(slash + 1))!.quality
      },
    )
    assert.deepEqual(qualities, [2, 2, 2])
  })

  test('leaves out the models of providers that are not there, and says so', () => {
    const { list, flaws } = loadCatalog({ openai: PROVIDERS.openai! })
    assert.deepEqual(new Set(list().map(({ provider }) => provider)), new Set(['openai']))
    assert.ok(flaws.some(({ model, flaw }) => model === 'groq/*' && /no row/.test(flaw)))
  })

  test('takes models that the operator adds, in the place of its own', () => {
    const own = { ...ROW, id: 'gpt-4o', price: { input: 1, output: 2 } }
    const { find, list } = loadCatalog({ openai: { models: [own, { ...ROW, output: 5 }] } })
    assert.equal(find('openai', 'gpt-4o')?.price?.input, 1)
    assert.equal(list().filter(({ id }) => id === 'gpt-4o').length, 1)
    assert.deepEqual(find('openai', 'm')?.traits, { maxOutput: 5 })
  })
})

test('a file that repeats a model or names an unknown family has a flaw, and is loaded all the same', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-catalog-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const models = [ROW, { ...ROW, family: 'atlantis' }]
  writeFileSync(join(folder, 'groq.json'), JSON.stringify({ source: 'a test', checked: '2026-01-01', models }))
  const { list, flaws } = loadCatalog(PROVIDERS, pathToFileURL(`${folder}/`))
  assert.equal(list().length, 1)
  assert.deepEqual(flaws, [
    { model: 'groq/m', flaw: 'it is listed twice' },
    { model: 'groq/m', flaw: "its family 'atlantis' is unknown" },
  ])
})
