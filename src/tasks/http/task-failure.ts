import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'

/**
 * A provider did not do the task. Its `message` never holds a host, an address or a key. A provider that could not be
 * reached is not told here: that stays the WireFailure that it is.
 */
export class TaskFailure extends UpstreamProblem {
  override readonly name = 'TaskFailure'

  constructor(
    kind: ProblemKind,
    message: string,
    more: { status?: number; code?: string; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(kind, message, more)
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}
