import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { findTool, lastLines, ROOT, run } from './run.ts'

const FOLDER = '.github/workflows'

/** The workflows run on GitHub only; actionlint (and shellcheck, if it is there) reads them. */
export async function checkWorkflows(report: Report): Promise<void> {
  const actionlint = findTool('actionlint', 'ACTIONLINT')
  if (!actionlint) return report.skipped('workflows', 'there is no actionlint (set ACTIONLINT to its path)')
  for (const file of readdirSync(join(ROOT, FOLDER))) {
    const { isOk, stdout, stderr } = run(actionlint, '-no-color', join(FOLDER, file))
    report.line(`actionlint, ${file}`, isOk, isOk ? '' : lastLines(stdout + stderr))
  }
}
