import type { DropNotes } from '../../contract/native-call.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, recordsIn } from '../../schema/record.ts'
import { partName } from '../part-name.ts'
import { isSealed } from '../sealed-reasoning.ts'
import { isOurStep } from './step-items.ts'

/** The body for a provider of this format, which would refuse reasoning that it did not encrypt itself. */
export function ownBody(body: Fields, notes: DropNotes): Fields {
  if (!Array.isArray(body.input)) return body
  const items = recordsIn(body.input)
  for (const { type } of items.filter(isForeign)) notes.dropped(partName('input', type), FOREIGN)
  return { ...body, input: items.filter((item) => !isForeign(item)) }
}

function isForeign(item: Fields): boolean {
  const { type, encrypted_content } = item
  return isOurStep(item) || (type === 'reasoning' && (!encrypted_content || isSealed(encrypted_content)))
}
