import type { ModelTraits } from './model-traits.ts'
import type { Notes } from './notes.ts'

// Wires on which the two sides take turns, and the user has the first word.

export type Turn<Block> = { role: 'user' | 'assistant'; content: Block[] }

/** Said for a side that is silent where the wire wants it to speak. */
const FILLER = 'Continue.'

/** What one side says in several messages is one turn. Saying nothing is no turn. */
export function addTurn<Block>(turns: Turn<Block>[], { role, content }: Turn<Block>): void {
  const last = turns.at(-1)
  if (content.length === 0) return
  if (last?.role === role) last.content.push(...content)
  else turns.push({ role, content })
}

/** The user has the first word; and, where the model does not go on from its own words, the last one. */
export function settleEdges<Block extends object>(
  turns: Turn<Block>[],
  says: (text: string) => Block,
  traits: ModelTraits | undefined,
  notes: Notes,
): Turn<Block>[] {
  const filler: Turn<Block> = { role: 'user', content: [says(FILLER)] }
  const needsFirst = turns[0]?.role !== 'user'
  const settled = needsFirst ? [filler, ...turns] : turns
  if (needsFirst) notes.translated('messages', `the user has to speak first here: "${FILLER}" was put before`)
  if (settled.at(-1)!.role === 'user') return settled
  if (traits?.prefill !== false) return settled.with(-1, trimmed(settled.at(-1)!))
  notes.translated('messages', `this model does not go on from its own words: "${FILLER}" was put after`)
  return [...settled, filler]
}

/** Blanks at the end of an answer to be continued are refused. */
function trimmed<Block extends object>({ role, content }: Turn<Block>): Turn<Block> {
  const end = content.at(-1)!
  if (!('text' in end) || typeof end.text !== 'string') return { role, content }
  return { role, content: content.with(-1, { ...end, text: end.text.trimEnd() }) }
}
