import type { ChatRequest } from '../contract/chat.ts'
import type { WireRequest } from '../contract/wire.ts'
import { tryParse } from '../json/try-parse.ts'
import { billOf } from './bill.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { chatFaceOf } from './chat-face-of.ts'
import { isCustomizedChat } from './customized.ts'
import { FILE_NOTE, hasFiles, takesNoFiles } from './file-texts.ts'
import { governChat } from './governed-chat.ts'
import { type ChatTarget, type RouteOutside, route } from './route.ts'
import { needsOf } from './routing/needs-of.ts'
import { tokensOf } from './routing/score.ts'
import { checkToolModels } from './tool-models.ts'

/** The key that stands for "somebody", when none is named. */
export const ANYBODY: Caller = {
  keyId: 'explain',
  owner: 'default',
  kind: 'live',
  region: 'global',
  scopes: null,
  expiresAt: null,
}

/** A dry run: who would be asked, in which order, with what, for how much. Nobody is called, and no credential is shown. */
export function explain(request: ChatRequest, caller: Caller, outside: RouteOutside) {
  const isCustomized = () => isCustomizedChat({ request })
  const asked: Pick<Call, 'caller' | 'routing' | 'isCustomized'> = { caller, routing: null, isCustomized }
  const targets = route(request, asked, outside)
  checkToolModels({ request }, targets, caller, outside)
  return {
    targets: targets.map((target) => explainTarget(request, target)),
    ...(asked.routing && { routing: asked.routing }),
  }
}

function explainTarget(request: ChatRequest, target: ChatTarget) {
  const governed = governChat({ request }, target)
  const encoded = chatFaceOf(target.provider).encode(governed?.asked ?? { request }, target)
  const { wire } = encoded
  const notes = [...(governed?.notes ?? []), ...encoded.notes]
  const { limits, entry, provider } = target
  return {
    model: target.id,
    provider: provider.id,
    dialect: provider.dialect,
    credentials: provider.credentials.length,
    request: shown(wire),
    notes: hasFiles(request) && takesNoFiles(target) ? [...notes, FILE_NOTE] : notes,
    limits,
    known: entry !== undefined,
    estimated_cost: billOf(entry, asExpected(request)).cost,
    price_version: entry?.checked ?? null,
  }
}

/** As it would leave, without the proof of who we are: that is put on at the very end. */
function shown({ method, url, headers, body }: WireRequest) {
  return { method, url, headers, body: typeof body === 'string' ? (tryParse(body) ?? body) : null }
}

function asExpected(request: ChatRequest) {
  return { tokens: tokensOf(needsOf(request)), usage: undefined, request, serviceTier: request.service_tier }
}
