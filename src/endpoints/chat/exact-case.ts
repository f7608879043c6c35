import type { CallFacts } from '../../calls/call.ts'
import { Problem } from '../../contract/problems.ts'
import type { WorstCase } from '../../money/limits/worst-case.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { countOffline } from '../tokens/count-offline.ts'
import { hasOwnVocabulary } from '../tokens/families.ts'
import { asSent, type PromptTexts, promptTexts, worstCaseAt } from '../../calls/upstream/bounds/chat-worst-case.ts'
import type { ChatInput } from '../../calls/upstream/chat-input.ts'

/** Longer prompts keep the bound of their bytes: counting them would take longer than a caller who is refused should wait. */
const MAX_COUNTED_BYTES = 2_000_000

/**
 * The most that an attempt can use, with the tokens of the prompt counted: for a call that does not fit otherwise. Undefined if
 * the vocabulary of the model is not known exactly. The counting is done in a worker, and owners share it.
 */
export function exactChatCase(input: ChatInput, call: Counting) {
  let texts: PromptTexts | undefined
  const counts = new Map<string, Promise<number | undefined>>()
  return async (target: ChatTarget): Promise<WorstCase | undefined> => {
    if (input.native || !hasOwnVocabulary(target.model) || asSent(input, target) !== input) return undefined
    texts ??= promptTexts(input)
    if (texts.bytes > MAX_COUNTED_BYTES) return undefined
    const counting = counts.get(target.model) ?? counted(texts.texts, target.model, call)
    counts.set(target.model, counting)
    const tokens = await counting
    return tokens === undefined ? undefined : { ...worstCaseAt(target, input, texts.rest + tokens), isCounted: true }
  }
}

type Counting = Pick<CallFacts, 'caller' | 'signal'>

async function counted(texts: readonly string[], model: string, { caller, signal }: Counting) {
  const content = texts.map((text) => ({ type: 'text', text }))
  const text = JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content }] })
  try {
    return await countOffline({ text, model, owner: caller.owner }, signal)
  } catch (error) {
    // Too much is being counted already: the bound of the bytes holds too.
    if (error instanceof Problem && !signal.aborted) return undefined
    throw error
  }
}
