import { join } from 'node:path'
import { endProcessAfterTests } from './end-process.ts'
import { filesOf, type ProcessName, ROOT } from './groups.ts'
import { runFile } from './run-file.ts'

/**
 * Runs many test files in this process, one after the other, so that their imports are loaded once. Each file is in a suite
 * of its own, so that its tests start when the file is loaded, as if it ran alone, and its hooks apply only to it.
 *
 * Every process compiles the gateway again as it becomes hot, so `npm test` has few of them.
 */
export function runProcess(name: ProcessName): void {
  endProcessAfterTests()
  for (const file of filesOf(name)) runFile(file, () => import(join(ROOT, file)))
}
