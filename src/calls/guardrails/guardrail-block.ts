import { Problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'

/** A guardrail has blocked a call. The text itself is not repeated, because it would end up in logs. */
export class GuardrailBlock extends Problem {
  /** What the caller of a chat is told in place of the answer, if the guardrail wants that. */
  readonly reply: string | undefined

  constructor({ id, message, respond }: Guardrail, check: string, side: 'input' | 'output') {
    const what = side === 'input' ? 'The request' : 'The answer'
    super('guardrail_blocked', {
      message: message ?? `${what} was blocked by the guardrail '${id}'.`,
      members: { guardrail: id, check },
    })
    this.reply = respond === 'message' ? this.message : undefined
  }
}
