import type { Message } from '../../../contract/chat.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { leadingInstructions, namesSpeaker } from '../request/messages.ts'
import { argumentsOf, PastCalls } from '../request/past-calls.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { digestOf, shortCallId } from '../short-call-id.ts'
import { addTurn, settleEdges, type Turn } from '../turns.ts'
import { type Block, contentBlocks, textOnlyBlocks, type Translation } from './content-blocks.ts'
import { earlierBlocks } from '../provider-blocks.ts'
import { inOrder, MAKER } from './provider-content.ts'
import { reasoningBlocks } from './reasoning-details.ts'
import { type Vendor, vendorOf } from './vendor.ts'

export type WireMessage = Turn<Block>
export type Conversation = { system: Block[]; messages: WireMessage[] }

const NO_OUTPUT = '(no output)'
const BEDROCK_ID = /^[a-zA-Z0-9_-]{1,64}$/

export function toConversation({ messages }: RequestFields, target: Target, notes: Notes): Conversation {
  const { traits } = target
  const translation = { traits, notes, documentNames: new Set<string>(), calls: new PastCalls('Amazon Bedrock') }
  const instructions = traits?.lacks?.includes('system') ? 0 : leadingInstructions(messages)
  const vendor = vendorOf(target)
  const system: Block[] = []
  const turns: WireMessage[] = []
  for (const [at, message] of messages.entries()) {
    if (at < instructions) system.push(...textOnlyBlocks(message, ['messages', at], translation))
    else addTurn(turns, toTurn(message, at, vendor, translation))
    if (namesSpeaker(message)) notes.dropped('messages.name', NO_NAMES)
  }
  if (system.length + turns.length === 0)
    throw cannotTake(['messages'], 'Amazon Bedrock needs at least one message to answer')
  const settled = settleEdges(turns, (text): Block => ({ text }), traits, notes)
  return { system, messages: settled.map((turn) => withText(turn, notes)) }
}

const NO_NAMES = 'Amazon Bedrock does not support names of speakers'

function toTurn(message: Message, at: number, vendor: Vendor, translation: Translation): WireMessage {
  const loc = ['messages', at]
  switch (message.role) {
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message, at, vendor, translation) }
    case 'tool':
    case 'function':
      return { role: 'user', content: resultBlocks(message, at, vendor, translation) }
    case 'user':
      return { role: 'user', content: contentBlocks(message, loc, translation) }
    default:
      translation.notes.translated(
        'messages.role',
        'this model has no system prompt: the instructions are sent as user text',
      )
      return { role: 'user', content: textOnlyBlocks(message, loc, translation) }
  }
}

/** Reasoning comes first: a model that signed it requires it before its calls. */
function assistantBlocks(message: Message, at: number, vendor: Vendor, translation: Translation): Block[] {
  const reasoning = vendor === 'anthropic' || vendor === 'unknown' ? reasoningBlocks(message) : []
  const calls = translation.calls.made(message, at).map((call) => {
    const input = argumentsOf(call, translation.notes)
    return { id: call.id, block: { toolUse: { toolUseId: toolUseId(call.id, vendor), name: call.name, input } } }
  })
  const earlier = earlierBlocks(message, MAKER, translation.notes)
  if (earlier) return inOrder(earlier, { reasoning, calls })
  const texts = textOnlyBlocks(message, ['messages', at], translation)
  return [...reasoning, ...texts, ...calls.map(({ block }) => block)]
}

function resultBlocks(message: Message, at: number, vendor: Vendor, translation: Translation): Block[] {
  const blocks = contentBlocks(message, ['messages', at], translation)
  const content = blocks.filter((block) => !('cachePoint' in block))
  const result = {
    toolUseId: toolUseId(translation.calls.answered(message, at).id, vendor),
    content: content.length > 0 ? content : [{ text: NO_OUTPUT }],
    ...('is_error' in message && message.is_error === true && { status: 'error' }),
  }
  // A cache mark is placed between the blocks of a message, not inside a block.
  return [{ toolResult: result }, ...blocks.filter((block) => 'cachePoint' in block).slice(-1)]
}

/** A document must be accompanied by text. */
function withText({ role, content }: WireMessage, notes: Notes): WireMessage {
  const documents = content.flatMap(({ document }) => (document ? [(document as { name: string }).name] : []))
  if (documents.length === 0 || content.some(({ text }) => text !== undefined)) return { role, content }
  notes.translated('messages', 'Amazon Bedrock requires text beside a document')
  return { role, content: [{ text: `Attached: ${documents.join(', ')}` }, ...content] }
}

/** Ids of other providers may be refused here. They become a digest, the same in the call and in its result. */
function toolUseId(id: string, vendor: Vendor): string {
  if (vendor === 'mistral') return shortCallId(id)
  return BEDROCK_ID.test(id) ? id : `call_${digestOf(id).slice(0, 24)}`
}
