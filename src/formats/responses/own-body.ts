import { type Fields, recordsIn } from '../../schema/record.ts'
import { isSealed } from '../sealed-reasoning.ts'

/** The body for a provider of this format, which would refuse reasoning that it did not encrypt itself. */
export function ownBody(body: Fields): Fields {
  if (!Array.isArray(body.input)) return body
  return { ...body, input: recordsIn(body.input).filter((item) => !isForeign(item)) }
}

function isForeign({ type, encrypted_content }: Fields): boolean {
  return type === 'reasoning' && (!encrypted_content || isSealed(encrypted_content))
}
