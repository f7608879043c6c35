import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { sealedItem } from './reasoning-details.ts'

// The items of a provider's own response get ids that lead to our stored response, because clients may name items instead of
// sending them. The provider stores nothing, so its own ids mean nothing to it in the next request.

const OURS = /^[a-z]+_([0-9a-f]{32})_([in]?)(\d{1,6})$/

/** The response and the place in it that an id of ours names: in its output, or in the input that was stored with it. */
export function positionOfItem(id: unknown): { hex: string; position: number; isInput: boolean } | undefined {
  const [, hex, kind, position] = OURS.exec(textOf(id)) ?? []
  return hex === undefined ? undefined : { hex, position: Number(position), isInput: kind === 'i' }
}

/** The `n` says that a provider of this format made the item. */
export function isNativeItem({ id }: Fields): boolean {
  return positionOfItem(id) === undefined || /_n\d+$/.test(textOf(id))
}

/** The response that an item of a provider belongs to, and the provider that made it. */
export type Origin = { id: string; provider: string }

/** The items of a provider's own response as its caller gets them. */
export function ownedItems(output: unknown, origin: Origin): Fields[] {
  return recordsIn(output).map((item, at) => ownedItem(item, origin, at))
}

function ownedItem(item: Fields, { id, provider }: Origin, position: unknown): Fields {
  const sealed = sealedItem(item, provider)
  return typeof item.id === 'string' ? { ...sealed, id: ourId(item.id, id, position) } : sealed
}

/** The members of a provider's event that name an item. */
export function ourEventFields({ item_id, item, output_index }: Fields, origin: Origin): Fields {
  return {
    ...(typeof item_id === 'string' && { item_id: ourId(item_id, origin.id, output_index) }),
    ...(isRecord(item) && { item: ownedItem(item, origin, output_index) }),
  }
}

function ourId(id: string, responseId: string, position: unknown): string {
  if (typeof position !== 'number') return id
  const kind = /^[a-z]+/.exec(id)?.[0] ?? 'item'
  return `${kind}_${responseId.replace(/^resp_/, '')}_n${position}`
}
