import { providerOf } from '../provider-names.ts'

// Which models a key of LiteLLM may use, as scopes. Lists of the key, its team and its user all have to allow a model.

const EVERYTHING = new Set(['all-proxy-models', '*'])
/** The key may use what its team may. */
const AS_TEAM = 'all-team-models'

/** Names of models, or undefined for all. */
type ModelList = readonly string[] | undefined

/** The names of the models in the source, and the models of each access group. */
export type ModelNames = { names: ReadonlySet<string>; groups: ReadonlyMap<string, readonly string[]> }

/** An empty list is no restriction in LiteLLM. */
export function modelList(models: unknown, { names: modelNames, groups }: ModelNames): ModelList {
  if (!Array.isArray(models) || models.length === 0) return undefined
  const names = models.filter((name) => typeof name === 'string')
  if (names.some((name) => EVERYTHING.has(name) || name === AS_TEAM)) return undefined
  return [...new Set(names.flatMap((name) => groups.get(name) ?? [modelNames.has(name) ? name : nameHere(name)]))]
}

/** `bedrock/*` is `amazon/*` here. A name of the source is an alias, and stays as it is. */
export function nameHere(name: string): string {
  const slash = name.indexOf('/')
  const provider = slash > 0 ? providerOf(name.slice(0, slash)) : undefined
  return provider && provider !== 'compatible' ? `${provider}${name.slice(slash)}` : name
}

/** What all lists allow. */
export function intersection(lists: readonly ModelList[]): ModelList {
  return lists.reduce((one, other) => {
    if (!one || !other) return one ?? other
    const both = [...one.filter((name) => isCovered(name, other)), ...other.filter((name) => isCovered(name, one))]
    return [...new Set(both)]
  }, undefined)
}

/** A scope has its star at the end; LiteLLM's patterns too, nearly always. One with a star elsewhere covers only itself. */
function isCovered(name: string, list: readonly string[]): boolean {
  return list.some((pattern) => pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))))
}
