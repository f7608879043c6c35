import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { writePublicKey } from '../catalog/signed-catalog.ts'
import { loadConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readPrices } from './price-settings.ts'

const PROVIDERS = { openai: {} }

test('prices per token, image and request', () => {
  const tiers = [{ above: 1_000, input: 2, output: 4 }]
  const stated = {
    'openai/a': { input: 1, output: 2, cacheRead: 0.5, tiers },
    'openai/b/c': { perImage: 0.1 },
    'openai/d': { input: 0, output: 0, perRequest: 0.01 },
  }
  assert.deepEqual(readPrices(stated, PROVIDERS), {
    'openai/a': { price: { input: 1, output: 2, cacheRead: 0.5, tiers } },
    'openai/b/c': { perImage: [{ usd: 0.1 }] },
    'openai/d': { price: { input: 0, output: 0 }, per: { request: 0.01 } },
  })
  assert.deepEqual(readPrices(undefined, PROVIDERS), {})
})

const WRONG: [unknown, RegExp][] = [
  [{ 'opnai/a': { input: 1, output: 2 } }, /^prices\.opnai\/a: /],
  [{ 'gpt-4o': { input: 1, output: 2 } }, /^prices\.gpt-4o: should be named provider\/model/],
  [{ 'openai/a': { input: 1 } }, /needs input and output/],
  [{ 'openai/a': { cacheRead: 1, perImage: 1 } }, /needs input and output/],
  [{ 'openai/a': {} }, /has no price/],
  [{ 'openai/a': { input: -1, output: 2 } }, /prices\.openai\/a\.input/],
  [{ 'openai/a': { input: 1, output: 2, inptu: 2 } }, /prices\.openai\/a\.inptu/],
  [[], /prices/],
]

for (const [value, reason] of WRONG) {
  test(`${JSON.stringify(value)} is refused, and the message says where`, () => {
    assert.throws(
      () => readPrices(value, PROVIDERS),
      (error: Error) => error instanceof ConfigError && reason.test(error.message),
    )
  })
}

test('an address of catalogs needs a key, and both are checked at the start', () => {
  const key = writePublicKey(generateKeyPairSync('ed25519').publicKey)
  const read = (more: Record<string, string>) => loadConfig({ GATEHOUSE_CONFIG: '', ...more })
  const { catalogUrl, catalogPublicKey } = read({
    CATALOG_URL: 'https://c.test/x?sig=1',
    CATALOG_PUBLIC_KEY: `${key}, ${key}`,
  })
  assert.deepEqual([catalogUrl, catalogPublicKey], ['https://c.test/x?sig=1', [key, key]])
  assert.throws(() => read({ CATALOG_URL: 'https://c.test' }), /CATALOG_URL: needs CATALOG_PUBLIC_KEY/)
  assert.throws(() => read({ CATALOG_PUBLIC_KEY: 'x' }), /CATALOG_PUBLIC_KEY: should be an Ed25519 public key/)
  for (const wrong of ['ftp://c.test', 'https://u:p@c.test', 'c.json'])
    assert.throws(() => read({ CATALOG_URL: wrong, CATALOG_PUBLIC_KEY: key }), /CATALOG_URL: should be an http/)
})
