import type { TaskFile, Tools } from '../feature.ts'

/**
 * One provider's collections: what a task looks in. Each is known there by the id that it has here, so that nothing but
 * whose it is has to be remembered. What is done twice has the same end.
 */
export type Collections = {
  create(tools: Tools, id: string): Promise<void>
  remove(tools: Tools, id: string): Promise<void>
  /** What the picture added: there may be several items, or none. */
  addItems(tools: Tools, id: string, image: TaskFile): Promise<string[]>
  removeItem(tools: Tools, id: string, item: string): Promise<void>
}

const PROVIDERS = ['amazon', 'facepp', 'sandbox']

/** Undefined where the provider has none. */
export async function findCollections(provider: string): Promise<Collections | undefined> {
  return PROVIDERS.includes(provider) ? (await import(`./${provider}.ts`)).default : undefined
}
