import { answer, type Behaviour } from '../fakes/behaviours.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../fakes/provider.ts'
import { STATES } from './states.ts'

/** A model is named `state~case`, so that the same state starts fresh in every case. */
const MARK = '~'

export type FaultyProvider = Pick<FakeProvider, 'url' | 'close' | 'openSockets'> & {
  /** Calls to this model. */
  calls(model: string): number
  /** How many of these calls the client aborted before the answer was complete. */
  closings(model: string): number
  /** Calls in all. */
  readonly total: number
}

type FaultyOptions = {
  /** 1 is real time; 0.1 turns ten seconds into one. */
  timeScale?: number
  now?: () => number
}

type Seen = { calls: number; closings: number; firstAt: number }

/** A real server that speaks OpenAI's format and fails in the way that the model's name says. */
export async function startFaultyProvider({
  timeScale = 1,
  now = Date.now,
}: FaultyOptions = {}): Promise<FaultyProvider> {
  const fake = await startFakeProvider()
  const models = new Map<string, Seen>()
  let total = 0
  fake.always((request, response) => {
    // Requests are counted, not kept: a long rehearsal sends many.
    fake.requests.length = 0
    return behave(request)(request, response)
  })
  return {
    url: fake.url,
    calls: (model) => models.get(model)?.calls ?? 0,
    closings: (model) => models.get(model)?.closings ?? 0,
    close: fake.close,
    get total() {
      return total
    },
    get openSockets() {
      return fake.openSockets
    },
  }

  function behave(request: SeenRequest): Behaviour {
    const { model } = request.body as { model: string }
    const seen = models.get(model) ?? { calls: 0, closings: 0, firstAt: now() }
    models.set(model, seen)
    total++
    void request.closed.then((isLeft) => {
      if (isLeft) seen.closings++
    })
    const scene = { turn: seen.calls++, sinceFirstMs: now() - seen.firstAt, timeScale }
    return STATES[model.split(MARK)[0]!]?.(scene) ?? answer({ content: `there is no state ${model}` })
  }
}
