import type { ChatRequest } from '../../../contract/chat.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { DropNotes, OtherTarget } from '../../wire/native-ask.ts'
import { plainChat } from '../plain-chat.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/** The effort that a budget of up to this many tokens stands for. */
const BUDGETS: readonly (readonly [tokens: number, effort: Effort])[] = [
  [2048, 'low'],
  [8192, 'medium'],
]

/** The translated chat as a target of another format takes it. */
export function fitChat(request: ChatRequest, { plain, keepsMarks }: OtherTarget, notes: DropNotes): ChatRequest {
  return plain ? withEffort(plainChat(request, { topK: 'top_k', keepsMarks }, notes)) : request
}

/** Chat completions only know an effort. */
function withEffort({ thinking, reasoning_effort, ...request }: ChatRequest): ChatRequest {
  const word = thinking ? effortOf(thinking, reasoning_effort) : reasoning_effort
  return { ...request, ...(word && { reasoning_effort: word }) }
}

function effortOf({ type, budget_tokens }: Fields, effort: ChatRequest['reasoning_effort']): Effort {
  if (type === 'disabled') return 'none'
  if (effort) return effort
  if (typeof budget_tokens !== 'number') return 'medium'
  return BUDGETS.find(([tokens]) => budget_tokens <= tokens)?.[1] ?? 'high'
}
