import type { ModelTraits } from './model-traits.ts'
import type { Notes } from './notes.ts'

// For wire formats in which the roles alternate, and the user comes first.

export type Turn<Block> = { role: 'user' | 'assistant'; content: Block[] }

/** Inserted for a role that is silent where the wire format requires a message. */
const FILLER = 'Continue.'

/** Consecutive messages of one role become one turn. Empty messages are dropped. */
export function addTurn<Block>(turns: Turn<Block>[], { role, content }: Turn<Block>): void {
  const last = turns.at(-1)
  if (content.length === 0) return
  if (last?.role === role) last.content.push(...content)
  else turns.push({ role, content })
}

/** The user comes first and, if the model does not continue its own message, also last. */
export function settleEdges<Block extends object>(
  turns: Turn<Block>[],
  says: (text: string) => Block,
  traits: ModelTraits | undefined,
  notes: Notes,
): Turn<Block>[] {
  const filler: Turn<Block> = { role: 'user', content: [says(FILLER)] }
  const needsFirst = turns[0]?.role !== 'user'
  const settled = needsFirst ? [filler, ...turns] : turns
  if (needsFirst) notes.translated('messages', `the user has to come first here: "${FILLER}" was inserted before`)
  if (settled.at(-1)!.role === 'user') return settled
  if (traits?.prefill !== false) return settled.with(-1, trimmed(settled.at(-1)!))
  notes.translated('messages', `this model does not continue its own message: "${FILLER}" was appended`)
  return [...settled, filler]
}

/** White space at the end of an answer that is to be continued is refused. */
function trimmed<Block extends object>({ role, content }: Turn<Block>): Turn<Block> {
  const end = content.at(-1)!
  if (!('text' in end) || typeof end.text !== 'string') return { role, content }
  return { role, content: content.with(-1, { ...end, text: end.text.trimEnd() }) }
}
