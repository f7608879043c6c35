import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadCatalog, type Price } from '../src/platform/catalog/catalog.ts'
import { readProviders } from '../src/platform/config/provider-settings.ts'
import { DIALECTS } from '../src/translation/dialects/index.ts'
import { PROVIDER_ALIASES, PROVIDERS } from '../src/platform/providers/providers.ts'

// The rules that every row of data must obey.

describe('the data', () => {
  const providers = readProviders({}, {})
  const catalog = loadCatalog(providers)

  test('every model has a provider row, a unique id and prices that are not negative', () => {
    const ids = catalog.list().map(({ provider, id }) => `${provider}/${id}`)
    assert.equal(new Set(ids).size, ids.length)
    for (const { provider, price } of catalog.list()) {
      assert.ok(Object.hasOwn(PROVIDERS, provider), provider)
      if (price)
        for (const rate of Object.values(price).filter((value) => typeof value === 'number')) assert.ok(rate >= 0)
    }
  })

  test('two providers that ask the same price for a model have the same steps, or one says that it has none', () => {
    const stepped = catalog.list().filter(({ price }) => price?.tiers?.length)
    const compared: string[] = []
    for (const made of stepped)
      for (const hosted of catalog.list()) {
        const factor = surcharge(hosted.price, made.price!)
        if (hosted === made || modelName(hosted.id) !== modelName(made.id) || factor === undefined) continue
        const [wanted, found] = [stepsOf(made.price!, factor), stepsOf(hosted.price!, 1)]
        // An empty list says that the source of the host has no steps.
        if (hosted.price!.tiers?.length !== 0) assert.deepEqual(found, wanted, `${hosted.provider}/${hosted.id}`)
        compared.push(hosted.provider)
      }
    for (const host of ['azure', 'vertex', 'amazon', 'openrouter']) assert.ok(compared.includes(host), host)
  })

  test('every provider row speaks a known dialect or none, at a valid address, with a variable of its own', () => {
    // An OpenAI-compatible endpoint of another row's provider has that row's key.
    const own = Object.entries(PROVIDERS).filter(([id]) => !id.endsWith('-openai'))
    const variables = own.flatMap(([, { auth }]) => auth.env ?? [])
    assert.equal(new Set(variables).size, variables.length)
    for (const [id, row] of Object.entries(PROVIDERS)) {
      assert.match(id, /^[a-z0-9_-]+$/)
      if (row.dialect) assert.ok(Object.hasOwn(DIALECTS, row.dialect))
      assert.ok(URL.canParse(row.baseUrl) && !row.baseUrl.endsWith('/'), id)
    }
  })

  test('no code compares the id of a provider with a name: what is known about a provider is in its row', () => {
    const ids = new Set([...Object.keys(PROVIDERS), ...PROVIDER_ALIASES.keys()])
    const src = join(import.meta.dirname, '..', 'src')
    // The importers know how other gateways treat a provider, which is no fact about the provider.
    const files = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts', 'platform/providers/*', 'cli/import/**'] })
    assert.ok(files.length > 500)
    const found = files.flatMap((file) => {
      const comparisons = readFileSync(join(src, file), 'utf8').matchAll(ID_COMPARISON)
      return [...comparisons].filter(([, id]) => ids.has(id!)).map(([text]) => `${file}: ${text}`)
    })
    assert.deepEqual(found, [])
  })
})

/** Regional endpoints cost a tenth more. A host with another price has a price list of its own. */
const SURCHARGES = [1, 1.1]

function surcharge(hosted: Price | null, made: Price): number | undefined {
  const isAt = (factor: number) =>
    isAbout(hosted!.input, made.input * factor) && isAbout(hosted!.output, made.output * factor)
  return hosted ? SURCHARGES.find(isAt) : undefined
}

function isAbout(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.001 * other
}

function stepsOf({ tiers = [] }: Price, factor: number): number[][] {
  const each = (usd: number) => Number((usd * factor).toPrecision(4))
  return tiers.map(({ above, input, output }) => [above, each(input), each(output)])
}

/** The name of a model without its maker, its region and its version: `us.openai.gpt-6-sol`, `openai/gpt-6-sol`. */
function modelName(id: string): string {
  const name = id.slice(id.lastIndexOf('/') + 1).toLowerCase()
  const bare = name
    .replace(/^(us|eu|jp|apac|au|global|us-gov)\./, '')
    .replace(/^(openai|anthropic|google|xai|minimax|qwen)\./, '')
  return bare
    .replace(/(-v\d+)?(:\w+)?$/, '')
    .replace(/-\d{8}$/, '')
    .replaceAll('.', '-')
}

/** `provider.id === 'openai'`, `provider !== 'sandbox'`, `name === 'azure'` */
const ID_COMPARISON = /\b(?:id|name|\w*provider(?:Id|Name)?)\s*[!=]==?\s*'([^']*)'/gi
