import { problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { type Caller, covers } from '../../tenants/access/caller.ts'
import type { Call } from '../call.ts'
import type { CallServices } from '../services/call-services.ts'

/** What guardrails know of a call. */
export type GuardedCall = Pick<Call, 'id' | 'endpoint' | 'record' | 'signal'> & {
  caller: Pick<Caller, 'owner' | 'organization' | 'project' | 'keyId'>
}

/** All names of models that a call may be about: the requested one and those of its targets. Undefined: it may be any model. */
export type NamedModels = () => readonly string[] | undefined

/** Those that apply to a call. Throws if one of the caller's cannot be read. */
export function guardrailsFor(
  call: GuardedCall,
  models: NamedModels,
  guardrails: CallServices['guardrails'],
): readonly Guardrail[] {
  const unreadable = guardrails.unreadableFor(call.caller)
  if (unreadable) throw unreadableProblem(unreadable.id)
  const ofCaller = guardrails.ofCaller(call.caller)
  return ofCaller.length === 0 ? ofCaller : ofCaller.filter((one) => concerns(one, call, models))
}

function unreadableProblem(id: string) {
  return problem('guardrail_failed', {
    message: `The guardrail '${id}' cannot be read by this version of the gateway, so no call that it applies to is answered. The operator has to look at it.`,
    members: { guardrail: id },
  })
}

function concerns({ id, endpoints, models, sample }: Guardrail, call: GuardedCall, named: NamedModels): boolean {
  if (endpoints && !endpoints.some((endpoint) => endpoint === call.endpoint)) return false
  const about = models && named()
  if (about && !models.some((pattern) => about.some((model) => covers(pattern, model)))) return false
  return sample >= 1 || fractionOf(`${id} ${call.id}`) < sample
}

const FNV_PRIME = 16_777_619
const FNV_START = 2_166_136_261

/** The same for all parts of a call. */
function fractionOf(text: string): number {
  let hash = FNV_START
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return (hash >>> 0) / 2 ** 32
}
