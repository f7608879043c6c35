import { maxAnswerTokens, stopTexts } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { Thinking } from './thinking-plan.ts'
import type { Vendor } from './vendor.ts'

export function toInferenceConfig(
  requestFields: RequestFields,
  thinking: Thinking,
  vendor: Vendor,
  notes: Notes,
): Fields {
  const fields: RequestFields = { ...requestFields }
  for (const field of thinking.excludes) leaveOut(fields, field, 'this model does not accept it while it thinks', notes)
  if (vendor === 'anthropic' && fields.temperature !== undefined)
    leaveOut(fields, 'top_p', 'Claude does not accept it together with temperature', notes)
  const maxTokens = thinking.maxTokens ?? maxAnswerTokens(fields)
  // A blank stop sequence is refused.
  const stopSequences = stopTexts(fields).filter((text) => text.trim() !== '')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(fields.temperature !== undefined && { temperature: bounded(fields.temperature, notes) }),
    ...(fields.top_p !== undefined && { topP: fields.top_p }),
    ...(stopSequences.length > 0 && { stopSequences }),
  }
}

function leaveOut(fields: RequestFields, field: keyof RequestFields, reason: string, notes: Notes): void {
  if (fields[field] === undefined) return
  // A value of 1 is the same as no value.
  if (!(field === 'top_p' && fields.top_p === 1)) notes.dropped(field, reason)
  delete fields[field]
}

function bounded(temperature: number, notes: Notes): number {
  if (temperature > 1) notes.translated('temperature', 'Amazon Bedrock accepts values up to 1')
  return Math.min(temperature, 1)
}
