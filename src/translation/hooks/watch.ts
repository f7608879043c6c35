import type { Stage } from './answers/stage.ts'
import type { HookRun, Phase } from './hook.ts'

/** A request may have many texts; the reasons for more than this many are not listed. */
const MAX_FLAGS = 100

/** Measures one hook, whose work may be done in pieces, and reports it when it is done. */
export class Watch {
  readonly #run: HookRun
  readonly #monotonic: () => number
  readonly #done: (run: HookRun) => void

  constructor(action: string, phase: Phase, monotonic: () => number, done: (run: HookRun) => void) {
    this.#run = { action, phase, duration_ms: 0, changed: false }
    this.#monotonic = monotonic
    this.#done = done
  }

  readonly flag = (reason: string): void => {
    this.#run.flagged ??= []
    if (this.#run.flagged.length < MAX_FLAGS) this.#run.flagged.push(reason)
  }

  async timed<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const startedAt = this.#monotonic()
    try {
      return await work()
    } finally {
      this.#run.duration_ms += this.#monotonic() - startedAt
    }
  }

  timedNow<Result>(work: () => Result): Result {
    const startedAt = this.#monotonic()
    const result = work()
    this.#run.duration_ms += this.#monotonic() - startedAt
    return result
  }

  note(changed: boolean): void {
    this.#run.changed = changed
    this.#done(this.#run)
  }
}

export function watched(stage: Stage, watch: Watch): Stage {
  return {
    whole: (completion) => lastly(() => stage.whole(completion)),
    feed: (chunks) => watch.timedNow(() => stage.feed(chunks)),
    end: () => lastly(() => stage.end()),
    get changed() {
      return stage.changed
    },
  }

  async function lastly<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await watch.timed(work)
    } finally {
      watch.note(stage.changed)
    }
  }
}
