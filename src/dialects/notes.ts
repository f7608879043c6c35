import type { Note } from './chat-codec.ts'

/** Whoever writes a thousand odd fields need not be told of each. */
const MAX_NOTES = 50

/** Says once what became of a field, however many messages or tools it stands in. */
export class Notes {
  readonly list: Note[] = []

  dropped(field: string, reason: string): void {
    this.#add({ field, action: 'dropped', reason })
  }

  translated(field: string, reason: string): void {
    this.#add({ field, action: 'translated', reason })
  }

  renamed(field: string, reason: string): void {
    this.#add({ field, action: 'renamed', reason })
  }

  #add(note: Note): void {
    const isKnown = this.list.some(({ field, reason }) => field === note.field && reason === note.reason)
    if (!isKnown && this.list.length < MAX_NOTES) this.list.push(note)
  }
}
