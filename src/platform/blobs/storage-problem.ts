import { problem } from '../../contract/problems.ts'

// Storage failures are for the operator to fix. What callers see names no path, host or key.

const FULL = ['ENOSPC', 'EDQUOT']

/** Runs one disk operation and converts its failure to a problem. Failures of the sender must not happen inside of it. */
export async function onDisk<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step()
  } catch (error) {
    throw diskProblem(error)
  }
}

export function storageProblem(sentence: string) {
  return problem('unavailable', { message: sentence })
}

function diskProblem(error: unknown) {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  if (FULL.includes(code)) return storageProblem('The file storage of this gateway is full. Nothing was stored.')
  return storageProblem(`The file storage of this gateway failed (${code}). Try again shortly.`)
}
