import { countsOf } from '../src/cli/import/report.ts'
import { OUTCOMES } from '../src/cli/import/finding.ts'
import { CONFIG_NAMES, importConfig } from '../test/import/import-fixture.ts'
import { code, table } from './markdown.ts'

/** How many settings of our sample files an import takes over: the table in docs/migration.md. */
export function coverageTable(): string {
  const rows = CONFIG_NAMES.map((name) => ({ name, counts: countsOf(importConfig(name).findings) }))
  const sums = OUTCOMES.map((outcome) => rows.reduce((sum, { counts }) => sum + counts[outcome], 0))
  const all = sums.reduce((sum, one) => sum + one, 0)
  const shares = sums.map((sum) => `${sum} (${Math.round((100 * sum) / all)} %)`)
  return table(
    ['config', ...OUTCOMES],
    [
      ...rows.map(({ name, counts }) => [code(name), ...OUTCOMES.map((outcome) => String(counts[outcome]))]),
      ['all', ...shares],
    ],
  )
}
