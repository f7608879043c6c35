import type { ProcessReport, ReportedValue } from '../../platform/config/report/config-report.ts'
import type { Database } from '../../platform/store/database.ts'
import { MAX_CONFIG_CHARS, readConfigs, recordConfig } from '../../platform/store/installation/processes.ts'

// Processes tell each other their configurations through the store, so that operators see where they differ. Secrets are
// masked, with digests that only processes of this installation can compare.

/** A report that is too long for the store is not told. */
export async function tellConfig(db: Database, id: string, report: ProcessReport): Promise<void> {
  const text = JSON.stringify(report)
  if (text.length <= MAX_CONFIG_CHARS) await recordConfig(db, id, text)
}

/** What these processes have told. A text that is no report is left out. */
export async function toldConfigs(db: Database, ids: readonly string[]): Promise<ProcessReport[]> {
  return (await readConfigs(db, ids)).flatMap(readReport)
}

function readReport(text: string): ProcessReport[] {
  try {
    const report = JSON.parse(text) as ProcessReport
    return typeof report.process === 'string' && report.values.every(isReported) ? [report] : []
  } catch {
    return []
  }
}

function isReported(value: unknown): value is ReportedValue {
  const { name, digest } = Object(value) as Partial<ReportedValue>
  return typeof name === 'string' && typeof digest === 'string'
}
