import type { ChatRequest } from './chat.ts'
import { type Loc, valueError } from '../base/schema/issue-messages.ts'
import { isRecord } from '../base/schema/record.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import { reservedBecause } from './reserved-headers.ts'

const MAX_HEADERS = 50
const MAX_EXTRA_FIELDS = 1_000
const LOC: Loc = ['body', 'extra_headers']

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The same limits in JSON Schema, for documents. */
export const EXTRA_HEADER_LIMITS = { maxProperties: MAX_HEADERS, propertyNames: { pattern: TOKEN.source } }

const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Fields that the gateway reads itself. If `extra_body` could change them, a call would be billed, allowed or checked as a
 * different one.
 */
const RESERVED_FIELDS = [
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'fallbacks',
    'router_candidates',
    'routing',
    'pre_hooks',
    'post_hooks',
  ],
  ...['extra_body', 'extra_headers', 'session_id', 'cache_marks'],
]

/** Checks of a valid chat request that JSON Schema cannot express. */
export function chatIssues({
  extra_headers,
  extra_body,
}: Pick<ChatRequest, 'extra_headers' | 'extra_body'>): ValidationIssue[] {
  if (!extra_headers && !extra_body) return []
  return [...headerIssues(extra_headers ?? {}), ...bodyIssues(extra_body ?? {})]
}

/**
 * Like chatIssues, but for a request that failed validation: it checks every part that has the right type, so that the
 * caller sees all issues at once.
 */
export function furtherChatIssues(body: unknown): ValidationIssue[] {
  const { extra_headers, extra_body } = isRecord(body) ? body : {}
  const texts = Object.entries(isRecord(extra_headers) ? extra_headers : {}).filter(isText)
  return chatIssues({ extra_headers: Object.fromEntries(texts), extra_body: isRecord(extra_body) ? extra_body : null })
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}

function bodyIssues(extra: Record<string, unknown>): ValidationIssue[] {
  if (Object.keys(extra).length > MAX_EXTRA_FIELDS)
    return [valueError(['body', 'extra_body'], `At most ${MAX_EXTRA_FIELDS} fields may be given`)]
  return RESERVED_FIELDS.filter((field) => Object.hasOwn(extra, field)).map((field) => {
    return valueError(['body', 'extra_body', field], 'This field may only be given at the top of the request')
  })
}

function headerIssues(headers: Record<string, string>): ValidationIssue[] {
  const names = Object.keys(headers)
  if (names.length > MAX_HEADERS) return [valueError(LOC, `At most ${MAX_HEADERS} headers may be given`)]
  return names.flatMap((name) => {
    const sentence = whatIsWrong(name, headers[name] ?? '')
    return sentence === null ? [] : [valueError([...LOC, name], sentence)]
  })
}

function whatIsWrong(name: string, value: string): string | null {
  if (!TOKEN.test(name)) return 'This is not a valid header name'
  const because = reservedBecause(name)
  if (because) return `This header may not be given: ${because}`
  return FIELD_VALUE.test(value) ? null : 'A header value may hold only Latin-1 characters and no control characters'
}
