import { type IdentityField, identityDocument } from './identity-document.ts'
import { numberAt, textAt, valueAt } from './loose-fields.ts'

/** Builds an identity document from an answer with `{value, confidence}` objects, by the provider's field names. */
export function identityFromAnswer(answer: unknown, names: Partial<Record<IdentityField, string>>, country: string) {
  const readings = Object.entries(names).flatMap(([field, name]) => {
    const found = valueAt(answer, name)
    const several = Array.isArray(found) ? found : [found]
    return several.flatMap((one) => readingsOf(field as IdentityField, one))
  })
  const confidence = numberAt(answer, country, 'confidence')
  return identityDocument(readings, { value: textAt(answer, country, 'value'), confidence })
}

/** Given names may be in one field. */
function readingsOf(field: IdentityField, found: unknown) {
  const text = textAt(found, 'value')
  const confidence = numberAt(found, 'confidence')
  const values = text === null ? [] : field === 'given_names' ? text.split(/\s+/) : [text]
  return values.map((value) => ({ field, value, confidence }))
}
