import type { Behaviour } from '../fakes/behaviours.ts'

// A provider that writes answers and never says anything, on a clock that a test turns.

/** Tokens per second of each answer. */
export const SPEED = 78
const MILLION = 1_000_000

let passed = 0

export function pass(ms: number): void {
  passed += ms
}

export function passedMs(): number {
  return passed
}

/** What a provider has written, and what its output costs. */
export class Writer {
  readonly #perToken: number
  readonly #begun: { at: number; most: number; answers: number }[] = []
  produced = 0

  constructor(usdPerMillion: number) {
    this.#perToken = usdPerMillion / MILLION
  }

  /** Never says anything, and writes. */
  get behaviour(): Behaviour {
    return (seen) => {
      const body = seen.body as Record<string, unknown>
      const config = (body.generationConfig ?? {}) as Record<string, unknown>
      const most =
        body.max_tokens ?? body.max_output_tokens ?? body.max_completion_tokens ?? config.maxOutputTokens ?? Infinity
      this.#begun.push({ at: passed, most: Number(most), answers: Number(body.n ?? config.candidateCount ?? 1) })
    }
  }

  /** Its clients have left. */
  stop(): void {
    for (const { at, most, answers } of this.#begun.splice(0)) {
      const written = Math.min(most, ((passed - at) / 1_000) * SPEED) * answers
      this.produced += written * this.#perToken
    }
  }
}
