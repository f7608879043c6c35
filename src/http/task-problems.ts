import { Problem } from '../contract/problems.ts'
import type { Call } from '../calls/call.ts'

/**
 * Converts a provider's failure to the universal shape. An error from before any provider was called stays a plain problem.
 */
export function asFailedTask(error: unknown, model: string, { record, spending }: Call): unknown {
  const { attempts, provider } = record
  if (!(error instanceof Problem) || attempts.length === 0) return error
  const [feature = '', subfeature = ''] = model.split('/')
  return error.with({
    body: { status: 'fail', cost: spending.total.cost, provider: provider ?? '', feature, subfeature, output: null },
  })
}
