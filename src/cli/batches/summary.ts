import { SECOND_MS } from '../../base/units/units.ts'
import type { Batch } from '../../contract/batches.ts'
import { printable } from '../output/printable.ts'

/** A line about the batch, then why it is paused or what is wrong with it. */
export function summaryOf({ id, status: state, request_counts: counts, errors, ...batch }: Batch): string {
  const { total, completed, failed } = counts
  const failures = failed > 0 ? `, ${failed} failed` : ''
  const resumes = batch.resumes_at === null ? '' : ` It looks again at ${timeOf(batch.resumes_at)}.`
  const lines = [
    `${id}  ${state}  ${completed} of ${total} answered${failures}`,
    ...(batch.paused_reason === null ? [] : [`paused: ${batch.paused_reason}${resumes}`]),
    ...(errors?.data ?? []).map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`)),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function timeOf(seconds: number): string {
  return new Date(seconds * SECOND_MS).toISOString()
}
