import type { Overview } from '../../../src/contract/admin/overview.ts'
import { pathWith } from '../../api/client.ts'
import { duration } from '../../parts/format.ts'

/** Models that are not called now, because calls of them have failed. */
export function Targets({ circuits }: { circuits: NonNullable<Overview['circuits']> }) {
  return (
    <section class="panel">
      <h2>Models that fail</h2>
      {circuits.length === 0 && <p class="faint">All models that were asked answer.</p>}
      <ul class="ranking">
        {circuits.map(({ model, credential, state, because, retry_in_ms: ms, failures }) => (
          <li key={`${model} ${credential}`}>
            <a href={pathWith('/requests', { model, failed: true })}>{model}</a>
            <span class="amount status bad">{state}</span>
            <small>
              {failures} failures in a row, the last: {because}. {state === 'open' && `Asked again in ${duration(ms)}.`}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
