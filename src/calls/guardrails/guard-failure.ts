/**
 * Why texts could not be checked. `credentials` and `too_long` count as closed whatever the guardrail says, because they do not pass by
 * themselves, and a caller could cause the second.
 */
type GuardFailureKind = 'credentials' | 'too_long' | 'failed'

/** The message contains no text, no address and no secret. */
export class GuardFailure extends Error {
  override readonly name = 'GuardFailure'
  readonly kind: GuardFailureKind

  constructor(kind: GuardFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}
