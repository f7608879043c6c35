import type { RequestFields } from '../request/request-fields.ts'
import { noteUntranslatable, unknownFields } from '../request/other-fields.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import type { MessagesBody } from './messages-body.ts'

const UNTRANSLATABLE = [
  ...(['frequency_penalty', 'presence_penalty', 'logprobs', 'logit_bias', 'top_logprobs', 'modalities'] as const),
  ...(['prediction', 'audio', 'seed', 'verbosity', 'metadata', 'image_config'] as const),
]

type Named = Pick<MessagesBody, 'metadata' | 'service_tier' | 'stream'>

export function namedFields(fields: RequestFields, notes: Notes): Named {
  const { safety_identifier, ...rest } = fields as RequestFields & Fields
  noteUntranslatable(rest, UNTRANSLATABLE, notes)
  const user_id = fields.user ?? textOf(safety_identifier)
  const service_tier = tierOf(fields.service_tier, notes)
  return {
    ...(user_id && { metadata: { user_id } }),
    ...(service_tier && { service_tier }),
    ...(fields.stream && { stream: true }),
  }
}

/** Fields that the contract does not know are the provider's own: `top_k`, `speed`, … Fields that are already set stay. */
export function passOn(fields: RequestFields, body: MessagesBody, thinks: boolean, notes: Notes): void {
  const target: Fields = body
  for (const [field, value] of Object.entries(unknownFields(fields))) {
    if (thinks && field === 'top_k') continue
    if (target[field] === undefined) target[field] = value
    else if (field === 'output_config' && isRecord(value)) target[field] = { ...body.output_config, ...value }
    else notes.dropped(field, 'other fields of the request already say this')
  }
}

function tierOf(tier: RequestFields['service_tier'], notes: Notes): MessagesBody['service_tier'] {
  if (tier === undefined || tier === 'auto') return tier
  if (tier === 'default') return 'standard_only'
  if (tier !== 'priority') return void notes.dropped('service_tier', `this provider has no tier like "${tier}"`)
  notes.translated('service_tier', 'this provider uses its priority tier with "auto", if it was bought')
  return 'auto'
}
