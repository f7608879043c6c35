/** The rules of alerts, by id. src/jobs/alerts/rules.ts says what each of them looks at. */
export const ALERT_RULES = [
  'error_rate',
  'provider_down',
  'budget',
  'rate_limit',
  'ledger_backlog',
  'failed_jobs',
  'failed_deliveries',
  'expiring_keys',
  'audit_checkpoints',
  'lost_leases',
  'guardrail_open',
  'guardrail_credentials',
] as const
export type AlertRule = (typeof ALERT_RULES)[number]

export const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export const RECEIVER_FORMATS = ['webhook', 'slack', 'teams', 'pagerduty'] as const
export type ReceiverFormat = (typeof RECEIVER_FORMATS)[number]
