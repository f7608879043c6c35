import { providersByOrigin } from '../platform/config/provider-origins.ts'
import type { Services } from '../http/services.ts'
import type { Health } from '../http/health.ts'
import type { ConnectionCounts } from '../platform/net/http1/pool.ts'
import type { Upstream } from '../platform/net/upstream.ts'
import type { LateStore } from './open-store.ts'
import type { FamilyName } from '../platform/telemetry/family-table.ts'

type Read = { health: Health; upstream: Upstream; store: LateStore['db'] }

/** Metrics of this process that are read when they are scraped. */
export function registerGauges({ calls, tenants }: Services, { health, upstream, store }: Read): void {
  const { metrics, ledger, circuits, memory } = calls
  const { keyCache } = tenants
  registerConnections(calls, upstream)
  metrics.read('gatehouse_bytes_in_flight', () => memory.held)
  metrics.read('gatehouse_circuits_open', () => circuits.open)
  metrics.read('gatehouse_circuits_open_for_everyone', () => circuits.openForEveryone)
  metrics.read('gatehouse_in_flight', () => health.inFlight)
  metrics.read('gatehouse_event_loop_delay_seconds', () => health.lateness / 1000)
  metrics.read('gatehouse_ledger_rows_waiting', () => ledger.waiting)
  metrics.read('gatehouse_ledger_rows_lost', () => ledger.lost)
  metrics.read('gatehouse_ledger_journal_bytes', () => ledger.journalBytes)
  metrics.read('gatehouse_ledger_journal_refused_rows_total', () => ledger.refused)
  metrics.read('gatehouse_key_cache_entries', () => keyCache.size)
  metrics.read('gatehouse_key_cache_hits_total', () => keyCache.hits)
  metrics.read('gatehouse_key_cache_misses_total', () => keyCache.misses)
  metrics.read('gatehouse_store_in_progress', () => store.inProgress)
  metrics.read('gatehouse_store_waiting', () => store.waiting ?? 0)
}

const CONNECTION_GAUGES: readonly [FamilyName, (counts: ConnectionCounts) => number][] = [
  ['gatehouse_upstream_connections_open', ({ open }) => open],
  ['gatehouse_upstream_connections_busy', ({ open, idle }) => open - idle],
  ['gatehouse_upstream_connections_idle', ({ idle }) => idle],
  ['gatehouse_upstream_requests_waiting', ({ waiting }) => waiting],
]

/** The label is the provider; addresses of no provider, such as that of a blob store, are counted together. */
function registerConnections({ metrics, config }: Services['calls'], { connections }: Upstream): void {
  const names = providersByOrigin(config.providers)
  for (const [name, countOf] of CONNECTION_GAUGES)
    metrics.readEach(name, 'provider', () => {
      const sums = new Map<string, number>()
      for (const [origin, counts] of connections()) {
        const provider = names.get(origin) ?? 'other'
        sums.set(provider, (sums.get(provider) ?? 0) + countOf(counts))
      }
      return sums
    })
}
