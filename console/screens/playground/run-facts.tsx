import { pathWith } from '../../api/client.ts'
import { count, duration, money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import type { RunFacts } from './use-runs.ts'

/** How an answer ended, what it cost and how long it took. */
export function RunEnd({ of: facts }: { of: RunFacts }) {
  return (
    <>
      {facts.state === 'stopped' && <p class="faint">You stopped it.</p>}
      <Failure error={facts.error} />
      <Numbers of={facts} />
    </>
  )
}

function Numbers({ of: { state, cost, tokens, firstMs, ms, request } }: { of: RunFacts }) {
  if (state === 'running')
    return (
      <p class="faint" role="status">
        Waiting for the answer…
      </p>
    )
  return (
    <p class="answer-facts">
      <span>{money(cost)}</span>
      <span>{duration(ms)}</span>
      {firstMs !== undefined && <span>first token {duration(firstMs)}</span>}
      {tokens !== undefined && <span>{count(tokens)} tokens</span>}
      {request && <a href={pathWith('/requests', { call: request })}>Request</a>}
    </p>
  )
}
