import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { loadCatalog } from '../../platform/catalog/catalog.ts'
import { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { UNOBSERVED } from '../../calls/attempts/observations.ts'
import { familyOf } from './families.ts'
import { findCounted } from './token-model.ts'

const { providers } = loadConfig({})
const catalog = loadCatalog(providers)
const DEFAULT_ROUTE = {
  config: { ...loadConfig({}), providers },
  catalog,
  aliases: new AliasTable({}),
  observations: UNOBSERVED,
}

test('every model of the catalog is found, with its provider and without, and counted by the same family', () => {
  for (const { id, provider } of catalog.list()) {
    const [full, bare] = [find(`${provider}/${id}`), find(id)]
    assert.ok(full.entry, full.id)
    assert.equal(familyOf(bare.model), familyOf(full.model), id)
  }
})

test('of several hosts: whom the key may use, who counts exactly here, makers first', () => {
  assert.equal(find('gpt-4o').id, 'openai/gpt-4o')
  assert.equal(find('gpt-4o', { scopes: ['model:azure/*'] }).id, 'azure/gpt-4o')
  assert.equal(find('claude-sonnet-4-5').id, 'anthropic/claude-sonnet-4-5')
  const twice = catalog.list().find(({ id, provider }) => provider === 'vertex' && catalog.find('google', id))!
  assert.equal(find(twice.id).provider.id, 'google')
  // A catalog of its own: what was found before is remembered by it.
  const set = { ...providers, vertex: { ...providers.vertex!, configured: true } }
  const services = { ...DEFAULT_ROUTE, config: { ...DEFAULT_ROUTE.config, providers: set }, catalog: { ...catalog } }
  assert.equal(findCounted(twice.id, ANY_CALLER, services).provider.id, 'vertex')
})

test('a region that only some of the hosts serve chooses among them', () => {
  const names = Map.groupBy(catalog.list(), ({ id }) => id)
  const isEu = ({ regions }: { regions: readonly string[] }) => regions.includes('eu')
  const mixed = [...names].find(([id, rows]) => !id.includes('/') && rows.some(isEu) && !rows.every(isEu))!
  const found = find(mixed[0], { region: 'eu' })
  assert.ok(found.entry!.regions.includes('eu'))
})

function find(name: string, more: Partial<Caller> = {}) {
  return findCounted(name, { ...ANY_CALLER, ...more }, DEFAULT_ROUTE)
}
