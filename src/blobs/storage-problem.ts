import { problem } from '../contract/problems.ts'

// Storage that fails is ours to repair. What callers are told names no path, host or key.

const FULL = ['ENOSPC', 'EDQUOT']

/** Runs one step on the disk, and tells a failure of it as a problem. Failures of the sender pass by outside of it. */
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
