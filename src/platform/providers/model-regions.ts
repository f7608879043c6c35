import { MODEL_NAMINGS } from './model-namings.ts'
import { type ProviderRow, REGIONS, type Region } from './provider.ts'

/** The regions of a provider and of its models. */
export type Located = Pick<ProviderRow, 'regions' | 'modelNaming' | 'passesOn'> & {
  /** What the operator states for single models, by name; it takes precedence. */
  modelRegions?: Readonly<Record<string, readonly Region[]>> | undefined
}

/** What the catalog says about a model. */
type Listed = { regions?: readonly Region[] | undefined }

/** A key without a region may use everything; a key with a region may not use what promises only this. */
export const GLOBAL_ONLY: readonly Region[] = ['global']

/**
 * The regions that a call to this model does not leave: those that the provider's address, the model's name and the catalog all
 * promise. `listed` is undefined for a model that is not in the catalog.
 */
export function regionsOfModel(provider: Located, model: string, listed: Listed | undefined): readonly Region[] {
  const { regions: here = GLOBAL_ONLY, modelNaming, passesOn, modelRegions = {} } = provider
  if (Object.hasOwn(modelRegions, model)) return modelRegions[model]!
  if (here.length === 1 || (passesOn && !listed)) return GLOBAL_ONLY
  const named = modelNaming ? MODEL_NAMINGS[modelNaming](model) : REGIONS
  const listedRegions = listed?.regions ?? REGIONS
  return here.filter((region) => named.includes(region) && listedRegions.includes(region))
}

/** Whether a key of this region may use something that promises these regions. */
export function isInRegion(region: Region, regions: readonly Region[] | undefined): boolean {
  return region === 'global' || (regions ?? GLOBAL_ONLY).includes(region)
}
