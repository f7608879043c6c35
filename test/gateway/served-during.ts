import assert from 'node:assert/strict'

/** How many other requests a gateway answers, one after the other, while it does some work: one or two if the work blocks its event loop. */
export async function servedDuring<Value>(
  url: string,
  work: Promise<Value>,
): Promise<{ value: Value; served: number }> {
  let isDone = false
  const done = work.finally(() => (isDone = true))
  let served = 0
  while (!isDone) {
    assert.equal((await fetch(`${url}/health/live`)).status, 200)
    if (!isDone) served++
  }
  return { value: await done, served }
}
