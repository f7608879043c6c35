import { listAt, textAt } from './loose-fields.ts'

/** The barcodes of a document; `field` is the name of the field with the content. */
export function barcodesIn(bill: unknown, field: string) {
  return listAt(bill, 'barcodes').flatMap((code) => {
    const [value, type] = [textAt(code, field), textAt(code, 'type')]
    return value && type ? [{ value, type }] : []
  })
}
