import { type Fields, recordsIn } from '../../schema/record.ts'
import { isSealed } from '../sealed-reasoning.ts'
import { isOurStep } from './step-blocks.ts'
import { DEFAULT_MAX_TOKENS } from './to-chat.ts'

/** Changes that a provider of this format needs: it would refuse reasoning that it did not sign itself. */
export function ownChanges(body: Fields): Fields {
  const turns = recordsIn(body.messages)
  return {
    ...(turns.some(hasForeignReasoning) && { messages: turns.map(withoutForeignReasoning) }),
    ...(body.max_tokens == null && { max_tokens: DEFAULT_MAX_TOKENS }),
  }
}

function hasForeignReasoning({ content }: Fields): boolean {
  return recordsIn(content).some(isForeign)
}

function withoutForeignReasoning(turn: Fields): Fields {
  return hasForeignReasoning(turn)
    ? { ...turn, content: recordsIn(turn.content).filter((block) => !isForeign(block)) }
    : turn
}

function isForeign(block: Fields): boolean {
  const { type, signature, data } = block
  if (isOurStep(block)) return true
  if (type === 'redacted_thinking') return isSealed(data)
  return type === 'thinking' && (!signature || isSealed(signature))
}
