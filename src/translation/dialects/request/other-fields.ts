import { ChatRequest } from '../../../contract/chat.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { RequestFields } from './request-fields.ts'
import { keepWritten } from '../../json/written-numbers.ts'

/** OpenAI's own fields, which the contract does not name and no other provider knows. */
const OPENAI_ONLY: ReadonlySet<string> = new Set([
  ...['store', 'safety_identifier', 'moderation'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
])

/** Fields that the contract does not name: they are the provider's own. */
export function unknownFields(fields: RequestFields): Fields {
  const unknown = Object.entries(fields).filter(([field]) => {
    return !Object.hasOwn(ChatRequest.properties, field) && !OPENAI_ONLY.has(field)
  })
  return keepWritten(Object.fromEntries(unknown), fields)
}

/** Notes the fields that a wire format cannot express. Default values are not worth a note. */
export function noteUntranslatable(
  fields: RequestFields,
  untranslatable: readonly (keyof RequestFields)[],
  notes: Notes,
): void {
  for (const field of Object.keys(fields)) {
    const isUnsayable = OPENAI_ONLY.has(field) || (untranslatable as readonly string[]).includes(field)
    if (isUnsayable && !asksNothing(field, (fields as Fields)[field]))
      notes.dropped(field, 'this provider has no such field')
  }
  if (fields.functions) notes.translated('functions', 'they became tools: calls come back as `tool_calls`')
}

function asksNothing(field: string, value: unknown): boolean {
  if (field === 'modalities') return Array.isArray(value) && value.every((kind) => kind === 'text')
  if (field === 'service_tier') return value === 'auto' || value === 'default'
  return value === false || (value === 0 && field !== 'seed')
}
