import type { Encoding } from './encoding.ts'
import type { ChatRequest, Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { isInstruction, leadingInstructions, namesSpeaker } from '../request/messages.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { addTurn } from '../turns.ts'
import { cacheMark } from './cache-marks.ts'
import { contentBlocks, textBlocks } from './content.ts'
import { earlierBlocks } from '../provider-blocks.ts'
import type { Block, MarkableBlock, TextBlock, Turn } from './messages-body.ts'
import { inOrder, MAKER } from './provider-content.ts'
import { reasoningOf } from './reasoning-details.ts'
import { toolUses } from './tool-uses.ts'
import { toolResult } from './tool-results.ts'

type Conversation = { system: TextBlock[]; turns: Turn[] }

/** System messages at the beginning leave the conversation. Later ones stay in their place, as marked text of the user. */
export function encodeMessages(
  messages: ChatRequest['messages'],
  instruction: string | undefined,
  encoding: Encoding,
): Conversation {
  const turns: Turn[] = []
  const results = new Map<Turn, Block[]>()
  const leading = leadingInstructions(messages)
  const system = messages.slice(0, leading).flatMap((message, at) => systemBlocks(message, locOf(at), encoding))
  if (instruction !== undefined) system.push({ type: 'text', text: instruction })
  for (const [at, message] of messages.entries()) {
    if (at >= leading) addContent(turns, toTurn(message, at, encoding), results)
  }
  for (const [turn, first] of results) turn.content = [...first, ...turn.content]
  return encoding.traits?.lacks?.includes('system') ? withoutSystem(system, turns, encoding) : { system, turns }
}

function toTurn(message: Message, at: number, encoding: Encoding): Turn {
  if (namesSpeaker(message)) encoding.notes.dropped('messages.name', NO_NAMES)
  const role = message.role === 'assistant' ? 'assistant' : 'user'
  const content = role === 'user' ? userBlocks(message, at, encoding) : assistantBlocks(message, at, encoding)
  return { role, content: marked(message, content, encoding.notes) }
}

/** Tool results come first in their turn: they are gathered, because inserting each of them would move all that follow it. */
function addContent(turns: Turn[], turn: Turn, results: Map<Turn, Block[]>): void {
  if (turn.content[0]?.type !== 'tool_result') return addTurn(turns, turn)
  if (turns.at(-1)?.role !== turn.role) turns.push({ role: turn.role, content: [] })
  const last = turns.at(-1)!
  const gathered = results.get(last)
  if (gathered) gathered.push(...turn.content)
  else results.set(last, turn.content)
}

const NO_NAMES = 'this provider does not distinguish speakers of one role'

function userBlocks(message: Message, at: number, encoding: Encoding): Block[] {
  const loc = locOf(at)
  if (message.role === 'tool' || message.role === 'function') return [toolResult(message, at, encoding)]
  if (!isInstruction(message)) return contentBlocks(message.content, [...loc, 'content'], encoding)
  encoding.notes.translated('messages', 'system messages after the beginning are sent as marked text of the user')
  return systemBlocks(message, loc, encoding).map((block) => ({ ...block, text: `<system>\n${block.text}\n</system>` }))
}

function assistantBlocks(message: Message, at: number, encoding: Encoding): Block[] {
  const loc = locOf(at)
  const reasoning = reasoningOf(message)
  if (reasoning.length === 0 && message.reasoning_content)
    encoding.notes.dropped('messages.reasoning_content', UNSIGNED)
  if (isRecord((message as Fields).audio))
    encoding.notes.dropped('messages.audio', 'this provider does not generate audio')
  const texts = textBlocks(message.content, [...loc, 'content'], encoding.notes)
  const refusal = texts.length === 0 ? textBlocks(textOf((message as Fields).refusal), loc, encoding.notes) : []
  const calls = toolUses(encoding.calls.made(message, at), encoding.notes)
  const sent = encoding.takesReasoning ? reasoning : []
  const earlier = earlierBlocks(message, MAKER, encoding.notes)
  if (earlier) return inOrder(earlier, { reasoning: sent, calls })
  return [...sent, ...texts, ...refusal, ...calls]
}

const UNSIGNED = 'this provider accepts earlier reasoning only as `reasoning_details`, which carry its signature'

function systemBlocks(message: Message, loc: Loc, { notes }: Encoding): TextBlock[] {
  const blocks = textBlocks(message.content, [...loc, 'content'], notes)
  marked(message, blocks, notes)
  return blocks
}

/** A mark may be on the message instead of its last part. */
function marked<Blocks extends Block[]>(message: Fields, blocks: Blocks, notes: Notes): Blocks {
  const last = blocks.at(-1)
  if (isRecord(message.cache_control) && last && isMarkable(last))
    last.cache_control ??= cacheMark(message.cache_control, notes)
  return blocks
}

function isMarkable(block: Block): block is MarkableBlock {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking'
}

function withoutSystem(system: TextBlock[], conversation: Turn[], { notes }: Encoding): Conversation {
  if (system.length === 0) return { system, turns: conversation }
  notes.translated(
    'messages',
    'this model has no system prompt: the text was moved to the beginning of the conversation',
  )
  const turns: Turn[] = []
  for (const turn of [{ role: 'user' as const, content: system }, ...conversation]) addTurn(turns, turn)
  return { system: [], turns }
}

function locOf(at: number): Loc {
  return ['messages', at]
}
