import { type Fields, recordsIn } from '../../schema/record.ts'
import { isSealed } from '../sealed-reasoning.ts'

/** The body for a provider of this very format. Thoughts that it did not seal itself it would refuse. */
export function ownBody(body: Fields): Fields {
  if (!Array.isArray(body.input)) return body
  return { ...body, input: recordsIn(body.input).filter((item) => !isForeign(item)) }
}

function isForeign({ type, encrypted_content }: Fields): boolean {
  return type === 'reasoning' && (!encrypted_content || isSealed(encrypted_content))
}
