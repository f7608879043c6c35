import { type Fields, recordsIn } from '../record.ts'
import { isSealed } from '../sealed-thoughts.ts'
import { USUAL_MAX_TOKENS } from './to-chat.ts'

/** What a provider of this very format needs otherwise. Thoughts that it did not sign itself it would refuse. */
export function ownChanges(body: Fields): Fields {
  const turns = recordsIn(body.messages)
  return {
    ...(turns.some(hasForeignThoughts) && { messages: turns.map(withoutForeignThoughts) }),
    ...(body.max_tokens == null && { max_tokens: USUAL_MAX_TOKENS }),
  }
}

function hasForeignThoughts({ content }: Fields): boolean {
  return recordsIn(content).some(isForeign)
}

function withoutForeignThoughts(turn: Fields): Fields {
  return hasForeignThoughts(turn)
    ? { ...turn, content: recordsIn(turn.content).filter((block) => !isForeign(block)) }
    : turn
}

function isForeign({ type, signature, data }: Fields): boolean {
  if (type === 'redacted_thinking') return isSealed(data)
  return type === 'thinking' && (!signature || isSealed(signature))
}
