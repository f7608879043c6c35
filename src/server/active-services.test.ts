import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { ReloadableServices } from './active-services.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { openMcp } from '../calls/mcp/mcp-servers.ts'
import { AliasTable } from '../platform/config/aliases/alias-table.ts'
import type { Alias } from '../platform/config/aliases/alias.ts'
import { parseConfig } from '../platform/config/config.ts'
import type { Egress } from '../platform/net/egress/guarded-fetch.ts'
import { GuardrailTable } from '../tenants/guardrails/guardrail-table.ts'
import type { LastingServices } from './services-of.ts'

const ALIAS: Alias = { targets: [{ model: 'sandbox/echo' }] }
const configWith = (content: Record<string, unknown>, environment: Record<string, string> = {}) =>
  parseConfig({ environment, file: { path: undefined, content } })

test('an alias that is stored between the check of a reload and its commit stays', () => {
  const active = activeServices()
  const commit = active.prepare(configWith({ aliases: { ofFile: ALIAS } }))
  active.replaceAliases({ stored: ALIAS })
  commit()
  const names = active.current.calls.aliases.list().map(({ name }) => name)
  assert.deepEqual(names, ['ofFile', 'stored'])
})

test('a reload makes another catalog only if its providers, prices or models are others', () => {
  const active = activeServices()
  const { catalog } = active.current.calls
  active.prepare(configWith({ logLevel: 'warn' }))()
  assert.equal(active.current.calls.catalog, catalog)
  active.prepare(configWith({}, { OPENAI_API_KEY: 'sk-of-a-test' }))()
  assert.notEqual(
    active.current.calls.catalog,
    catalog,
    'names that are remembered by the catalog depend on credentials',
  )
  assert.equal(active.current.calls.catalog.list, catalog.list, 'the models are not loaded again for a credential')
  active.prepare(configWith({ providers: { openai: { regions: ['eu'] } } }))()
  assert.notEqual(active.current.calls.catalog.list, catalog.list)
  active.prepare(configWith({}))()
  const { list } = active.current.calls.catalog
  active.prepare(configWith({ prices: { 'openai/gpt-4o': { input: 1, output: 2 } } }))()
  assert.notEqual(active.current.calls.catalog.list, list)
})

function activeServices(): ReloadableServices {
  const config = configWith({})
  const egress = { close() {} } as unknown as Egress
  const calls = {
    config,
    catalog: { list: () => [] },
    aliases: new AliasTable(config.aliases),
    mcp: openMcp({ servers: [], egress, monotonic: () => 0 }),
    circuits: { forgetProvider() {} },
    spendLimits: { replace() {} },
    guardrails: new GuardrailTable(),
    now: Date.now,
  } as unknown as CallServices
  const lasting = { tenants: { keyCache: { replaceFixed() {} }, jwt: { use() {} } } } as unknown as LastingServices
  const log = pino({ enabled: false })
  const parts = { egress, openEgress: () => egress, listeners: [], fixedKeys: () => [] }
  return new ReloadableServices({ calls, lasting, ...parts, log })
}
