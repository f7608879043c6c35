import { storableJson } from '../json/storable-json.ts'

// What the request log has beside the ledger line of a call, as it is kept in the journal and in the store: lists without
// names, because every call has one. New members go to the end of a list.

export type RequestDetail = {
  /** The attempts, in their order. */
  a?: AttemptDetail[]
  /** Notes about fields that were dropped or changed: field, action, reason. */
  n?: [field: string, action: string, reason: string][]
  /** Hooks: action, phase, milliseconds, whether it changed something, what it flagged. */
  h?: [action: string, phase: string, ms: number, changed: 0 | 1, flagged?: string[]][]
  /** What the cost is made of, in USD. */
  c?: Record<string, number>
  /** The limits that the call was counted against: id, unit, what it has used. */
  l?: [limit: string, unit: string, used: number][]
  /** The trace that the call is part of. */
  t?: string
}

export type AttemptDetail = [
  /** Null if it is the model of the line; as is the provider. */
  model: string | null,
  provider: string | null,
  credential: string | null,
  outcome: string,
  status: number | null,
  upstreamId: string | null,
  /** Null if an open connection was used. */
  connectMs: number | null,
  firstByteMs: number | null,
  durationMs: number,
  reason: string | null,
]

/** Callers cause notes, hooks and attempts; the store keeps this much of them for a call. */
const MAX_DETAIL_CHARS = 16 * 1024

/** The text for the store. What is too long loses its notes and hooks first, then the attempts before the last one. */
export function writeDetail(detail: RequestDetail | null): string | null {
  if (detail === null) return null
  const text = storableJson(detail)
  if (text.length <= MAX_DETAIL_CHARS) return text
  const { n: _, h: __, ...rest } = detail
  const shorter = storableJson(rest)
  return shorter.length <= MAX_DETAIL_CHARS ? shorter : storableJson({ a: detail.a?.slice(-1) ?? [] })
}

export function readDetail(text: string | null): RequestDetail {
  try {
    return (text === null ? {} : JSON.parse(text)) as RequestDetail
  } catch {
    return {}
  }
}
