import type { AppContext } from './app/context.ts'
import { providersByOrigin } from './config/provider-origins.ts'
import type { Health } from './http/health.ts'
import type { ConnectionCounts } from './net/http1/pool.ts'
import type { Upstream } from './net/upstream.ts'

/** Metrics that are read when they are scraped. */
export function registerGauges(context: AppContext, health: Health, upstream: Upstream): void {
  const { metrics, ledger, circuits, memory } = context
  registerConnections(context, upstream)
  metrics.gauge(
    'gatehouse_bytes_in_flight',
    'Bytes that running requests hold, as counted by the memory budget.',
    () => memory.held,
  )
  metrics.gauge(
    'gatehouse_circuits_open',
    'Models that are not called because they failed, for at least one owner.',
    () => circuits.open,
  )
  metrics.gauge(
    'gatehouse_circuits_open_for_everyone',
    'Models that are not called for any owner, because they failed for several owners or cannot be connected to.',
    () => circuits.openForEveryone,
  )
  metrics.gauge('gatehouse_in_flight', 'Requests that are being answered now.', () => health.inFlight)
  metrics.gauge(
    'gatehouse_event_loop_delay_seconds',
    'How late the event loop was at the last measurement.',
    () => health.lateness / 1000,
  )
  metrics.gauge('gatehouse_ledger_rows_waiting', 'Usage rows that are not in the store yet.', () => ledger.waiting)
  metrics.gauge(
    'gatehouse_ledger_rows_lost',
    'Usage rows that were dropped because neither the store nor the disk took them.',
    () => ledger.lost,
  )
  metrics.gauge(
    'gatehouse_ledger_journal_bytes',
    'Bytes of usage rows on the local disk that are not in the store yet.',
    () => ledger.journalBytes,
  )
  metrics.total(
    'gatehouse_ledger_journal_refused_rows_total',
    'Usage rows that could not be written to the local disk because it failed or the size limit was reached.',
    () => ledger.refused,
  )
}

const CONNECTION_GAUGES: Record<keyof ConnectionCounts, { name: string; help: string }> = {
  open: { name: 'gatehouse_upstream_connections_open', help: 'Connections to a provider.' },
  idle: { name: 'gatehouse_upstream_connections_idle', help: 'Connections to a provider that no request uses.' },
  waiting: {
    name: 'gatehouse_upstream_requests_waiting',
    help: 'Requests that wait because all connections to a provider are in use.',
  },
}

/** The label is the provider; addresses of no provider, such as that of a blob store, are counted together. */
function registerConnections({ metrics, config }: AppContext, { connections }: Upstream): void {
  const names = providersByOrigin(config.providers)
  for (const [count, { name, help }] of Object.entries(CONNECTION_GAUGES))
    metrics.gauges(name, help, 'provider', () => {
      const sums = new Map<string, number>()
      for (const [origin, counts] of connections()) {
        const provider = names.get(origin) ?? 'other'
        sums.set(provider, (sums.get(provider) ?? 0) + counts[count as keyof ConnectionCounts])
      }
      return sums
    })
}
