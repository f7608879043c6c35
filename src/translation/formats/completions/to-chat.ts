import type { ChatRequest } from '../../../contract/chat.ts'
import type { CompletionsRequest } from '../../../contract/legacy/completions.ts'
import type { DropNotes, Untranslatable } from '../../wire/native-ask.ts'
import { cannotTake } from '../../dialects/cannot-take.ts'

/** The prompts as texts. */
export function promptsOf({ prompt }: Pick<CompletionsRequest, 'prompt'>): string[] {
  const prompts = typeof prompt === 'string' ? [prompt] : prompt
  const texts = prompts.filter((one) => typeof one === 'string')
  if (texts.length === prompts.length) return texts
  throw cannotTake(['prompt'], 'send text: tokens depend on the vocabulary of a model, and hooks cannot read them')
}

/** A chat in which every prompt is a message. Models that chat get one request for each of them. */
export function toChat(body: CompletionsRequest): ChatRequest {
  const { prompt: _, suffix: __, echo: ___, best_of: ____, logprobs, max_tokens, ...rest } = body
  return {
    ...rest,
    messages: promptsOf(body).map((content) => ({ role: 'user' as const, content })),
    ...(max_tokens != null && { max_tokens }),
    ...(logprobs != null && { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) }),
  }
}

/** What only a model that completes text can do. */
export function untranslatable({
  suffix,
  best_of,
  n,
  echo,
  logprobs,
  max_tokens,
}: CompletionsRequest): Untranslatable[] {
  const found: [string, boolean, string][] = [
    ['suffix', Boolean(suffix), 'a model that chats cannot write the text before a suffix'],
    ['best_of', (best_of ?? 1) > (n ?? 1), 'a model that chats does not say which of its answers is the best'],
    ['logprobs', Boolean(echo) && logprobs != null, 'a model that chats has no probabilities of the prompt'],
    ['max_tokens', max_tokens === 0, 'a model that chats has to write something'],
  ]
  return found.flatMap(([field, isAsked, reason]) => (isAsked ? [{ field, reason }] : []))
}

/** Whether the provider has to repeat the prompt, because the gateway does not know its tokens. */
export function providerEchoes({ echo, logprobs, max_tokens }: CompletionsRequest): boolean {
  return Boolean(echo) && (logprobs != null || max_tokens === 0)
}

export function noteTranslation(notes: DropNotes): void {
  notes.translated('prompt', 'this model chats: it gets the prompt as the message of a user, and answers it')
}
