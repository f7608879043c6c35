import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { findTool, lastLines, ROOT, run } from './run.ts'

/** Of systemd's scale from 0 (closed) to 10 (open). A service without any protection has 9.6. */
const MAX_EXPOSURE = 2

export async function checkUnit(report: Report): Promise<void> {
  const analyze = findTool('systemd-analyze', 'SYSTEMD_ANALYZE')
  if (!analyze) return report.skipped('unit', 'there is no systemd-analyze')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  const unit = join(folder, 'gatehouse.service')
  // systemd-analyze looks whether the program exists, and the documentation: here they are in the checkout.
  const text = readFileSync(join(ROOT, 'deploy/systemd/gatehouse.service'), 'utf8')
  writeFileSync(unit, text.replace('/opt/gatehouse/node_modules/.bin/gatehouse', join(ROOT, 'bin/gatehouse.js')))
  const { isOk, stderr } = run(analyze, 'verify', '--man=no', unit)
  // It also reports on other units of the machine.
  const own = stderr.split('\n').filter((line) => line.includes('gatehouse'))
  report.line('systemd-analyze verify', isOk && own.length === 0, isOk ? own.join(' | ') : lastLines(stderr))
  checkExposure(report, analyze, unit)
  rmSync(folder, { recursive: true })
}

function checkExposure(report: Report, analyze: string, unit: string): void {
  const { stdout } = run(analyze, 'security', '--offline=true', '--no-pager', unit)
  const level = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
  report.line('systemd-analyze security', level <= MAX_EXPOSURE, `exposure ${level} of 10`)
}
