import type { Answer } from '../../wire/answer.ts'
import type { TextCompletion } from '../../../contract/legacy/completions.ts'
import { legacyLogprobs } from './logprobs.ts'

/** The prompts that the gateway puts before the completions, if the caller wants them and the provider does not send them. */
export type Echo = { prompts: readonly string[]; perPrompt: number } | undefined

export function fromCompletion(completion: Answer, echo: Echo): TextCompletion {
  const { object: _, choices, id, ...rest } = completion
  return {
    ...rest,
    id: completionId(id),
    object: 'text_completion',
    choices: choices.map(({ index, message, logprobs, ...end }) => {
      const prompt = echoOf(echo, index)
      const text = `${prompt}${message.content ?? ''}${message.refusal ?? ''}`
      return { text, index, logprobs: legacyLogprobs(logprobs, prompt.length), ...legacyEnd(end) }
    }),
  }
}

type End = { finish_reason: string | null; native_finish_reason?: unknown }

/** How it ended, with the provider's own word if ours does not fit. */
export function legacyEnd({ finish_reason, native_finish_reason }: End): End {
  return { finish_reason, ...(native_finish_reason !== undefined && { native_finish_reason }) }
}

/** The prompt of a completion: those of the first prompt come first. */
export function echoOf(echo: Echo, index: number): string {
  return echo ? (echo.prompts[Math.floor(index / echo.perPrompt)] ?? '') : ''
}

export function completionId(id: string): string {
  return id.replace(/^chatcmpl-/, 'cmpl-')
}
