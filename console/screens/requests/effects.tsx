import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import { pathWith } from '../../api/client.ts'
import { mayEverywhere } from '../../api/session.ts'
import { duration } from '../../parts/format.ts'
import { limitAmountText } from '../../parts/limit-amounts.ts'

type Props = { call: RequestRecord }

/** What the gateway did with the call beside passing it on: changed fields, hooks, guardrails, limits. */
export function Effects({ call }: Props) {
  return (
    <>
      {call.notes.length > 0 && <Notes call={call} />}
      {call.hooks.length > 0 && <Hooks call={call} />}
      {call.guardrails.length > 0 && <Guardrails call={call} />}
      {call.limits.length > 0 && <Limits call={call} />}
    </>
  )
}

function Notes({ call }: Props) {
  return (
    <>
      <h3>Changed fields</h3>
      <ul>
        {call.notes.map(({ field, action, reason }) => (
          <li key={`${field} ${action}`}>
            <code>{field}</code> {action}: {reason}
          </li>
        ))}
      </ul>
    </>
  )
}

function Hooks({ call }: Props) {
  return (
    <>
      <h3>Hooks</h3>
      <ul>
        {call.hooks.map(({ action, phase, duration_ms: ms, changed, flagged }) => (
          <li key={`${phase} ${action}`}>
            {action} ({phase}, {duration(ms)}){changed && ', changed the text'}
            {flagged.length > 0 && `, found ${flagged.join(', ')}`}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Which guardrail found what, and never the text. */
function Guardrails({ call }: Props) {
  return (
    <>
      <h3>Guardrails</h3>
      <ul>
        {call.guardrails.map(({ guardrail, outcome, check, count, found }) => (
          <li key={`${guardrail} ${outcome} ${check}`}>
            <code>{guardrail}</code> {outcome.replaceAll('_', ' ')}
            {check !== null && ` by ${check}`}
            {count > 1 && `, ${count} times`}
            {found.length > 0 && `: ${found.join(', ')}`}
          </li>
        ))}
      </ul>
    </>
  )
}

/** What the call has used of each limit that it was counted against. */
function Limits({ call }: Props) {
  return (
    <>
      <h3>Limits</h3>
      <ul>
        {call.limits.map(({ limit_id: id, unit, used }) => (
          <li key={id}>
            <LimitId id={id} unit={unit} />: {limitAmountText(unit as LimitBody['unit'], used)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** A link, if the person may open every limit. */
function LimitId({ id, unit }: { id: string; unit: string }) {
  if (!mayEverywhere('limits.read')) return <span>{id}</span>
  return <a href={pathWith('/budgets', unit === 'usd' ? { budget: id } : { rate_limit: id })}>{id}</a>
}
