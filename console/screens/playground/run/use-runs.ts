import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunFacts } from './run-state.ts'

export type Run<Result> = RunFacts & { model: string; result?: Result }

export type Answered<Result> = { result: Result; cost: number | null; request: string | null }

/** Asks one model. */
type Ask<Result> = (model: string, signal: AbortSignal) => Promise<Answered<Result>>

/** The same request to some models at once. Another round takes the place of the one before. */
export function useRuns<Result>() {
  const [runs, setRuns] = useState<readonly Run<Result>[]>([])
  const ending = useRef<AbortController | undefined>(undefined)
  const stop = () => ending.current?.abort()
  useEffect(() => stop, [])
  const start = (models: readonly string[], ask: Ask<Result>) => {
    stop()
    const controller = new AbortController()
    ending.current = controller
    setRuns(models.map((model) => ({ model, state: 'running' })))
    for (const [column, model] of models.entries())
      void endOf(ask(model, controller.signal), controller.signal).then((end) => {
        if (ending.current === controller) setRuns((before) => before.with(column, { model, ...end }))
      })
  }
  const clear = () => {
    stop()
    ending.current = undefined
    setRuns([])
  }
  return { runs, start, stop, clear, isRunning: runs.some(({ state }) => state === 'running') }
}

/** Never rejects. */
async function endOf<Result>(
  answering: Promise<Answered<Result>>,
  signal: AbortSignal,
): Promise<Omit<Run<Result>, 'model'>> {
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  try {
    return { state: 'done', ...(await answering), ms: since() }
  } catch (error) {
    return signal.aborted ? { state: 'stopped', ms: since() } : { state: 'failed', error: error as Error, ms: since() }
  }
}

/** What the headers of an answer say, beside its body. */
export function factsIn({ headers }: Response): { cost: number | null; request: string | null } {
  const cost = headers.get('x-gatehouse-cost')
  return { cost: cost === null ? null : Number(cost), request: headers.get('x-request-id') }
}
