import { join } from 'node:path'
import { describe, test } from 'node:test'
import { filesOf, type GroupName, ROOT } from './groups.ts'

/**
 * Runs many test files in this process, one after the other, so that their imports are loaded once. Each file is in a suite
 * of its own, so that its tests start when the file is loaded, as if it ran alone, and its hooks apply only to it.
 *
 * Every process compiles the gateway again as it becomes hot, so `npm test` has few of them. They take about equally long:
 * move a group to another process if one is alone at the end.
 */
export function runGroups(...names: GroupName[]): void {
  for (const file of names.flatMap(filesOf)) test(file, () => describe('tests', () => import(join(ROOT, file))))
}
