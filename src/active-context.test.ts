import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { ActiveContext } from './active-context.ts'
import type { AppContext } from './app/context.ts'
import { AliasTable } from './config/aliases/alias-table.ts'
import type { Alias } from './config/aliases/alias.ts'
import { parseConfig } from './config/config.ts'
import type { Egress } from './net/egress/guarded-fetch.ts'

const ALIAS: Alias = { targets: [{ model: 'sandbox/echo' }] }
const configWith = (content: Record<string, unknown>, environment: Record<string, string> = {}) =>
  parseConfig({ environment, file: { path: undefined, content } })

test('an alias that is stored between the check of a reload and its commit stays', () => {
  const active = activeContext()
  const commit = active.prepare(configWith({ aliases: { ofFile: ALIAS } }))
  active.replaceAliases({ stored: ALIAS })
  commit()
  const names = active.current.aliases.list().map(({ name }) => name)
  assert.deepEqual(names, ['ofFile', 'stored'])
})

test('a reload makes another catalog only if its providers, prices or models are others', () => {
  const active = activeContext()
  const { catalog } = active.current
  active.prepare(configWith({ logLevel: 'warn' }))()
  assert.equal(active.current.catalog, catalog)
  active.prepare(configWith({}, { OPENAI_API_KEY: 'sk-of-a-test' }))()
  assert.notEqual(active.current.catalog, catalog, 'names that are remembered by the catalog depend on credentials')
  assert.equal(active.current.catalog.list, catalog.list, 'the models are not loaded again for a credential')
  active.prepare(configWith({ providers: { openai: { regions: ['eu'] } } }))()
  assert.notEqual(active.current.catalog.list, catalog.list)
  active.prepare(configWith({}))()
  const { list } = active.current.catalog
  active.prepare(configWith({ prices: { 'openai/gpt-4o': { input: 1, output: 2 } } }))()
  assert.notEqual(active.current.catalog.list, list)
})

function activeContext(): ActiveContext {
  const config = configWith({})
  const context = {
    config,
    catalog: { list: () => [] },
    aliases: new AliasTable(config.aliases),
    circuits: { forgetProvider() {} },
    keyCache: { replaceFixed() {} },
    jwt: { use() {} },
    spendLimits: { replace() {} },
    now: Date.now,
  } as unknown as AppContext
  const egress = { close() {} } as unknown as Egress
  const log = pino({ enabled: false })
  return new ActiveContext({ context, egress, openEgress: () => egress, listeners: [], fixedKeys: () => [], log })
}
