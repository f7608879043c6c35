const MAX_TYPE_CHARS = 64

/** How a note names the parts of a list that have this type. A caller may write anything as a type. */
export function partName(list: string, type: unknown): string {
  return typeof type === 'string' && type.length <= MAX_TYPE_CHARS ? `${list}.${type}` : list
}
