import type { AuditEntry } from '../../../src/contract/admin/audit.ts'
import { moment } from '../../parts/format.ts'

/** Undefined where the field was not there. */
export type Change = { field: string; before: string | undefined; after: string | undefined }

/** Each field that the entry names, as it was and as it is. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Change[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...fields].map((field) => ({ field, before: textIn(before, field), after: textIn(after, field) }))
}

export function changeText({ field, before, after }: Change): string {
  if (before === undefined) return `${field}: ${after}`
  return `${field}: ${before} → ${after ?? 'none'}`
}

function textIn(fields: AuditEntry['before'], name: string): string | undefined {
  const value = fields && Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined
  if (isMoment(value)) return moment(new Date(value).toISOString())
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}

/** Milliseconds since 1970, from 2001 to 2286. Nothing else that the log has is such a number. */
function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 1e12 && value < 1e13
}
