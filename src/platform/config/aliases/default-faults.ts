import { SpeechRequest, TranscriptionRequest } from '../../../contract/audio.ts'
import { ChatRequest } from '../../../contract/chat.ts'
import { EmbeddingsRequest } from '../../../contract/embeddings.ts'
import { ImageEditRequest, ImageGenerationRequest } from '../../../contract/images.ts'
import { CompletionsRequest } from '../../../contract/legacy/completions.ts'
import { MessagesRequest } from '../../../contract/messages.ts'
import { ModerationsRequest } from '../../../contract/moderations.ts'
import { RerankRequest } from '../../../contract/cohere/rerank.ts'
import { ResponsesRequest } from '../../../contract/responses.ts'
import type { TSchema } from '../../../base/schema/type.ts'
import { validator } from '../../../base/schema/validator.ts'
import type { Alias, AliasFault } from './alias.ts'

/** The caller's conversation, and what chooses the model. */
const NO_DEFAULTS = new Set([
  'model',
  'messages',
  'input',
  'prompt',
  'query',
  'documents',
  'fallbacks',
  'router_candidates',
  'stream',
  'n',
])
/** An alias can be named in all of these, and some have a field of the same name with another meaning. */
const REQUESTS: readonly { properties: object }[] = [
  ...[ChatRequest, ResponsesRequest, MessagesRequest, EmbeddingsRequest, ModerationsRequest],
  ...[ImageGenerationRequest, ImageEditRequest, SpeechRequest, TranscriptionRequest, RerankRequest],
  ...[CompletionsRequest],
]

/**
 * Defaults are not checked again in each call, so a field has to be as at least one kind of request accepts it. What only
 * callers may not set (governed fields, headers that choose who pays) is the operator's to set.
 */
export function defaultFaults(defaults: NonNullable<Alias['defaults']>): AliasFault[] {
  return Object.entries(defaults).flatMap(([field, value]) => {
    const msg = NO_DEFAULTS.has(field) ? 'cannot have a default' : whatIsWrong(field, value)
    return msg === undefined ? [] : [{ path: ['defaults', field], msg }]
  })
}

/** A field that no request has is passed on to the provider as it is. */
function whatIsWrong(field: string, value: unknown): string | undefined {
  const schemas = REQUESTS.flatMap(({ properties }) => {
    return Object.hasOwn(properties, field) ? [properties[field as keyof object] as TSchema] : []
  })
  if (schemas.length === 0 || schemas.some((schema) => validator(schema).check(value))) return undefined
  return validator(schemas[0]!).issues(value, [])[0]?.msg
}
