import type { DropNotes } from '../../wire/native-ask.ts'
import { unpackContent } from '../../dialects/packed-content.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { partName } from '../part-name.ts'
import { unseal } from '../sealed-reasoning.ts'
import { contentParts } from './content-parts.ts'
import { IGNORED_ITEMS } from './conversation.ts'
import { isOurStep } from './step-items.ts'

/** Notes the items of a conversation, and parts of them, that a chat in our own format does not carry. */
export function noteLostItems(items: readonly Fields[], providers: readonly string[], notes: DropNotes): void {
  const unsealed = items.flatMap(({ encrypted_content }) => unseal(encrypted_content, providers))
  const { provider_content } = unpackContent(unsealed)
  for (const item of items) {
    const { type, encrypted_content } = item
    const isReasoning = type === 'reasoning' && unseal(encrypted_content, providers).length === 0
    // What a step of another provider says also comes back in a sealed item, if a target understands that.
    const isStep = isOurStep(item) ? !provider_content : IGNORED_ITEMS.has(type)
    if (isReasoning || isStep) notes.dropped(partName('input', type), FOREIGN)
    noteLostParts(item, notes)
  }
}

function noteLostParts({ type = 'message', content, output }: Fields, notes: DropNotes): void {
  if (type === 'reasoning') return
  for (const part of [...recordsIn(content), ...recordsIn(output)]) {
    const isEmpty = part.text === ''
    if (!isEmpty && contentParts([part]).length === 0)
      notes.dropped(partName('input.content', part.type), 'a chat cannot express it')
  }
}
