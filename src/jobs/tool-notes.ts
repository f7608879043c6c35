import type { CallFacts } from '../calls/call.ts'
import { type Problem, problem } from '../contract/problems.ts'

// Tools of MCP servers may have effects. What may be begun again after its process has died stores their names before they are called,
// and is not begun again if there are some.

/** The tools that were called, or were about to be. */
export type ToolNotes = { readonly tools: readonly string[] }

/** Stores the name of each tool before the tool is called, one after the other. */
export class ToolNotebook implements ToolNotes {
  readonly #names = new Set<string>()
  readonly #save: (notes: ToolNotes) => Promise<void>
  #latest = Promise.resolve()

  constructor(save: (notes: ToolNotes) => Promise<void>) {
    this.#save = save
  }

  get tools(): readonly string[] {
    return [...this.#names]
  }

  /** If it rejects, the tool is not called. */
  readonly add: NonNullable<CallFacts['beforeToolCall']> = (tool) => {
    this.#latest = this.#latest.then(async () => {
      if (this.#names.has(tool)) return
      await this.#save({ tools: [...this.#names, tool] })
      this.#names.add(tool)
    })
    return this.#latest
  }
}

/** Why something is not begun again. */
export function interruptedTools(what: string, { tools }: ToolNotes): Problem {
  const message = `The gateway was interrupted while it made ${what}, and had called tools by then (${tools.join(', ')}). They may have done what they were called for, so they were not called again.`
  return problem('internal_error', { message, code: 'interrupted' })
}
