import type { RequestAttempt } from '../../../src/contract/admin/requests.ts'
import { duration, plural } from '../../parts/format.ts'

/** One after the other, each as long as it took, on one scale. */
export function Attempts({ attempts, count }: { attempts: readonly RequestAttempt[]; count: number }) {
  const total = attempts.reduce((sum, { duration_ms: ms }) => sum + ms, 0)
  if (attempts.length === 0)
    return <p class="faint">{count > 0 ? `${plural(count, 'attempt')}, without details.` : 'No model was tried.'}</p>
  return (
    <ol class="attempts">
      {attempts.map((attempt, at) => (
        <li key={at}>
          <AttemptBar attempt={attempt} before={startOf(attempts, at)} total={total} />
          <AttemptFacts attempt={attempt} />
        </li>
      ))}
    </ol>
  )
}

function startOf(attempts: readonly RequestAttempt[], at: number): number {
  return attempts.slice(0, at).reduce((sum, { duration_ms: ms }) => sum + ms, 0)
}

type BarProps = { attempt: RequestAttempt; before: number; total: number }

/** The numbers are beside it, so it says nothing to a screen reader. */
function AttemptBar({ attempt, before, total }: BarProps) {
  const { outcome, first_byte_ms: waited, duration_ms: ms } = attempt
  const percent = (part: number) => `${total > 0 ? (part / total) * 100 : 0}%`
  const toFirstByte = Math.min(waited ?? ms, ms)
  return (
    <span class="timeline" aria-hidden="true">
      <span style={{ width: percent(before) }} />
      <span class={`waiting ${outcome === 'answered' ? 'good' : 'bad'}`} style={{ width: percent(toFirstByte) }} />
      <span class={outcome === 'answered' ? 'good' : 'bad'} style={{ width: percent(ms - toFirstByte) }} />
    </span>
  )
}

function AttemptFacts({ attempt }: { attempt: RequestAttempt }) {
  const { model, credential, outcome, status, reason, upstream_id: id } = attempt
  const { connect_ms: connect, first_byte_ms: first } = attempt
  const times = [
    connect === null ? 'reused connection' : `connected in ${duration(connect)}`,
    first !== null && `first byte after ${duration(first)}`,
    `${duration(attempt.duration_ms)} in total`,
  ]
  return (
    <div>
      <strong>{model}</strong> {credential && <span class="badge">{credential}</span>} {outcome}
      {status !== null && ` (${status})`}
      <div class="faint">{times.filter(Boolean).join(', ')}</div>
      {reason && <div class="reason">{reason}</div>}
      {id && <code>{id}</code>}
    </div>
  )
}
