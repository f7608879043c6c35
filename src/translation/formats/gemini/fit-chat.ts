import type { ChatRequest } from '../../../contract/chat.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import type { DropNotes, OtherTarget } from '../../wire/native-ask.ts'
import { plainChat } from '../plain-chat.ts'
import { fieldsOf } from './names.ts'

/** The budget in tokens up to which this effort is meant, for targets that know efforts only. */
const EFFORTS: readonly (readonly [tokens: number, effort: 'low' | 'medium'])[] = [
  [2048, 'low'],
  [8192, 'medium'],
]
const LEVELS: readonly string[] = ['minimal', 'low', 'medium', 'high']

/** The translated chat as a target of another format takes it. */
export function fitChat(request: ChatRequest, { plain, keepsMarks }: OtherTarget, notes: DropNotes): ChatRequest {
  return plain ? withEffort(plainChat(request, { topK: 'generationConfig.topK', keepsMarks }, notes)) : request
}

/** Other dialects understand Google's own fields; chat completions only know an effort. */
function withEffort({ thinking, ...request }: ChatRequest): ChatRequest {
  return { ...request, ...effortOf(fieldsOf(thinking)) }
}

function effortOf({ thinkingBudget, thinkingLevel }: Fields): Partial<ChatRequest> {
  const level = textOf(thinkingLevel).toLowerCase()
  if (LEVELS.includes(level)) return { reasoning_effort: level as 'low' }
  if (typeof thinkingBudget !== 'number' || thinkingBudget < 0) return {}
  if (thinkingBudget === 0) return { reasoning_effort: 'none' }
  return { reasoning_effort: EFFORTS.find(([tokens]) => thinkingBudget <= tokens)?.[1] ?? 'high' }
}
