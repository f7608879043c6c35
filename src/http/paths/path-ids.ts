import type { FastifyRequest } from 'fastify'
import { uuid } from '../../base/schema/fields.ts'
import { BATCH_ID, CONVERSATION_ID, RESPONSE_ID, UPLOAD_ID } from '../../base/schema/patterns.ts'
import Type, { type TSchema } from '../../base/schema/type.ts'
import { validator } from '../../base/schema/validator.ts'
import { problem } from '../../contract/problems.ts'
import { validationProblem } from '../problems.ts'
import type { Route } from '../route.ts'

/** The ids that the gateway creates, by the name of their path parameter. Ids of items are those of providers. */
export const PATH_IDS: Readonly<Record<string, TSchema>> = {
  batch_id: Type.String({ pattern: BATCH_ID, description: 'The `id` of a batch.' }),
  collection_id: uuid('The id of the collection.'),
  conversation_id: Type.String({ pattern: CONVERSATION_ID, description: 'The `id` of a conversation.' }),
  file_id: uuid('The id that the upload returned.'),
  id: uuid('The id from a list or a link.'),
  job_id: uuid('The id that was returned when the job was submitted.'),
  token_id: uuid('The id of the token.'),
  upload_id: Type.String({ pattern: UPLOAD_ID, description: 'The `id` of an upload in parts.' }),
  response_id: Type.String({ pattern: RESPONSE_ID, description: 'The `id` of a stored response.' }),
}

export function idsIn({ path }: Route): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => Object.hasOwn(PATH_IDS, name))
}

/**
 * An id that the gateway cannot have created is a mistake of the caller (422), and not an unknown object (404). Clients of
 * other formats know it as unknown.
 */
export function checkPathIds({ params }: FastifyRequest, names: readonly string[], noSuch: string | undefined): void {
  const issues = names.flatMap((name) => {
    const { check, issues } = validator(PATH_IDS[name]!)
    const value = (params as Record<string, string>)[name]
    return check(value) ? [] : issues(value, ['path', name])
  })
  if (issues.length === 0) return
  throw noSuch === undefined
    ? validationProblem(issues)
    : problem('not_found', { message: `There is no such ${noSuch}.` })
}
