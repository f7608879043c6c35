import { answer, type Behaviour } from '../../fakes/behaviours.ts'
import { service } from '../../fakes/guard-services/service.ts'
import { type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { startSpendingGateway } from '../../gateway/spending-gateway.ts'

// A gateway with a guardrail for each kind of check, each of which forbids a word of its own.

/** What each check finds, and no other one does. */
export const FORBIDDEN = {
  patterns: 'falcon',
  secrets: 'AKIAIOSFODNN7EXAMPLE',
  personal_data: 'ada@mail.example',
  external: 'vulture',
  judge: 'osprey',
} as const
export type Check = keyof typeof FORBIDDEN
export const CHECKS = Object.keys(FORBIDDEN) as Check[]
/** Those inside of the gateway. */
export const LOCAL: readonly Check[] = ['patterns', 'secrets', 'personal_data']

const INSTRUCTIONS = 'No eagles of the sea.'

export type GuardedGateway = Awaited<ReturnType<typeof startGuardedGateway>>

export async function startGuardedGateway() {
  const checker = await startFakeProvider({ everyPath: true })
  checker.always(
    service((body) =>
      JSON.stringify(body).includes(FORBIDDEN.external) ? { action: 'block', reasons: ['prey'] } : { action: 'allow' },
    ),
  )
  const { scene, tickets, close } = await startSpendingGateway()
  const params: Partial<Record<Check, object>> = {
    patterns: { words: [FORBIDDEN.patterns] },
    external: { url: `${checker.url}/check` },
    judge: { model: 'fake/gpt-4o', instructions: INSTRUCTIONS },
  }
  let says: Behaviour = answer()
  const asked = () => scene.fake.requests.filter((request) => !isQuestion(request))
  return {
    scene,
    /** What was asked of providers, except of the judge. */
    asked,
    /** All that was asked of providers and servers of tools, except of the judge. */
    spent: () => [...asked().map(({ path }) => path), ...tickets.calls()],
    forget: () => {
      scene.fake.requests.length = 0
      tickets.seen.length = 0
    },
    /** What the provider says when it is asked. */
    says: (behaviour: Behaviour) => {
      says = behaviour
    },
    guard: async (action: 'flag' | 'redact' | 'block', checks: readonly Check[] = CHECKS, more: object = {}) => {
      const guardrails = checks.map((check) => {
        // A busy machine is no failure of a check.
        const timeoutMs = 30_000
        return { id: check, appliesTo: 'all', action, timeoutMs, checks: [{ check, ...params[check] }], ...more }
      })
      await scene.limit({ guardrails })
      scene.fake.always((request, response) => (isQuestion(request) ? judge : says)(request, response))
    },
    close: async () => {
      await close()
      await checker.close()
    },
  }
}

/** Whether it is the judge that is asked. */
function isQuestion({ text }: SeenRequest): boolean {
  return text.includes(INSTRUCTIONS)
}

const judge: Behaviour = (request, response) => {
  const isFound = request.text.includes(FORBIDDEN.judge)
  const verdict = { verdict: isFound ? 'fail' : 'pass', reason_code: isFound ? 'other' : 'none' }
  return answer({ content: JSON.stringify(verdict) })(request, response)
}
