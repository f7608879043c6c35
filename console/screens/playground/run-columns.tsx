import type { ComponentChildren } from 'preact'
import { RunEnd } from './run-facts.tsx'
import type { Run } from './use-runs.ts'

type Props<Result> = { runs: readonly Run<Result>[]; show: (result: Result) => ComponentChildren }

/** One column for each model. */
export function RunColumns<Result>({ runs, show }: Props<Result>) {
  return (
    <div class="columns">
      {runs.map((run, column) => (
        <article key={column} class="panel" aria-label={`Answer of ${run.model}`} aria-busy={run.state === 'running'}>
          <h2>{run.model}</h2>
          {run.result !== undefined && show(run.result)}
          <RunEnd of={run} />
        </article>
      ))}
    </div>
  )
}
