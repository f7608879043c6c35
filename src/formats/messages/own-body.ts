import { type Fields, recordsIn } from '../record.ts'
import { isSealed } from '../sealed-thoughts.ts'
import { USUAL_MAX_TOKENS } from './to-chat.ts'

/** The body for a provider of this very format. Thoughts that it did not sign itself it would refuse. */
export function ownBody(body: Fields): Fields {
  const turns = recordsIn(body.messages)
  const messages = turns.some(hasForeignThoughts) ? turns.map(withoutForeignThoughts) : body.messages
  return { max_tokens: USUAL_MAX_TOKENS, ...body, messages }
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
