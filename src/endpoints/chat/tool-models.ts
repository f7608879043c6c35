import { valueError } from '../../base/schema/issue-messages.ts'
import type { ProviderRow } from '../../platform/providers/provider.ts'
import { problem } from '../../contract/problems.ts'
import { type Fields, isRecord, textOf } from '../../base/schema/record.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { modelAt } from '../../calls/routing/names/resolved-model.ts'
import { refuseForbidden } from '../../calls/routing/names/refusals.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import type { ChatTarget, TargetServices } from '../../calls/routing/chat-targets.ts'

/** Each model is looked up for every target. */
const MAX_MODELS = 100

// Some tools run at the provider with a model that they name. The key must be allowed to use that model there.

/** Refuses models that the key may not use. Returns true if a tool runs with another model, whose price is not in our cost. */
export function checkToolModels(
  { request, native }: AskedChat,
  targets: readonly ChatTarget[],
  caller: Caller,
  { catalog }: Pick<TargetServices, 'catalog'>,
): boolean {
  const tools = [native ? native.body.tools : request.tools, request.extra_body?.tools].filter(Array.isArray)
  if (tools.length === 0) return false
  const models = targets
    .filter(({ provider }) => !provider.simulated)
    .flatMap(({ provider }) => [...modelsOf(tools, provider)].map((model) => modelAt(provider, model, catalog)))
  for (const resolved of models) refuseForbidden(resolved, caller)
  return models.length > 0
}

/** This is a plain loop, because a body may have very many tools, and nearly none of them names a model. */
function modelsOf(lists: readonly unknown[][], provider: ProviderRow): Set<string> {
  const models = new Set<string>()
  for (const tools of lists) for (const tool of tools) if (isRecord(tool)) addModels(tool, provider, models)
  return models
}

/** The tool's type does not matter: a provider that ignores case may read another type than we do. */
function addModels(tool: Fields, provider: ProviderRow, models: Set<string>): void {
  const isNamed = addNames(tool, models)
  const isNamedInside = isRecord(tool.parameters) && addNames(tool.parameters, models)
  const fallback = isNamed || isNamedInside ? undefined : defaultModel(tool, provider)
  if (fallback) models.add(fallback)
  if (models.size > MAX_MODELS) throw tooMany()
}

function defaultModel({ type }: Fields, { toolModels = {} }: ProviderRow): string | undefined {
  const name = textOf(type)
  return Object.hasOwn(toolModels, name) ? toolModels[name] : undefined
}

/** Adds the values of `model`, `models`, `analysis_models` and the like. Returns whether there are any. */
function addNames(fields: Fields, models: Set<string>): boolean {
  let found = false
  for (const name in fields) {
    if (!OF_MODELS.test(name)) continue
    for (const one of [fields[name]].flat()) {
      if (typeof one !== 'string') continue
      models.add(one)
      found = true
    }
  }
  return found
}

function tooMany() {
  const msg = `Tools may name at most ${MAX_MODELS} models`
  return problem('validation_error', { message: `${msg}.`, detail: [valueError(['body', 'tools'], msg)] })
}

const OF_MODELS = /(^|_)model[sſ]?$/i
