import type { DropNotes } from '../../contract/native-call.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, recordsIn } from '../../schema/record.ts'
import { partName } from '../part-name.ts'
import { isSealed } from '../sealed-reasoning.ts'
import { isOurStep } from './step-blocks.ts'
import { DEFAULT_MAX_TOKENS } from './to-chat.ts'

/** Changes that a provider of this format needs: it would refuse reasoning that it did not sign itself. */
export function ownChanges(body: Fields, notes: DropNotes): Fields {
  const turns = recordsIn(body.messages)
  const foreign = turns.flatMap(({ content }) => recordsIn(content).filter(isForeign))
  for (const { type } of foreign) notes.dropped(partName('messages.content', type), FOREIGN)
  return {
    ...(foreign.length > 0 && { messages: turns.map(withoutForeign) }),
    ...(body.max_tokens == null && { max_tokens: DEFAULT_MAX_TOKENS }),
  }
}

function withoutForeign(turn: Fields): Fields {
  const blocks = recordsIn(turn.content)
  return blocks.some(isForeign) ? { ...turn, content: blocks.filter((block) => !isForeign(block)) } : turn
}

function isForeign(block: Fields): boolean {
  const { type, signature, data } = block
  if (isOurStep(block)) return true
  if (type === 'redacted_thinking') return isSealed(data)
  return type === 'thinking' && (!signature || isSealed(signature))
}
