/** A family of Prometheus metrics. */
export type FamilyInfo = {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  /** How the values of the processes of one gateway become one: their sum, unless this says otherwise. */
  merge?: 'largest'
  /** It is about the whole store, so it is read once for all processes that share a port. Every replica reports the same. */
  isShared?: true
}

/** Every family of /metrics. docs/metrics.md is written from this table, and dashboards and alert rules may use nothing else. */
export const FAMILIES = {
  gatehouse_requests_total: counter('Requests answered.', 'endpoint', 'status'),
  gatehouse_request_duration_seconds: histogram(
    'Seconds from the first byte of a request to the last byte of its reply.',
    'endpoint',
  ),
  gatehouse_time_to_first_token_seconds: histogram('Seconds from a request to its first streamed chunk.', 'provider'),
  gatehouse_overhead_seconds: histogram(
    'Seconds that the gateway itself takes before the first byte of an answer: until the request is sent to the provider, and from the bytes of the provider to the answer.',
    'endpoint',
  ),
  gatehouse_stream_event_overhead_seconds: histogram(
    'Seconds from the arrival of bytes of a provider to the write of the events that were made of them.',
  ),
  gatehouse_in_flight: gauge('Requests that are being answered now.'),
  gatehouse_bytes_in_flight: gauge('Bytes that running requests hold, as counted by the memory budget.'),
  gatehouse_event_loop_delay_seconds: {
    ...gauge('How late the event loop was at the last measurement.'),
    merge: 'largest',
  },
  gatehouse_event_loop_lag_seconds: histogram('How late the event loop was, measured four times a second.'),

  gatehouse_tokens_total: counter('Tokens as counted by the providers.', 'provider', 'model', 'direction'),
  gatehouse_cost_usd_total: counter('Known cost in USD.', 'provider', 'model'),
  gatehouse_attempts_total: counter('Attempts at providers, by outcome.', 'provider', 'outcome'),
  gatehouse_malformed_events_total: counter('Stream events that could not be parsed and were skipped.', 'provider'),
  gatehouse_circuits_open: {
    ...gauge('Models that are not called because they failed, for at least one owner.'),
    merge: 'largest',
  },
  gatehouse_circuits_open_for_everyone: {
    ...gauge(
      'Models that are not called for any owner, because they failed for several owners or cannot be connected to.',
    ),
    merge: 'largest',
  },
  gatehouse_upstream_connections_open: gauge('Connections to a provider.', 'provider'),
  gatehouse_upstream_connections_busy: gauge('Connections to a provider that a request uses.', 'provider'),
  gatehouse_upstream_connections_idle: gauge('Connections to a provider that no request uses.', 'provider'),
  gatehouse_upstream_requests_waiting: gauge(
    'Requests that wait because all connections to a provider are in use.',
    'provider',
  ),

  gatehouse_budget_limit_usd: shared('The amount of a budget for its current window.', 'limit'),
  gatehouse_budget_remaining_usd: shared(
    'What is left of a budget in its current window, less what is reserved; of a budget that counts apart, the least of its parts. The 500 budgets with the smallest part left.',
    'limit',
  ),
  gatehouse_budget_overrun_total: counter(
    'Calls that a provider billed with more than the worst case that was reserved of a limit.',
    'limit',
  ),
  gatehouse_limit_shadow_exceeded_total: counter('Attempts that a limit in shadow mode would have refused.', 'limit'),
  gatehouse_guardrail_checks_total: counter(
    'Calls that a guardrail has looked at, by what one of its checks did: passed, flagged, redacted, blocked, unscanned, or what it would have done in shadow mode.',
    'guardrail',
    'check',
    'outcome',
  ),

  gatehouse_ledger_rows_waiting: gauge('Ledger lines that are not in the store yet.'),
  gatehouse_ledger_rows_lost: gauge(
    'Ledger lines that neither the store nor the disk took, or that the store refused and that were set aside.',
  ),
  gatehouse_ledger_journal_bytes: gauge('Bytes of ledger lines on the local disk that are not in the store yet.'),
  gatehouse_ledger_journal_refused_rows_total: counter(
    'Ledger lines that could not be written to the local disk because it failed or the size limit was reached.',
  ),
  gatehouse_key_cache_entries: gauge('API keys in memory.'),
  gatehouse_key_cache_hits_total: counter('Requests whose key was found in memory.'),
  gatehouse_key_cache_misses_total: counter('Requests whose key had to be looked up in the store.'),

  gatehouse_jobs: shared('Jobs that are not finished, by state. 100000 means at least as many.', 'state'),
  gatehouse_jobs_oldest_age_seconds: shared(
    'Age of the oldest job of a state: since its submission, or its start.',
    'state',
  ),
  gatehouse_job_duration_seconds: histogram(
    'Seconds from the start of a run to the end of its job. The count is the number of jobs that ended.',
    'feature',
    'status',
  ),
  gatehouse_deliveries_pending: shared('Webhooks that have not arrived yet. 100000 means at least as many.'),
  gatehouse_deliveries_oldest_age_seconds: shared('Age of the oldest webhook that has not arrived yet.'),
  gatehouse_delivery_attempts_total: counter(
    'Attempts to send a webhook: delivered, to be tried again (retry), or given up (failed).',
    'outcome',
  ),

  gatehouse_telemetry_dropped_total: counter(
    'Spans and points of metrics that did not reach the OpenTelemetry collector: no room (full), no answer (failed), all refused (refused), or a part (rejected).',
    'signal',
    'reason',
  ),

  gatehouse_agent_telemetry_total: counter(
    'Batches of OpenTelemetry of coding agents: passed on to the collector (forwarded), dropped because there is none (unwanted), or not taken by it.',
    'signal',
    'outcome',
  ),

  gatehouse_content_dropped_total: counter(
    'Calls whose content should have been kept and was not: because too many ended at once (too_many), or storing failed (failed).',
    'reason',
  ),
  gatehouse_store_reachable: shared('1 if the store answered when these metrics were read, otherwise 0.'),
  gatehouse_store_duration_seconds: histogram('Seconds until the store has answered.', 'operation'),
  gatehouse_store_errors_total: counter(
    'Questions to the store that failed: because it is away or full (unavailable), or for another reason (refused).',
    'reason',
  ),
  gatehouse_store_in_progress: gauge('Questions to the store that are not answered yet.'),
  gatehouse_store_waiting: gauge('Questions to the store that wait for a connection to PostgreSQL.'),
} as const satisfies Record<string, FamilyInfo>

export type FamilyName = keyof typeof FAMILIES

export function familyInfo(name: FamilyName): FamilyInfo {
  return FAMILIES[name]
}

type Kind<Type extends FamilyInfo['type']> = { type: Type; help: string; labels: readonly string[] }

function counter(help: string, ...labels: string[]): Kind<'counter'> {
  return { type: 'counter', help, labels }
}

function gauge(help: string, ...labels: string[]): Kind<'gauge'> {
  return { type: 'gauge', help, labels }
}

function histogram(help: string, ...labels: string[]): Kind<'histogram'> {
  return { type: 'histogram', help, labels }
}

function shared(help: string, ...labels: string[]): Kind<'gauge'> & { isShared: true } {
  return { type: 'gauge', help, labels, isShared: true }
}
