import type { Guardrail } from '../../../platform/config/guardrails/guardrail.ts'
import { countUnscanned, type UnscannedCalls } from '../../../platform/store/alerts/conditions-seen.ts'
import { MINUTE_MS } from '../../../base/units/units.ts'
import { type Look, type Looking, levelOf, type Observation } from '../observation.ts'

// Guardrails that could not check what they should, as ledger lines say it.

const MINUTES = 5
/** Of a call that was refused because a check failed. */
const REFUSED = 'guardrail_failed'
const WRONG_CREDENTIALS = 'credentials'

/** Calls passed an enforcing guardrail although a check of it could not look at them. */
export const lookAtOpenGuardrails: Look = (looking) =>
  observed(looking, {
    isMeant: ({ mode, action }) => mode === 'enforce' && action !== 'flag',
    counts: ({ code }) => code !== REFUSED,
    summary: ({ calls, guardrail, checks, reasons }) =>
      `${calls} passed the guardrail ${guardrail} in the last ${MINUTES} minutes although ${checks} could not check them (${reasons}).`,
  })

/** Services or providers refuse the credentials of checks, or there are none. Such a check refuses calls, unless its guardrail is in shadow mode. */
export const lookAtGuardrailCredentials: Look = (looking) =>
  observed(looking, {
    isMeant: () => true,
    counts: ({ reasons }) => reasons.includes(WRONG_CREDENTIALS),
    summary: ({ calls, guardrail, checks }) =>
      `The credentials of the guardrail ${guardrail} are wrong (${checks}): ${calls} could not be checked in the last ${MINUTES} minutes.`,
  })

type Words = { calls: string; guardrail: string; checks: string; reasons: string }
type Condition = {
  isMeant(guardrail: Guardrail): boolean
  counts(unscanned: UnscannedCalls): boolean
  summary(words: Words): string
}

async function observed({ db, now, threshold, guardrails }: Looking, condition: Condition): Promise<Observation[]> {
  const meant = new Map(guardrails().flatMap((one) => (condition.isMeant(one) ? [[one.id, one] as const] : [])))
  if (meant.size === 0) return []
  const seen = (await countUnscanned(db, now - MINUTES * MINUTE_MS)).filter(condition.counts)
  return [...Map.groupBy(seen, ({ guardrail }) => guardrail)].flatMap(([id, unscanned]) => {
    const guardrail = meant.get(id)
    return guardrail ? observationOf(guardrail, unscanned, { threshold, summary: condition.summary }) : []
  })
}

type Told = Pick<Condition, 'summary'> & { threshold: number }

function observationOf(
  { id, name, appliesTo }: Guardrail,
  unscanned: readonly UnscannedCalls[],
  { threshold, summary }: Told,
): Observation[] {
  const value = unscanned.reduce((sum, { calls }) => sum + calls, 0)
  const level = levelOf(value, threshold)
  if (!level) return []
  const checks = [...new Set(unscanned.map(({ check }) => check))].sort()
  const reasons = [...new Set(unscanned.flatMap((one) => one.reasons))].sort()
  const words = { calls: value === 1 ? '1 call' : `${value} calls`, guardrail: name ?? id }
  return [
    {
      subject: `guardrail:${id}`,
      level,
      value,
      threshold,
      summary: summary({ ...words, checks: checks.join(', '), reasons: reasons.join(', ') }),
      project: appliesTo.holder === 'project' ? appliesTo.id : null,
      details: { guardrail: id, checks, reasons, calls: value },
    },
  ]
}
