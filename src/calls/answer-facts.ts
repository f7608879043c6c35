import type { Call } from './call.ts'

const MAX_CHOICES = 16

type Answer = {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly choices: readonly { readonly finish_reason?: string | null | undefined }[]
}

/** Notes how a whole answer ended, or a choice of a streamed one, in the provider's own words. */
export function noteAnswer(call: Call, { id, model, choices }: Answer): void {
  const facts = call.answer ?? { id, model, finishReasons: [] }
  for (const { finish_reason } of choices)
    if (finish_reason && facts.finishReasons.length < MAX_CHOICES) facts.finishReasons.push(finish_reason)
  call.answer = facts
}
