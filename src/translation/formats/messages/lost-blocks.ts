import type { DropNotes } from '../../wire/native-ask.ts'
import { unpackContent } from '../../dialects/packed-content.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { partName } from '../part-name.ts'
import { isOurStep } from './step-blocks.ts'
import { reasoningIn, type Readers } from './turns.ts'

const LIST = 'messages.content'
/** Blocks of a user that a chat can express. */
const OF_USER: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result', 'tool_result'])
const MEDIA: ReadonlySet<unknown> = new Set(['image', 'document'])

/** Notes the blocks of a conversation that a chat in our own format does not carry. */
export function noteLostBlocks(body: Fields, readers: Readers, notes: DropNotes): void {
  for (const { role, content } of recordsIn(body.messages)) {
    const blocks = recordsIn(content)
    if (role === 'assistant') noteOfAssistant(blocks, readers, notes)
    else noteOfUser(blocks, notes)
  }
}

/** What the steps of another provider say also comes back in a sealed block, if a target understands that. */
function noteOfAssistant(blocks: readonly Fields[], readers: Readers, notes: DropNotes): void {
  const { provider_content } = unpackContent(blocks.flatMap((block) => reasoningIn(block, readers)))
  for (const block of blocks) {
    const { type } = block
    const isReasoning = type === 'thinking' || type === 'redacted_thinking'
    if (isReasoning && reasoningIn(block, readers).length === 0) notes.dropped(partName(LIST, type), FOREIGN)
    else if (isOurStep(block) && !provider_content) notes.dropped(partName(LIST, type), FOREIGN)
    else if (MEDIA.has(type)) notes.dropped(partName(LIST, type), 'a chat has no files in answers of the model')
  }
}

function noteOfUser(blocks: readonly Fields[], notes: DropNotes): void {
  for (const { type, content } of blocks) {
    if (!OF_USER.has(type)) notes.dropped(partName(LIST, type), 'only providers of the messages format understand it')
    if (type === 'tool_result') noteOfUser(recordsIn(content), notes)
  }
}
