import type { TaskFile, Tools } from '../feature.ts'

/**
 * The collections of one provider, in which a task searches. A collection has the same id at the provider as here, so only its
 * owner has to be stored. All operations are idempotent.
 */
export type Collections = {
  create(tools: Tools, id: string): Promise<void>
  remove(tools: Tools, id: string): Promise<void>
  /** The items that the image added: several, or none. */
  addItems(tools: Tools, id: string, image: TaskFile): Promise<string[]>
  removeItem(tools: Tools, id: string, item: string): Promise<void>
}

const PROVIDERS = ['amazon', 'facepp', 'sandbox']

/** Undefined if the provider has no collections. */
export async function findCollections(provider: string): Promise<Collections | undefined> {
  return PROVIDERS.includes(provider) ? (await import(`./${provider}.ts`)).default : undefined
}
