import type { AppContext } from './app/context.ts'
import type { Health } from './http/health.ts'

/** Metrics that are read when they are scraped. */
export function registerGauges({ metrics, ledger, circuits, memory }: AppContext, health: Health): void {
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
