import { join } from 'node:path'
import { describe, test } from 'node:test'
import { filesOf, type GroupName, ROOT } from './groups.ts'

/**
 * Runs many files of tests in this process, one after the other, so that what they import is loaded once. The suite is there
 * because its tests begin when the file is loaded, as they do when the file is run alone, and its hooks stay its own.
 */
export function runGroup(name: GroupName): void {
  for (const file of filesOf(name)) test(file, () => describe('tests', () => import(join(ROOT, file))))
}
