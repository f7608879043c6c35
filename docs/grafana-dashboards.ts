// Dashboards for Grafana, as rows of panels. Every panel is a question to Prometheus.

type Panel = { title: string; unit: string; queries: Record<string, string> }
type Dashboard = { title: string; uid: string; rows: Record<string, Panel[]> }

const WIDTH = 24
const HEIGHT = 8
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces its own variables.
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

export function requestsDashboard(): string {
  return write({ title: 'Gatehouse: requests', uid: 'gatehouse-requests', rows: REQUESTS })
}

export function operationsDashboard(): string {
  return write({ title: 'Gatehouse: operations', uid: 'gatehouse-operations', rows: OPERATIONS })
}

const REQUESTS: Dashboard['rows'] = {
  Traffic: [
    panel('Requests by endpoint', 'reqps', { '{{endpoint}}': rate('gatehouse_requests_total', 'endpoint') }),
    panel('Requests by status', 'reqps', { '{{status}}': rate('gatehouse_requests_total', 'status') }),
    panel('Refused or failed', 'percentunit', {
      failed: share('gatehouse_requests_total{status=~"5.."}', 'gatehouse_requests_total'),
      refused: share('gatehouse_requests_total{status=~"4.."}', 'gatehouse_requests_total'),
    }),
  ],
  Latency: [
    panel('Request duration', 's', quantiles('gatehouse_request_duration_seconds')),
    panel('Time to first token, median', 's', {
      '{{provider}}': quantile(0.5, 'gatehouse_time_to_first_token_seconds', 'provider'),
    }),
    panel('Overhead before the first byte', 's', quantiles('gatehouse_overhead_seconds')),
    panel('Overhead of stream events', 's', quantiles('gatehouse_stream_event_overhead_seconds')),
  ],
  Providers: [
    panel('Attempts by outcome', 'reqps', { '{{outcome}}': rate('gatehouse_attempts_total', 'outcome') }),
    panel('Attempts that failed', 'percentunit', {
      '{{provider}}': share('gatehouse_attempts_total{outcome!="answered"}', 'gatehouse_attempts_total', 'provider'),
    }),
    panel('Connections in use', 'short', { '{{provider}}': 'sum by (provider) (gatehouse_upstream_connections_busy)' }),
    panel('Requests that wait for a connection', 'short', {
      '{{provider}}': 'sum by (provider) (gatehouse_upstream_requests_waiting)',
    }),
    panel('Open circuits', 'short', {
      some: 'max(gatehouse_circuits_open)',
      everyone: 'max(gatehouse_circuits_open_for_everyone)',
    }),
    panel('Events that could not be read', 'cps', {
      '{{provider}}': rate('gatehouse_malformed_events_total', 'provider'),
    }),
  ],
  Money: [
    panel('Tokens', 'cps', { '{{model}} {{direction}}': rate('gatehouse_tokens_total', 'model, direction') }),
    panel('USD per hour', 'currencyUSD', { '{{model}}': `3600 * ${rate('gatehouse_cost_usd_total', 'model')}` }),
    panel('Part of a budget that is left', 'percentunit', {
      '{{limit}}':
        'max by (limit) (gatehouse_budget_remaining_usd) / (max by (limit) (gatehouse_budget_limit_usd) > 0)',
    }),
    panel('Billed beyond a reservation, or past a shadow limit', 'cps', {
      'overrun {{limit}}': rate('gatehouse_budget_overrun_total', 'limit'),
      'shadow {{limit}}': rate('gatehouse_limit_shadow_exceeded_total', 'limit'),
    }),
    panel('Guardrails', 'cps', {
      '{{guardrail}} {{check}} {{outcome}}': rate('gatehouse_guardrail_checks_total', 'guardrail, check, outcome'),
    }),
  ],
}

