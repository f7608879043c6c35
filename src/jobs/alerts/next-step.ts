import type { StoredAlert } from '../../platform/store/alerts/alerts.ts'
import type { Observation } from './observation.ts'

// What follows from what a rule sees now and what is known of its alert. An alert is opened when its condition has lasted, and is
// resolved when the condition has been over for a while, so that neither is told again and again.

/** What is known of an alert that is not resolved. */
export type OpenAlert = Pick<StoredAlert, 'state' | 'since' | 'clearSince'>

export type Step =
  | { do: 'nothing' | 'wait' | 'open' | 'drop' | 'resolve' }
  | { do: 'note'; since: number; clearSince: number | null }

type Times = { forSeconds: number; clearSeconds: number }

/** `wait`: a new condition is noted, and no receiver is told yet. */
export function nextStep(
  alert: OpenAlert | undefined,
  level: Observation['level'] | undefined,
  times: Times,
  now: number,
): Step {
  if (!alert) return { do: level !== 'high' ? 'nothing' : times.forSeconds === 0 ? 'open' : 'wait' }
  return alert.state === 'pending' ? whilePending(alert, level, times, now) : whileOpen(alert, level, times, now)
}

function whilePending(
  { since }: OpenAlert,
  level: Observation['level'] | undefined,
  { forSeconds }: Times,
  now: number,
): Step {
  if (level !== 'high') return { do: 'drop' }
  // The clock was set back.
  if (since > now) return { do: 'note', since: now, clearSince: null }
  return { do: now - since >= forSeconds * 1_000 ? 'open' : 'nothing' }
}

function whileOpen(
  alert: OpenAlert,
  level: Observation['level'] | undefined,
  { clearSeconds }: Times,
  now: number,
): Step {
  const { since, clearSince } = alert
  if (level) return clearSince === null ? { do: 'nothing' } : { do: 'note', since, clearSince: null }
  if (clearSeconds === 0) return { do: 'resolve' }
  if (clearSince === null || clearSince > now) return { do: 'note', since, clearSince: now }
  return { do: now - clearSince >= clearSeconds * 1_000 ? 'resolve' : 'nothing' }
}
