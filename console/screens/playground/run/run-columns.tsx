import type { ComponentChildren } from 'preact'
import { providerOf, SANDBOX } from '../models/model-choice.ts'
import { RunEnd } from './run-facts.tsx'
import type { Run } from './use-runs.ts'

type Props<Result> = {
  runs: readonly Run<Result>[]
  isSandbox: boolean
  /** Whether the name of a model begins with a task. */
  isTask?: (model: string) => boolean
  show: (result: Result) => ComponentChildren
}

/** One column for each model. */
export function RunColumns<Result>({ runs, isSandbox, isTask = () => false, show }: Props<Result>) {
  return (
    <>
      <div class="answers" data-count={runs.length}>
        {runs.map((run, column) => (
          <article key={column} class="panel" aria-label={`Answer of ${run.model}`} aria-busy={run.state === 'running'}>
            <AnswerHead model={run.model} isSandbox={isSandbox} />
            {run.result !== undefined && show(run.result)}
            <RunEnd of={run} provider={providerOf(run.model, isTask(run.model))} />
          </article>
        ))}
      </div>
      <p class="sr-only" role="status">
        {runs.map(({ model, state }) => `${model}: ${STATES[state]}`).join('. ')}
      </p>
    </>
  )
}

const STATES = { running: 'waiting for the answer', done: 'answered', stopped: 'stopped', failed: 'failed' }

/** Says whose answer it is, and that it is made up, if it is. */
export function AnswerHead({ model, isSandbox }: { model: string; isSandbox: boolean }) {
  return (
    <h2>
      {model}
      {(isSandbox || model.split('/').includes(SANDBOX)) && <span class="badge">Sandbox</span>}
    </h2>
  )
}
