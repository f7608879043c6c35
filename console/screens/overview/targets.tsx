import type { WatchedTargets } from '../../../src/contract/operations.ts'
import type { Answer } from '../../api/use-answer.ts'
import { duration } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'

/** These need no account, so they say nothing about whether a real provider is set up. */
const BUILT_IN = ['sandbox', 'local']

export function Targets({ answer: { value, error, reload } }: { answer: Answer<WatchedTargets> }) {
  return (
    <section class="panel">
      <h2>Models that fail</h2>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the state of models" />}
      {value && <Circuits targets={value} />}
    </section>
  )
}

function Circuits({ targets: { circuits, providers } }: { targets: WatchedTargets }) {
  const isSetUp = providers.some(({ id, credentials }) => !BUILT_IN.includes(id) && credentials.length > 0)
  if (circuits.length === 0)
    return (
      <p class="faint">
        {isSetUp
          ? 'All models that were asked answer.'
          : 'No provider is set up yet. Start the gateway with a key of one, such as OPENAI_API_KEY.'}
      </p>
    )
  return (
    <ul class="ranking">
      {circuits.map(({ model, credential, state, because, retry_in_ms: ms, failures }) => (
        <li key={`${model} ${credential}`}>
          <span>{model}</span>
          <span class="amount status bad">{state}</span>
          <small>
            {failures} failures in a row, the last: {because}. {state === 'open' && `Asked again in ${duration(ms)}.`}
          </small>
        </li>
      ))}
    </ul>
  )
}
