import type { DropNotes } from '../../wire/native-ask.ts'
import { toolUseId } from '../../dialects/anthropic/tool-uses.ts'
import { UNSIGNED } from '../../dialects/claude-thinking.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { CallIds } from '../../dialects/request/call-ids.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { partName } from '../part-name.ts'
import { isSealed } from '../sealed-reasoning.ts'
import { isOurStep } from './step-blocks.ts'
import { DEFAULT_MAX_TOKENS } from './to-chat.ts'

/**
 * Changes that a provider of this format needs if another maker took part in the conversation: it would refuse reasoning that
 * it did not sign itself, blank texts, and ids that are not its own kind.
 */
export function ownChanges(body: Fields, notes: DropNotes): OwnChanges {
  const turns = recordsIn(body.messages)
  const ids = new CallIds()
  const settled = turns.map((turn) => changedTurn(turn, (blocks) => ownBlocks(blocks, turn.role, ids, notes)))
  const dropsThinking = recordOf(body.thinking).type === 'enabled' && endsUnsigned(settled)
  if (dropsThinking) notes.dropped('thinking', UNSIGNED)
  const sent = dropsThinking ? settled.map((turn) => changedTurn(turn, withoutThinking)) : settled
  return {
    set: {
      ...(sent.some((turn, at) => turn !== turns[at] || isEmpty(turn)) && {
        messages: sent.filter((turn) => !isEmpty(turn)),
      }),
      ...(body.max_tokens == null && { max_tokens: DEFAULT_MAX_TOKENS }),
    },
    drop: dropsThinking ? ['thinking'] : [],
  }
}

type OwnChanges = { set: Fields; drop: readonly string[] }

/** The same turn if none of its blocks changes. */
function changedTurn(turn: Fields, change: (blocks: Fields[]) => Fields[]): Fields {
  if (!Array.isArray(turn.content)) return turn
  const blocks = recordsIn(turn.content)
  const changed = change(blocks)
  const isSame = changed.length === blocks.length && changed.every((block, at) => block === blocks[at])
  return isSame ? turn : { ...turn, content: changed }
}

function ownBlocks(blocks: readonly Fields[], role: unknown, ids: CallIds, notes: DropNotes): Fields[] {
  const foreign = blocks.filter(isForeign)
  for (const { type } of foreign) notes.dropped(partName('messages.content', type), FOREIGN)
  const own = foreign.length > 0 ? blocks.filter((block) => !isForeign(block)) : blocks
  const filled = role === 'assistant' ? own.filter((block) => !isBlank(block)) : own
  return filled.map((block) => withOwnId(block, ids))
}

/** Some models write a line break before their calls. */
function isBlank({ type, text }: Fields): boolean {
  return type === 'text' && !/\S/.test(textOf(text))
}

function isForeign(block: Fields): boolean {
  const { type, signature, data } = block
  if (isOurStep(block)) return true
  if (type === 'redacted_thinking') return isSealed(data)
  return type === 'thinking' && (!signature || isSealed(signature))
}

/** The same block if its id is fine. */
function withOwnId(block: Fields, ids: CallIds): Fields {
  const { type, id, tool_use_id } = block
  if (type === 'tool_use') return renamed(block, 'id', toolUseId(ids.made(textOf(id))))
  return type === 'tool_result' ? renamed(block, 'tool_use_id', toolUseId(ids.answered(textOf(tool_use_id)))) : block
}

function renamed(block: Fields, member: string, id: string): Fields {
  return block[member] === id ? block : { ...block, [member]: id }
}

/** An answer without content is refused. */
function isEmpty({ role, content }: Fields): boolean {
  return role === 'assistant' && Array.isArray(content) && content.length === 0
}

/** Another maker made the last calls, so there is no thinking that led to them. */
function endsUnsigned(turns: readonly Fields[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant' && !isEmpty(turn))
  const blocks = recordsIn(last?.content)
  return blocks.some(({ type }) => type === 'tool_use') && !blocks.some(isThinking)
}

function withoutThinking(blocks: Fields[]): Fields[] {
  return blocks.filter((block) => !isThinking(block))
}

function isThinking({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}
