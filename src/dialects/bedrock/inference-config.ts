import { maxAnswerTokens, stopTexts } from '../request/answer-limits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../schema/record.ts'
import type { Thinking } from './thinking-plan.ts'
import type { Vendor } from './vendor.ts'

export function toInferenceConfig(input: RequestFields, thinking: Thinking, vendor: Vendor, notes: Notes): Fields {
  const fields: RequestFields = { ...input }
  for (const field of thinking.excludes) leaveOut(fields, field, 'this model does not take it while it thinks', notes)
  if (vendor === 'anthropic' && fields.temperature !== undefined)
    leaveOut(fields, 'top_p', 'Claude does not take it beside temperature', notes)
  const maxTokens = thinking.maxTokens ?? maxAnswerTokens(fields)
  // A text of blanks is refused as a stop.
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
  // One is what is meant by silence.
  if (!(field === 'top_p' && fields.top_p === 1)) notes.dropped(field, reason)
  delete fields[field]
}

function bounded(temperature: number, notes: Notes): number {
  if (temperature > 1) notes.translated('temperature', 'Amazon Bedrock takes 1 at most')
  return Math.min(temperature, 1)
}
