import { valueError } from '../base/schema/issue-messages.ts'
import { isRecord } from '../base/schema/record.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'

/**
 * Fields that the gateway itself carries out, on some of its endpoints. No provider knows them, and callers wait for their effect: on
 * other endpoints they are refused, and not ignored like unknown fields.
 */
export const WAITED_FIELDS: Readonly<Record<string, string>> = {
  fallbacks: 'This endpoint has no fallbacks: an alias can have several models',
  router_candidates: 'Only chats are routed: name the model',
  routing: 'Only chats take this field: name the models that may be asked',
  pre_hooks: 'Only chats have hooks',
  post_hooks: 'Only chats have hooks',
  extra_body: 'This endpoint takes further fields at the top of the request',
  extra_headers: 'This endpoint passes no headers on',
  stream: 'This endpoint does not stream its answer',
  webhook_receiver: 'Only jobs call a webhook: POST /v3/universal-ai/async',
  user_webhook_parameters: 'Only jobs call a webhook: POST /v3/universal-ai/async',
}

/** Finds fields in a request to an endpoint that does not have them. */
export type FindStray = (body: unknown) => ValidationIssue[]

/** `fields`: those of the endpoint. `isOpen`: what it does not know is passed on to the provider, which may have such a field. */
export function strayFinder(fields: object, { isOpen, streams }: { isOpen: boolean; streams: boolean }): FindStray {
  const names = Object.keys(WAITED_FIELDS).filter(
    (name) => !Object.hasOwn(fields, name) && !(streams && name === 'stream') && !(isOpen && OF_JOBS.has(name)),
  )
  if (names.length === 0) return () => []
  return (body) => {
    if (!isRecord(body)) return []
    return names.flatMap((name) =>
      Object.hasOwn(body, name) && asksSomething(body[name]) ? [valueError(['body', name], WAITED_FIELDS[name]!)] : [],
    )
  }
}

const OF_JOBS: ReadonlySet<string> = new Set(['webhook_receiver', 'user_webhook_parameters'])

/** Clients send fields that they do not use with an empty value. In a form, every value is a text. */
function asksSomething(value: unknown): boolean {
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0
  return value !== undefined && value !== false && !EMPTY.has(String(value))
}

const EMPTY: ReadonlySet<string> = new Set(['', 'false', 'null', '[]', '{}'])
