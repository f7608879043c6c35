import { join } from 'node:path'
import { describe, test } from 'node:test'
import { filesOf, type GroupName, ROOT } from './groups.ts'

/**
 * Runs many test files in this process, one after the other, so that their imports are loaded once. Each file is in a suite
 * of its own, so that its tests start when the file is loaded, as if it ran alone, and its hooks apply only to it.
 */
export function runGroup(name: GroupName): void {
  for (const file of filesOf(name)) test(file, () => describe('tests', () => import(join(ROOT, file))))
}
