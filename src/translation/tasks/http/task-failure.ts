import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'

/**
 * A provider did not do the task. The `message` never contains a host, a URL or a key. A provider that could not be reached is
 * a WireFailure instead.
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
