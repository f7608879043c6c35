import { MODEL_NAMINGS } from './model-namings.ts'
import { type ProviderRow, REGIONS, type Region } from './provider.ts'

/** Where a provider is, and what is known of single models of it. */
export type Located = Pick<ProviderRow, 'regions' | 'modelNaming' | 'passesOn'> & {
  /** What the operator says of single models, by their names; nobody knows better. */
  modelRegions?: Readonly<Record<string, readonly Region[]>> | undefined
}

/** What is known of a model of the catalog. */
type Listed = { regions?: readonly Region[] | undefined }

/** A key without a region may use everything; no other key is promised anything. */
export const GLOBAL_ONLY: readonly Region[] = ['global']

/**
 * The regions that a call to this model does not leave: those that the provider's address, the model's name and the catalog
 * (`listed`; undefined for a model that it does not know) all promise. What nobody promises is left out.
 */
export function regionsOfModel(provider: Located, model: string, listed: Listed | undefined): readonly Region[] {
  const { regions: here = GLOBAL_ONLY, modelNaming, passesOn, modelRegions = {} } = provider
  if (Object.hasOwn(modelRegions, model)) return modelRegions[model]!
  if (here.length === 1 || (passesOn && !listed)) return GLOBAL_ONLY
  const named = modelNaming ? MODEL_NAMINGS[modelNaming](model) : REGIONS
  const known = listed?.regions ?? REGIONS
  return here.filter((region) => named.includes(region) && known.includes(region))
}

/** Whether a key of this region may go where these regions are promised. */
export function isInRegion(region: Region, regions: readonly Region[] | undefined): boolean {
  return region === 'global' || (regions ?? GLOBAL_ONLY).includes(region)
}
