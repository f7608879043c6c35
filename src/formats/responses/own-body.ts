import { type Fields, recordsIn } from '../../schema/record.ts'
import { isSealed } from '../sealed-reasoning.ts'
import { isOurStep } from './step-items.ts'

/** The body for a provider of this format, which would refuse reasoning that it did not encrypt itself. */
export function ownBody(body: Fields): Fields {
  if (!Array.isArray(body.input)) return body
  return { ...body, input: recordsIn(body.input).filter((item) => !isForeign(item)) }
}

function isForeign(item: Fields): boolean {
  const { type, encrypted_content } = item
  return isOurStep(item) || (type === 'reasoning' && (!encrypted_content || isSealed(encrypted_content)))
}