const OPERATIONS: Dashboard['rows'] = {
  Processes: [
    panel('Requests in flight', 'short', { '{{process}}': 'gatehouse_in_flight' }),
    panel('Bytes in flight', 'bytes', { '{{process}}': 'gatehouse_bytes_in_flight' }),
    panel('Event loop', 's', {
      '{{process}}': 'gatehouse_event_loop_delay_seconds',
      'p99 of all': quantile(0.99, 'gatehouse_event_loop_lag_seconds'),
    }),
  ],
  Store: [
    panel('Reachable', 'short', { '{{process}}': 'gatehouse_store_reachable' }),
    panel('Answers, 99th percentile', 's', {
      '{{operation}}': quantile(0.99, 'gatehouse_store_duration_seconds', 'operation'),
    }),
    panel('Errors', 'cps', { '{{reason}}': rate('gatehouse_store_errors_total', 'reason') }),
    panel('Unanswered, and waiting for a connection', 'short', {
      unanswered: 'sum(gatehouse_store_in_progress)',
      waiting: 'sum(gatehouse_store_waiting)',
    }),
  ],
  Ledger: [
    panel('Lines that the store does not have yet', 'short', { '{{process}}': 'gatehouse_ledger_rows_waiting' }),
    panel('Journal', 'bytes', { '{{process}}': 'gatehouse_ledger_journal_bytes' }),
    panel('Lines refused by the disk, and lost', 'short', {
      refused: 'sum(gatehouse_ledger_journal_refused_rows_total)',
      lost: 'sum(gatehouse_ledger_rows_lost)',
    }),
  ],
  'Jobs and webhooks': [
    panel('Jobs', 'short', { '{{state}}': 'max by (state) (gatehouse_jobs)' }),
    panel('Age of the oldest job', 's', { '{{state}}': 'max by (state) (gatehouse_jobs_oldest_age_seconds)' }),
    panel('Jobs that ended', 'cps', { '{{status}}': rate('gatehouse_job_duration_seconds_count', 'status') }),
    panel('Run time of jobs, median', 's', {
      '{{feature}}': quantile(0.5, 'gatehouse_job_duration_seconds', 'feature'),
    }),
    panel('Webhooks that have not arrived', 'short', { pending: 'max(gatehouse_deliveries_pending)' }),
    panel('Age of the oldest webhook', 's', { oldest: 'max(gatehouse_deliveries_oldest_age_seconds)' }),
    panel('Attempts to send a webhook', 'cps', { '{{outcome}}': rate('gatehouse_delivery_attempts_total', 'outcome') }),
  ],
  'Keys and contents': [
    panel('Contents that were not kept', 'cps', { '{{reason}}': rate('gatehouse_content_dropped_total', 'reason') }),
    panel('Telemetry that was dropped', 'cps', { dropped: 'sum(rate(gatehouse_telemetry_dropped_total[5m]))' }),
    panel('Telemetry of coding agents', 'cps', { '{{outcome}}': rate('gatehouse_agent_telemetry_total', 'outcome') }),
    panel('Keys in memory', 'short', { '{{process}}': 'gatehouse_key_cache_entries' }),
    panel('Found in memory', 'percentunit', {
      found:
        'sum(rate(gatehouse_key_cache_hits_total[5m])) / (sum(rate(gatehouse_key_cache_hits_total[5m])) + sum(rate(gatehouse_key_cache_misses_total[5m])) > 0)',
    }),
  ],
}

function panel(title: string, unit: string, queries: Record<string, string>): Panel {
  return { title, unit, queries }
}

function rate(family: string, by: string): string {
  return `sum by (${by}) (rate(${family}[5m]))`
}

function share(some: string, all: string, by?: string): string {
  const grouped = by ? `by (${by}) ` : ''
  return `sum ${grouped}(rate(${some}[5m])) / (sum ${grouped}(rate(${all}[5m])) > 0)`
}

function quantile(part: number, family: string, by?: string): string {
  return `histogram_quantile(${part}, sum by (${by ? `${by}, ` : ''}le) (rate(${family}_bucket[5m])))`
}

function quantiles(family: string): Record<string, string> {
  return { median: quantile(0.5, family), p95: quantile(0.95, family), p99: quantile(0.99, family) }
}

function write({ title, uid, rows }: Dashboard): string {
  const dashboard = {
    title,
    uid,
    timezone: 'browser',
    schemaVersion: 39,
    version: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels: placed(rows),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

/** Every row begins with its title. Its panels share the width, three beside each other at most. */
function placed(rows: Dashboard['rows']): object[] {
  let [id, y] = [0, 0]
  return Object.entries(rows).flatMap(([title, panels]) => {
    const heading = {
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
    }
    const columns = Math.min(3, panels.length)
    const w = WIDTH / columns
    const shown = panels.map((one, index) => {
      const gridPos = { x: (index % columns) * w, y: y + Math.floor(index / columns) * HEIGHT, w, h: HEIGHT }
      return { id: ++id, ...shownPanel(one), gridPos }
    })
    y += Math.ceil(panels.length / columns) * HEIGHT
    return [heading, ...shown]
  })
}

function shownPanel({ title, unit, queries }: Panel): object {
  const targets = Object.entries(queries).map(([legendFormat, expr], index) => {
    return { refId: String.fromCharCode(65 + index), datasource: DATASOURCE, expr, legendFormat }
  })
  const fieldConfig = { defaults: { unit, min: 0, custom: { fillOpacity: 10 } }, overrides: [] }
  return { type: 'timeseries', title, datasource: DATASOURCE, fieldConfig, targets }
}
