import { ApiError, pathWith } from '../../../api/client.ts'
import { count, duration, money } from '../../../parts/format.ts'
import { Failure } from '../../../parts/notice.tsx'
import { providerName } from '../models/model-choice.ts'
import { SetUpLink } from '../models/set-up-link.tsx'
import type { RunFacts } from './run-state.ts'

const NOT_SET_UP = 'provider_not_configured'

/** How an answer ended, what it cost and how long it took. `provider`: who was asked. */
export function RunEnd({ of: facts, provider }: { of: RunFacts; provider: string }) {
  return (
    <>
      {facts.state === 'stopped' && <p class="faint">You stopped this request.</p>}
      <RunFailure error={facts.error} provider={provider} />
      <Numbers of={facts} />
    </>
  )
}

/** What a provider lacks has a form in this console. */
function RunFailure({ error, provider }: { error: Error | undefined; provider: string }) {
  if (!(error instanceof ApiError) || error.code !== NOT_SET_UP) return <Failure error={error} />
  const [what] = error.message.split('. ')
  return (
    <div class="notice bad" role="alert">
      <p>{what!.endsWith('.') ? what : `${what}.`}</p>
      <p>
        <SetUpLink provider={provider} name={providerName(provider)} />
      </p>
    </div>
  )
}

function Numbers({ of: { state, cost, tokens, firstMs, ms, request } }: { of: RunFacts }) {
  if (state === 'running') return <p class="faint">Waiting for the answer…</p>
  return (
    <p class="answer-facts">
      <span>{money(cost)}</span>
      <span>{duration(ms)}</span>
      {firstMs !== undefined && <span>first token {duration(firstMs)}</span>}
      {tokens !== undefined && (
        <span>
          {count(tokens.input)} in, {count(tokens.output)} out tokens
        </span>
      )}
      {request && <a href={pathWith('/requests', { call: request })}>Request</a>}
    </p>
  )
}
