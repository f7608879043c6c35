import { type Fields, isRecord, recordsIn, textOf } from '../../schema/record.ts'

// The items of a provider's own response get ids that lead to our stored response, because clients may name items instead of
// sending them. The provider stores nothing, so its own ids mean nothing to it in the next request.

const OURS = /^[a-z]+_([0-9a-f]{32})_([in]?)(\d{1,6})$/

/** The response and the place in it that an id of ours names: in its output, or in the input that was stored with it. */
export function placeOfItem(id: unknown): { hex: string; place: number; isInput: boolean } | undefined {
  const [, hex, kind, place] = OURS.exec(textOf(id)) ?? []
  return hex === undefined ? undefined : { hex, place: Number(place), isInput: kind === 'i' }
}

/** The `n` says that a provider of this format made the item. */
export function isNativeItem({ id }: Fields): boolean {
  return placeOfItem(id) === undefined || /_n\d+$/.test(textOf(id))
}

export function withOurIds(output: unknown, responseId: string): Fields[] {
  return recordsIn(output).map((item, at) => withOurId(item, responseId, at))
}

function withOurId(item: Fields, responseId: string, place: unknown): Fields {
  return typeof item.id === 'string' ? { ...item, id: ourId(item.id, responseId, place) } : item
}

/** The members of a provider's event that name an item. */
export function ourEventFields({ item_id, item, output_index }: Fields, responseId: string): Fields {
  return {
    ...(typeof item_id === 'string' && { item_id: ourId(item_id, responseId, output_index) }),
    ...(isRecord(item) && { item: withOurId(item, responseId, output_index) }),
  }
}

function ourId(id: string, responseId: string, place: unknown): string {
  if (typeof place !== 'number') return id
  const kind = /^[a-z]+/.exec(id)?.[0] ?? 'item'
  return `${kind}_${responseId.replace(/^resp_/, '')}_n${place}`
}
