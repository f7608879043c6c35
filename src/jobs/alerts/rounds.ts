import type { Logger } from 'pino'
import type { AlertSettings } from '../../platform/config/alerts/alerts.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { ListedCircuit } from '../../calls/attempts/listed-circuit.ts'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import { readUnresolved, type StoredAlert } from '../../platform/store/alerts/alerts.ts'
import { findSetting, writeSetting } from '../../platform/store/installation/settings.ts'
import { giveUpLease, takeLease } from '../../platform/store/maintenance/lease.ts'
import { changeFor, type Change, type Changing } from './change.ts'
import type { MessageSigner } from './messages.ts'
import type { Observation } from './observation.ts'
import { type ActiveRule, activeRules } from './rules.ts'

// Looks at all rules from time to time, in one process of the installation. What follows is written to the store together
// with the messages about it; the deliverer of any process sends them.

const ROUND_MS = 15_000
/** A start has other things to do. After it, the first look does not wait for a whole round: the last process may have died. */
const FIRST_LOOK_MS = 5_000
/** If the process dies, another one takes over after this time. */
const LEASE = { name: 'alerts', forMs: 45_000 }
const LOOKED_AT = 'alerts-looked-at'
/** The rest follows in the next rounds. */
const MAX_CHANGES = 500

export type AlertNeeds = {
  db: Database
  now(): number
  newId(): string
  /** Has the lease of the rounds: a name of this process that no other one has. */
  leaseHolder: string
  settings(): AlertSettings
  limits(): readonly Limit[]
  circuits(): readonly ListedCircuit[]
  guardrails(): readonly Guardrail[]
  signer(): MessageSigner
  wakeDeliverer(): void
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** For tests. */
  roundMs?: number | undefined
}

export function openAlertRounds(needs: AlertNeeds): { close(): Promise<void> } {
  const rounds = new AlertRounds(needs)
  const { roundMs = ROUND_MS } = needs
  let running: Promise<void> | undefined
  const first = setTimeout(begin, Math.min(FIRST_LOOK_MS, roundMs)).unref()
  const timer = setInterval(begin, roundMs).unref()
  return {
    close: async () => {
      clearTimeout(first)
      clearInterval(timer)
      await running
      await rounds.close()
    },
  }

  function begin() {
    running ??= rounds.run().finally(() => {
      running = undefined
    })
  }
}

export class AlertRounds {
  readonly #needs: AlertNeeds
  #isFailing = false

  constructor(needs: AlertNeeds) {
    this.#needs = needs
  }

  /** One look at everything. Never rejects. */
  async run(): Promise<void> {
    const { db, leaseHolder, log } = this.#needs
    try {
      if (!(await takeLease(db, { ...LEASE, leaseHolder }))) return
      await this.#look()
      this.#isFailing = false
    } catch (error) {
      // A store that is away is in the log often enough.
      if (!this.#isFailing) log.error({ error: String(error) }, 'the rules of alerts cannot be looked at')
      this.#isFailing = true
    }
  }

  /** Lets another process take over at once. */
  async close(): Promise<void> {
    await giveUpLease(this.#needs.db, { name: LEASE.name, leaseHolder: this.#needs.leaseHolder }).catch(() => undefined)
  }

  async #look(): Promise<void> {
    const { db, settings } = this.#needs
    const now = this.#needs.now()
    const before = await findSetting(db, LOOKED_AT)
    const lookedAt = before === undefined ? undefined : Number(before)
    const unresolved = Map.groupBy(await readUnresolved(db), ({ rule }) => rule)
    let isComplete = true
    let remaining = MAX_CHANGES
    for (const rule of activeRules(settings())) {
      const seen = await this.#observe(rule, now, lookedAt)
      if (!seen) isComplete = false
      else remaining -= await this.#apply({ rule, seen, open: unresolved.get(rule.id) ?? [], now }, remaining)
    }
    // What a rule could not see now, it has to see in the next round.
    if (isComplete && remaining > 0) await writeSetting(db, LOOKED_AT, String(now))
  }

  /** Undefined if the rule cannot be looked at now: then its alerts stay as they are. */
  async #observe(rule: ActiveRule, now: number, lookedAt: number | undefined): Promise<Observation[] | undefined> {
    const { db, circuits, guardrails, limits, log } = this.#needs
    if (!rule.isOn) return []
    try {
      return await rule.look({
        db,
        now,
        lookedAt,
        threshold: rule.threshold ?? 0,
        circuits,
        guardrails,
        limits: limits(),
      })
    } catch (error) {
      log.warn({ rule: rule.id, error: String(error) }, 'a rule of alerts cannot be looked at')
      return undefined
    }
  }

  /** Returns how many alerts were changed. */
  async #apply({ rule, seen, open, now }: Seen, max: number): Promise<number> {
    const tools = { receivers: this.#receiversOf(rule), signer: this.#needs.signer() }
    const changing: Changing = { ...this.#needs, ...tools, rule, now }
    let changes = 0
    for (const { alert, observation } of bySubject(open, seen)) {
      if (changes >= max) break
      if (await this.#change(alert, observation, changing)) changes++
    }
    return changes
  }

  /** An alert that cannot be written does not hold up the others. */
  async #change(...change: Parameters<typeof changeFor>): Promise<boolean> {
    const [alert, observation, { rule }] = change
    try {
      const due = await changeFor(...change)
      return due !== undefined && (await this.#write(due))
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const subject = (observation ?? alert)?.subject
      this.#needs.log.error({ rule: rule.id, subject, error: String(error) }, 'an alert cannot be written')
      return false
    }
  }

  #receiversOf(rule: ActiveRule) {
    return this.#needs.settings().receivers.filter(({ rules }) => rules === null || rules.includes(rule.id))
  }

  /** Of several processes that see the same, one changes it. */
  async #write({ statements, told }: Change): Promise<boolean> {
    const { db, wakeDeliverer, log } = this.#needs
    const results = await db.transaction(statements)
    if (results.length < statements.length || !told) return results.length === statements.length
    log.warn({ alert: told.alert_id, rule: told.rule, status: told.status }, 'alert')
    wakeDeliverer()
    return true
  }
}

type Seen = { rule: ActiveRule; seen: readonly Observation[]; open: readonly StoredAlert[]; now: number }
type Subject = { alert: StoredAlert | undefined; observation: Observation | undefined }

/** Subjects that the rule sees, and then those that only have an alert: there the condition is over. */
function bySubject(unresolved: readonly StoredAlert[], seen: readonly Observation[]): Subject[] {
  const alerts = new Map(unresolved.map((alert) => [alert.subject, alert]))
  const observed = new Set(seen.map(({ subject }) => subject))
  const over = unresolved.filter(({ subject }) => !observed.has(subject))
  return [
    ...seen.map((observation) => ({ alert: alerts.get(observation.subject), observation })),
    ...over.map((alert) => ({ alert, observation: undefined })),
  ]
}
