import type { Overview } from '../../../src/contract/admin/overview.ts'
import { pathWith } from '../../api/client.ts'
import { duration, plural } from '../../parts/format.ts'

/** Models that are not called now, because calls of them have failed. */
export function Targets({ circuits }: { circuits: NonNullable<Overview['circuits']> }) {
  return (
    <section class="panel">
      <h2>Failing models</h2>
      {circuits.length === 0 && <p class="faint">None.</p>}
      <ul class="ranking">
        {circuits.map(({ model, credential, state, because, retry_in_ms: ms, failures }) => (
          <li key={`${model} ${credential}`}>
            <a href={pathWith('/requests', { model, failed: true })}>{model}</a>
            <span class="amount status bad">{state}</span>
            <small>
              {plural(failures, 'failure')} in a row, last: {because}.{' '}
              {state === 'open' && `Retried in ${duration(ms)}.`}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
