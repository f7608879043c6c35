import type { FastifyRequest } from 'fastify'
import { valueError } from '../../base/schema/issue-messages.ts'
import { MAX_LABEL_BYTES } from '../../base/schema/label.ts'
import { isRecord } from '../../base/schema/record.ts'
import { MAX_TAGS, TAG_NAME } from '../../calls/labels.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { type JsonBody, withEdit } from '../../translation/json/parse-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The object `tags` of the body: pairs as those of the header. */
    bodyTags?: Readonly<Record<string, string>> | undefined
  }
}

/** Takes the object `tags` out of a body before its contract is checked. No provider gets it. Anything else of this name stays. */
export function readBodyTags(request: FastifyRequest): void {
  const body = request.body as JsonBody | undefined
  if (!isRecord(body?.value) || !isRecord(body.value.tags)) return
  request.bodyTags = checkedTags(body.value.tags)
  request.body = withEdit(body, { set: {}, drop: new Set(['tags']), from: body.value })
}

function checkedTags(tags: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(tags)
  const wrong = pairs.find(([name, value]) => !TAG_NAME.test(name) || !isTag(value))
  if (pairs.length <= MAX_TAGS && !wrong)
    return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]))
  const msg = `Up to ${MAX_TAGS} texts by names of letters, digits, . _ : / - are tags`
  throw validationProblemOf([valueError(['body', 'tags', ...(wrong ? [wrong[0].slice(0, 100)] : [])], msg)])
}

function isTag(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_LABEL_BYTES
}
