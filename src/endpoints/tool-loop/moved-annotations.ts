import { type Fields, isRecord } from '../../base/schema/record.ts'

/** Annotations of a turn, with their places in the text of the whole answer, which has other turns before it. */
export function moved(annotations: readonly Fields[], by: number): Fields[] {
  return by === 0 ? [...annotations] : annotations.map((annotation) => movedMembers(annotation, by))
}

function movedMembers(fields: Fields, by: number): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if ((name === 'start_index' || name === 'end_index') && typeof value === 'number') return [name, value + by]
      return [name, isRecord(value) ? movedMembers(value, by) : value]
    }),
  )
}
