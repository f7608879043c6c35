import { activeRules } from '../src/jobs/alerts/rules.ts'
import { code, table } from './markdown.ts'

/** The text of docs/alerts.md. */
export function alertsPage(): string {
  const rules = activeRules({ receivers: [], rules: {} }).map((rule) => [
    code(rule.id),
    rule.about,
    rule.threshold === null ? '–' : String(rule.threshold),
    `${rule.forSeconds} s`,
    `${rule.clearSeconds} s`,
    rule.severity,
  ])
  return [
    HEAD,
    table(['rule', 'what it looks at', 'threshold', 'fires after', 'resolves after', 'severity'], rules),
    TAIL,
  ].join('\n')
}

const HEAD = `# Alerts

Written from the code by \`npm run docs\`.

The gateway tells you when something is wrong, without Prometheus: it checks its rules every 15 seconds and sends alerts to the receivers of the
config file. A reload applies changes.

\`\`\`json
{
  "alerts": {
    "receivers": [
      { "name": "ops", "format": "webhook", "url": "http://alerts.internal:9000/gatehouse", "checkpoints": true },
      { "name": "chat", "format": "slack", "urlEnv": "SLACK_WEBHOOK_URL" },
      { "name": "teams", "format": "teams", "urlFile": "/run/secrets/teams-url", "rules": ["budget", "expiring_keys"] },
      { "name": "on-call", "format": "pagerduty", "routingKeyEnv": "PAGERDUTY_ROUTING_KEY", "rules": ["error_rate", "provider_down"] }
    ],
    "rules": { "error_rate": { "threshold": 0.2, "for": 300 }, "failed_jobs": { "on": false } }
  },
  "budgets": [{ "id": "research", "appliesTo": "project:research", "limit": 50, "window": "month", "alerts": [0.5, 0.8, 1] }]
}
\`\`\`

## Receivers

- \`name\`: lower-case letters, digits and dashes. \`rules\`: only these rules; absent, all of them.
- \`url\`, or \`urlEnv\` (a variable) or \`urlFile\` (a file) if the address is a secret, as those of Slack and Teams are. The address may be in your private network.
  \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` are obeyed, and redirects are not followed. \`http://\` is only for the format \`webhook\`.
- \`webhook\`: the event below as canonical JSON, signed like the webhooks of jobs: \`X-Service-Signature\` is RSA over the hex SHA-256 of the body, and
  \`webhook-signature\` covers the time of the attempt too. \`GET /v3/webhooks/public-key\` has the key. \`webhook-id\` is the same for all attempts.
- \`slack\`: an incoming webhook of a Slack app. \`teams\`: a Teams workflow "When a Teams webhook request is received"; it gets an adaptive card.
- \`pagerduty\`: the Events API v2, with the routing key of an integration in \`routingKeyEnv\` or \`routingKeyFile\`. An alert opens an incident, and its end resolves it.
- \`checkpoints\`: only for \`webhook\`; the receiver also gets every [checkpoint of the audit log](audit.md#checkpoints), as
  \`{"event": "audit_checkpoint", "checkpoint": {…}}\`. \`gatehouse audit verify --checkpoint FILE\` reads the body as it was received.

\`\`\`json
{
  "event": "alert",
  "alert_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  "status": "firing",
  "rule": "budget",
  "title": "Budget",
  "severity": "warning",
  "summary": "The budget research (project Research) has reached 80% of 50 USD.",
  "subject": "budget:research||1793491200000|0.8",
  "project": "research",
  "value": 0.804,
  "threshold": 0.8,
  "details": {
    "limit_id": "research", "applies_to": "project Research", "window": "month", "unit": "usd", "limit": 50,
    "spent": 40.2, "reserved": 0, "fraction": 0.8, "resets_at": "2026-12-01T00:00:00.000Z"
  },
  "opened_at": "2026-11-16T20:00:00.000Z",
  "resolved_at": null
}
\`\`\`

\`status\` is \`firing\`, then \`resolved\`; both have the same \`alert_id\`. A test has the status \`test\`.

\`POST /admin/alerts/test {"receiver": "ops"}\` sends a test once and reports the status of the answer. \`gatehouse doctor\` lists the receivers, and refuses
a receiver whose secret is missing, as a start does.

## Rules
`

const TAIL = `
A condition has to last for a while before an alert fires, and has to be over for a while (for rates and counts below 80% of the threshold) before the alert resolves, so
that an alert does not flap. \`on\`, \`threshold\` and \`for\` (seconds) of a rule can be changed in \`alerts.rules\`.

- **Budgets and rate limits**: \`alerts\` are fractions of the limit, in the config file and in the admin API. Each fraction fires once in a window, for each key, user or end user
  that is counted apart. The amount spent counts, and so does what processes reserve for calls; so an alert may come a little early. It ends with the window, or when the limit
  is raised or reset so far that less than half of the fraction is used; after that it can fire again. Rates per second, minute or hour have no window: an alert ends
  after five minutes below, and bursts between two checks are not seen.
- **Providers**: circuits that are open for at least one owner. A provider that limits or refuses a key is not down; failed calls count as errors.
- **Error rate**: of the newest 10,000 calls in the time at most. Mistakes of callers, calls that they broke off and the sandbox do not count as failures.
- **Lost leases** are also in the audit log, as \`alert.lost_leases\`.
- While the store is away, no rule can be checked: watch \`/health/ready\` from outside for that.

## How they arrive

One process checks the rules (it holds a lease in the store; not one with \`--role api\`), and another takes over within a minute if it dies. An alert and its messages are one transaction, so no
process sends what another has sent, and nothing is lost by a crash. A message is sent until its receiver accepts it (2xx): after seconds at first, then after minutes, then every hour, for three
days. A 3xx, or a 4xx other than 404, 408, 425 and 429, ends the attempts. It may arrive more than once: \`webhook-id\` tells.
\`GET /admin/deliveries\` shows messages (\`receiver:<name>\`), and \`POST /admin/deliveries/{id}/redeliver\` sends one again. Addresses and routing keys are not in the store:
a message goes where the config file says when it is sent.

\`GET /admin/alerts\` lists open and past alerts (\`state\`, \`rule\`, \`project\`, \`from\`, \`to\`), for 90 days after their end. \`GET /admin/alerts/rules\` shows rules and receivers.
\`POST /admin/alerts/{id}/acknowledge\` acknowledges an alert. These endpoints need \`alerts.read\` and \`alerts.write\` ([roles](roles.md)).
`
