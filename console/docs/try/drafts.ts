import { signal } from '@preact/signals'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { type Draft, newDraft } from '../read/draft.ts'

/** By the id of the operation. What the reader has typed stays while they read other pages. */
const drafts = signal<Readonly<Record<string, Draft>>>({})

export function draftOf(listed: Listed, document: OpenApiDocument): Draft {
  return drafts.value[listed.id] ?? newDraft(listed, document)
}

export function changeDraft(listed: Listed, draft: Draft): void {
  drafts.value = { ...drafts.value, [listed.id]: draft }
}

export function resetDraft({ id }: Listed): void {
  const { [id]: _, ...others } = drafts.value
  drafts.value = others
}
