import { canonicalJson } from '../../translation/json/canonical-json.ts'
import type { NewAuditRow } from '../../platform/store/audit/append.ts'
import type { AuditRow } from '../../platform/store/audit/read.ts'
import type { AuditEvent, Author } from './author.ts'

/** A longer value says only how long it is, so that no change can fill the log. */
const MAX_JSON_CHARS = 16_000
const MAX_TEXT_CHARS = 1_000

/** The text of a row that its hash covers. */
export function textOfRow({ prev, hash, before, after, ...row }: AuditRow): string {
  return canonicalJson({ ...row, before: parsed(before), after: parsed(after) })
}

export function newRow(author: Author, { action, object, before, after }: AuditEvent): NewAuditRow {
  const row = {
    actor: storable(author.actor),
    via: author.via,
    action,
    object: storable(object),
    ip: author.ip === null ? null : storable(author.ip),
    request: author.request === null ? null : storable(author.request),
    before: jsonOf(before),
    after: jsonOf(after),
  }
  return { ...row, text: partsOf(row) }
}

/** Members of the row are on lines of their own, and no value has a line break, so that both lines are found once. */
function partsOf({ before, after, ...row }: Omit<NewAuditRow, 'text'>): NewAuditRow['text'] {
  const text = canonicalJson({ ...row, before: parsed(before), after: parsed(after), at: 0, seq: 0 })
  const [beforeAt, rest] = text.split('\n  "at": 0')
  const [beforeSeq, end] = rest!.split('\n  "seq": 0')
  return [`${beforeAt}\n  "at": `, `${beforeSeq}\n  "seq": `, end!]
}

function jsonOf(value: AuditEvent['before']): string | null {
  if (!value) return null
  const text = canonicalJson(withoutUndefined(value))
  return text.length <= MAX_JSON_CHARS ? text : canonicalJson({ too_long: true, characters: text.length })
}

/** Leaves out absent members at any depth, as JSON.stringify does: one of them must not stop what the entry is about. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutUndefined(one ?? null))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const present = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(present.map(([name, member]) => [name, withoutUndefined(member)]))
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json)
}

/** PostgreSQL stores no NUL, and a lone surrogate has no UTF-8 form. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD').slice(0, MAX_TEXT_CHARS).toWellFormed()
}
