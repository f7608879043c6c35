import { listAt, textAt } from './loose-fields.ts'

/** The barcodes of a bill, where each has what it says (in a field of this name) and of which type it is. */
export function barcodesIn(bill: unknown, field: string) {
  return listAt(bill, 'barcodes').flatMap((code) => {
    const [value, type] = [textAt(code, field), textAt(code, 'type')]
    return value && type ? [{ value, type }] : []
  })
}
