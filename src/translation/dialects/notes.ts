import type { Note } from './chat-codec.ts'

/** A caller with a thousand unknown fields need not get a note for each. */
const MAX_NOTES = 50

/** Notes once what happened to a field, however many messages or tools contain it. */
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
