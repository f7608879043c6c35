import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import type { Call } from '../call.ts'
import type { CallServices } from '../services/call-services.ts'
import { type Guards, openGuards } from './guards.ts'

/** The guardrails that apply to a call, with all that they may ask. */
export function guardsOf(
  call: Call,
  models: () => readonly string[],
  services: CallServices,
  placeholders = new Placeholders(),
): Guards | undefined {
  const modelTools = (signal: AbortSignal) => services.modelTools(call, signal, services)
  // A call that is only explained sends nothing.
  const outside = services.dryRun ? undefined : { services, modelTools }
  return openGuards(call, models, { placeholders, services, outside })
}

type Asked = { model?: string | null | undefined; fallbacks?: readonly string[] | null | undefined }

/** The body of a request that is no chat, as it may be sent. Throws if it is blocked. */
export async function guardedBody<Body extends Asked>(body: Body, call: Call, services: CallServices): Promise<Body> {
  const guards = guardsOf(call, () => namesIn(body), services)
  if (!guards) return body
  const { model, fallbacks, ...texts } = body
  return { ...body, ...(await guards.value(texts, 'input')) }
}

/** What is answered to such a request. */
export async function guardedAnswer<Answer extends object>(
  answer: Answer,
  asked: Asked,
  call: Call,
  services: CallServices,
): Promise<Answer> {
  const guards = guardsOf(call, () => namesIn(asked), services)
  return guards ? await guards.value(answer, 'output') : answer
}

/** A task names its model behind its own name: `text/summarize/openai/gpt-5`. */
function namesIn({ model, fallbacks }: Asked): string[] {
  const names = [...(model ? [model] : []), ...(fallbacks ?? [])]
  return names.flatMap((name) => [name, ...name.split('/').map((_, at, parts) => parts.slice(at).join('/'))])
}
