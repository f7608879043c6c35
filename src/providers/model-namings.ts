import { AWS_REGIONS, OCI_REGIONS } from './cloud-regions.ts'
import { type ModelNaming, REGIONS, type Region } from './provider.ts'

/** The regions that a model's name does not lead out of. The name alone never proves more than the address does. */
type Naming = (model: string) => readonly Region[]

/** A name that could mean anything. */
const UNKNOWN: readonly Region[] = ['global']
const EU: readonly Region[] = ['global', 'eu']
const US: readonly Region[] = ['global', 'us']

/** How the names of a provider's models say where a model is served. */
export const MODEL_NAMINGS = { bedrock: inBedrock, google: inGoogle, oracle: inOracle } satisfies Record<
  ModelNaming,
  Naming
>

/**
 * The geography in front of a system-defined inference profile. `apac.`, `au.`, `ca.`, `jp.`, `in.`, `global.` and those to
 * come are in neither region.
 */
const PROFILE_GEOGRAPHIES: Readonly<Record<string, readonly Region[]>> = { eu: EU, us: US, 'us-gov': US }

/** Whose models are called by a name without a geography: such a call stays in the region of the address. */
const BEDROCK_MAKERS: ReadonlySet<string> = new Set([
  ...['ai21', 'amazon', 'anthropic', 'cohere', 'deepseek', 'google', 'luma', 'meta', 'minimax', 'mistral', 'moonshot'],
  ...['moonshotai', 'nvidia', 'openai', 'qwen', 'stability', 'twelvelabs', 'writer', 'xai', 'zai'],
])

/** What Amazon's other services call their engines: no name of a model or a profile on Bedrock. */
const AMAZON_ENGINES: ReadonlySet<string> = new Set(['standard', 'neural', 'long-form', 'generative', 'transcribe'])

/** `arn:partition:service:region:account:kind/id` */
const ARN = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):\d*:([a-z-]+)\/([^/]+)$/

/**
 * Resources that run in the region of their ARN. Not so an application inference profile or a prompt router, which may be a
 * copy of a profile of any geography, and a prompt, which names a model that we do not see.
 */
const REGIONAL_RESOURCES: ReadonlySet<string> = new Set([
  ...['custom-model', 'custom-model-deployment', 'imported-model', 'provisioned-model'],
])

function inBedrock(model: string): readonly Region[] {
  if (!model.startsWith('arn:')) return inBedrockName(model)
  const [, region = '', kind = '', id = ''] = ARN.exec(model) ?? []
  const home = regionsWith(AWS_REGIONS, region)
  if (REGIONAL_RESOURCES.has(kind)) return home
  if (kind !== 'foundation-model' && kind !== 'inference-profile') return UNKNOWN
  return home.filter((one) => inBedrockName(id).includes(one))
}

/** `maker.model` or `geography.maker.model`. A name without a dot may be the id of an application inference profile. */
function inBedrockName(model: string): readonly Region[] {
  if (AMAZON_ENGINES.has(model)) return REGIONS
  const [first = '', second = '', third] = model.split('.')
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+(:[a-z0-9-]+){0,2}$/i.test(model)) return UNKNOWN
  if (BEDROCK_MAKERS.has(first)) return REGIONS
  if (!Object.hasOwn(PROFILE_GEOGRAPHIES, first) || third === undefined) return UNKNOWN
  return BEDROCK_MAKERS.has(second) ? PROFILE_GEOGRAPHIES[first]! : UNKNOWN
}

/** A plain name is one of the location in the address; a resource's name (`projects/…`, `publishers/…`) may be of another. */
function inGoogle(model: string): readonly Region[] {
  return /^[a-z0-9][\w.@-]*$/i.test(model) ? REGIONS : UNKNOWN
}

/** Models of other makers than these are passed on to their makers; an OCID names its region. */
function inOracle(model: string): readonly Region[] {
  if (/^(cohere|meta)\.[\w.-]+$/.test(model)) return REGIONS
  const [, region = ''] = /^ocid1\.generativeai\w*\.oc1\.([a-z0-9-]+)\.[\w-]+$/.exec(model) ?? []
  return regionsWith(OCI_REGIONS, region)
}

type Places = Readonly<Partial<Record<Region, readonly string[]>>>

function regionsWith(places: Places, name: string): readonly Region[] {
  return REGIONS.filter((region) => region === 'global' || places[region]?.includes(name))
}
