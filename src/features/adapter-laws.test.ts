import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedBy } from './accepted-by.ts'
import { findAdapter, providersOf } from './adapters.ts'
import type { Feature } from './feature.ts'
import { fileFieldsIn } from './file-fields.ts'
import { FEATURES } from './index.ts'

// What every adapter must obey, whatever its provider: a new one is held to it by being in the list.

const ALL = FEATURES.flatMap((feature) => {
  const others = providersOf(feature).filter((provider) => provider !== 'sandbox')
  return others.map((provider) => ({ feature, provider, address: addressOf(feature, provider) }))
})

test('who takes files says which, before anybody is asked', async () => {
  const takers = ALL.filter(({ feature }) => fileFieldsIn(feature.input).length > 0)
  assert.ok(takers.length >= 60)
  for (const { feature, provider, address } of takers) {
    const accepted = await acceptedBy(feature, await findAdapter(feature, provider)!())
    assert.ok(accepted && accepted.types.length > 0, address)
    for (const type of accepted.types) assert.match(type, /^[a-z]+\/([a-z0-9.+-]+|\*)$/, address)
  }
})

function addressOf({ feature, subfeature }: Feature, provider: string): string {
  return `${feature}/${subfeature}/${provider}`
}
