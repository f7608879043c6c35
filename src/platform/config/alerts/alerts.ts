import type { AlertRule, ReceiverFormat } from '../../../contract/admin/alert-rules.ts'

/** Where the operator wants to be told about alerts. The address and the routing key may be secrets. */
export type Receiver = {
  name: string
  format: ReceiverFormat
  url: string
  /** Only for PagerDuty. */
  routingKey: string | undefined
  /** The rules that it is told about; null for all of them. */
  rules: readonly AlertRule[] | null
  /** Whether it also gets the checkpoints of the audit log. */
  checkpoints: boolean
}

/** What the config file changes about a rule. */
export type RuleChange = { on?: boolean; threshold?: number; for?: number }

export type AlertSettings = {
  receivers: readonly Receiver[]
  rules: Readonly<Partial<Record<AlertRule, RuleChange>>>
}
