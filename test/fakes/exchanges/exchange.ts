/**
 * A request of a caller, and an answer of a provider that is valid for it: a JSON text, or the events of a stream, as they are
 * sent.
 */
export type Exchange = { name: string; path: string; body: object; answer: string | string[] }
