/**
 * A request of a caller, and an answer of a provider that is valid for it: a JSON text, or the events of a stream, as they are
 * sent.
 */
export type Exchange = { name: string; path: string; body: object; answer: string | string[] }

type Row = [name: string, path: string, body: object, answer: object]

export function exchangesOf(rows: readonly Row[]): Exchange[] {
  return rows.map(([name, path, body, answer]) => ({ name, path, body, answer: JSON.stringify(answer) }))
}
