import { mostTokens, stopTexts } from '../asked/answer-limits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../record.ts'
import type { Thinking } from './thinking-plan.ts'
import type { Vendor } from './vendor.ts'

export function toInferenceConfig(given: Asked, thinking: Thinking, vendor: Vendor, notes: Notes): Fields {
  const asked: Asked = { ...given }
  for (const field of thinking.excludes) leaveOut(asked, field, 'this model does not take it while it thinks', notes)
  if (vendor === 'anthropic' && asked.temperature !== undefined)
    leaveOut(asked, 'top_p', 'Claude does not take it beside temperature', notes)
  const maxTokens = thinking.maxTokens ?? mostTokens(asked)
  // A text of blanks is refused as a stop.
  const stopSequences = stopTexts(asked).filter((text) => text.trim() !== '')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(asked.temperature !== undefined && { temperature: bounded(asked.temperature, notes) }),
    ...(asked.top_p !== undefined && { topP: asked.top_p }),
    ...(stopSequences.length > 0 && { stopSequences }),
  }
}

function leaveOut(asked: Asked, field: keyof Asked, reason: string, notes: Notes): void {
  if (asked[field] === undefined) return
  // One is what is meant by silence.
  if (!(field === 'top_p' && asked.top_p === 1)) notes.dropped(field, reason)
  delete asked[field]
}

function bounded(temperature: number, notes: Notes): number {
  if (temperature > 1) notes.translated('temperature', 'Amazon Bedrock takes 1 at most')
  return Math.min(temperature, 1)
}
