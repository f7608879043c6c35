import { inOneOrder } from '../attempts/attempt.ts'
import type { AttemptTarget } from '../attempts/failures.ts'
import type { AskPlan } from '../attempts/plan.ts'
import { tryTargets } from '../attempts/try-targets.ts'
import type { Call } from '../call.ts'
import type { CallServices } from '../services/call-services.ts'
import { fixedCost } from '../../money/limits/worst-case.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { SendReport } from '../../translation/wire/wire.ts'

/** What is called, at which fixed price in USD. `before`: what has to be done before it is sent anything. */
type CalledTool = { target: AttemptTarget; price: number; before?: () => Promise<void> | undefined }

/**
 * Uses a tool that is no model once: with its reservation, its order and its circuit, as a provider is asked. It is never asked again,
 * because it may have done what it was asked for.
 */
export async function askTool<Reply>(
  { target, price, before }: CalledTool,
  ask: (report: SendReport) => Promise<Reply>,
  call: Call,
  services: CallServices,
): Promise<Reply> {
  const bill = { cost: price }
  const plan: AskPlan<AttemptTarget, CallServices, Reply> = {
    targets: [target],
    worstCase: () => fixedCost(price),
    // The input is the model's, so a failure says nothing about how the tool treats other callers.
    isCustomized: () => true,
    retries: 0,
    ask: (attempt) =>
      inOneOrder(attempt, {
        likelyBill: () => bill,
        billOf: () => bill,
        ask: async ({ report }) => {
          await before?.()
          report.sentAt = performance.now()
          report.isWritten = true
          return await ask(report)
        },
      }),
  }
  const { reply } = await tryTargets(plan, call, services)
  return reply
}

/** What stands for a tool where providers have rows. It is made once, because circuits belong to it. */
export function providerOfTool(id: string, name: string, baseUrl: string, secret?: string): Provider {
  const auth = { scheme: 'none' as const }
  // No text that is shown may quote the secret.
  const credentials = secret === undefined ? [] : [{ secret, weight: 1 }]
  return { id, name, baseUrl, auth, credentials, configured: true, missing: undefined, address: {} }
}
