const FACTORS = [5, 25, 125]

/**
 * For a test in which one thing has to happen before a limit in time, and another after it: a busy machine may be too slow
 * for the first limit, and gets a longer one then. What is wrong however much time there is fails with the longest.
 */
export async function withEnoughTime(limitMs: number, attempt: (limitMs: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const factor of [1, ...FACTORS]) {
    try {
      return await attempt(limitMs * factor)
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures.at(-1)
}
