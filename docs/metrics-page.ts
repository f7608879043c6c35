import { FAMILIES, type FamilyInfo } from '../src/platform/telemetry/family-table.ts'
import { MAX_SERIES } from '../src/platform/telemetry/metric-families.ts'
import { code, table } from './markdown.ts'

/** The text of docs/metrics.md. */
export function metricsPage(): string {
  return [HEAD, families(), TAIL].join('\n')
}

function families(): string {
  const rows = Object.entries<FamilyInfo>(FAMILIES).map(([name, info]) => {
    return [code(name), info.type, info.labels.map(code).join(', ') || '–', placeOf(info), info.help]
  })
  return table(['family', 'type', 'labels', 'of several processes', 'meaning'], rows)
}

function placeOf({ merge, isShared }: FamilyInfo): string {
  return isShared ? 'the store' : merge === 'largest' ? 'largest' : 'sum'
}

const HEAD = `# Metrics

Written from the code by \`npm run docs\`.

\`GET /metrics\` on the admin listener (port 8081) has the text format of Prometheus. It needs no key, because scrapers send none: keep
that port private.

\`\`\`yaml
scrape_configs:
  - job_name: gatehouse
    static_configs: [{ targets: ['127.0.0.1:8081'] }]
rule_files: [gatehouse.yml]
\`\`\`

- [Alert rules](prometheus/gatehouse.yml) for Prometheus, and dashboards for Grafana: [requests](grafana/requests.json) and
  [operations](grafana/operations.json). Import them as they are; they ask for the data source. Tests compare every name in them with
  the families of a running gateway, and \`npm run promtool\` checks the rules and the page with \`promtool\`.
- Every sample has the label \`process\`. The API processes of one machine (\`WORKERS\`) are one page: their values are added, or the
  largest counts. What a process has counted stays in the sums after its end.
- Families of \`the store\` are about the whole installation. They are read from the store, at most every five seconds, and every replica
  reports the same: use \`max\`, never \`sum\`. While the store is away they have no samples, and \`gatehouse_store_reachable\` is 0.
- A family has at most ${MAX_SERIES} series. What comes after that is counted with the label value \`other\`.
- Overhead is what the gateway adds: the time until the request is ready to be sent to the first provider, and the time from the bytes
  of the provider to ours. Waits for providers, and between attempts, are no part of it.

## Families
`

const TAIL = `
The time to first token, tokens and costs are those of calls that reached a provider. Money is what
[budgets](budgets.md) count; [operating](operating.md) says what to do about the ledger, overload and stores that are away.
`
