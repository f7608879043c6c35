import { describe, test } from 'node:test'

/** Far longer than the tests of any file take. */
const FILE_MS = 600_000

/** A test that waits for what never comes is named when the time of its file is over, and the next file begins. */
export function runFile(name: string, load: () => Promise<unknown>, limitMs = FILE_MS): void {
  test(name, () => describe('tests', { timeout: limitMs }, async () => void (await load())))
}
