import { AWS_REGIONS, OCI_REGIONS } from './cloud-regions.ts'
import { type ModelNaming, REGIONS, type Region } from './provider.ts'

/** The regions that a model's name is compatible with. The name alone never proves more than the address does. */
type Naming = (model: string) => readonly Region[]

/** A name that proves nothing. */
const UNKNOWN: readonly Region[] = ['global']
const EU: readonly Region[] = ['global', 'eu']
const US: readonly Region[] = ['global', 'us']

/** How model names show where a model is served. */
export const MODEL_NAMINGS = { bedrock: inBedrock, google: inGoogle, oracle: inOracle } satisfies Record<
  ModelNaming,
  Naming
>

/**
 * The prefix of a system-defined inference profile. `apac.`, `au.`, `ca.`, `jp.`, `in.`, `global.` and future ones are in
 * neither region.
 */
const PROFILE_GEOGRAPHIES: Readonly<Record<string, readonly Region[]>> = { eu: EU, us: US, 'us-gov': US }

/** Makers whose models have names without a geography: such a call stays in the region of the address. */
const BEDROCK_MAKERS: ReadonlySet<string> = new Set([
  ...['ai21', 'amazon', 'anthropic', 'cohere', 'deepseek', 'google', 'luma', 'meta', 'minimax', 'mistral', 'moonshot'],
  ...['moonshotai', 'nvidia', 'openai', 'qwen', 'stability', 'twelvelabs', 'writer', 'xai', 'zai'],
])

/** Engines of Amazon's other services: they are not names of models or profiles on Bedrock. */
const AMAZON_ENGINES: ReadonlySet<string> = new Set(['standard', 'neural', 'long-form', 'generative', 'transcribe'])

/** `arn:partition:service:region:account:kind/id` */
const ARN = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):\d*:([a-z-]+)\/([^/]+)$/

/**
 * Resources that run in the region of their ARN. Others do not: an application inference profile or a prompt router may copy a
 * profile of any geography, and a prompt names a model that the gateway cannot see.
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

/**
 * A plain name belongs to the location of the address; the name of a resource (`projects/…`, `publishers/…`) may be elsewhere.
 */
function inGoogle(model: string): readonly Region[] {
  return /^[a-z0-9][\w.@-]*$/i.test(model) ? REGIONS : UNKNOWN
}

/** Oracle forwards models of other makers to them; an OCID contains its region. */
function inOracle(model: string): readonly Region[] {
  if (/^(cohere|meta)\.[\w.-]+$/.test(model)) return REGIONS
  const [, region = ''] = /^ocid1\.generativeai\w*\.oc1\.([a-z0-9-]+)\.[\w-]+$/.exec(model) ?? []
  return regionsWith(OCI_REGIONS, region)
}

type RegionNames = Readonly<Partial<Record<Region, readonly string[]>>>

function regionsWith(places: RegionNames, name: string): readonly Region[] {
  return REGIONS.filter((region) => region === 'global' || places[region]?.includes(name))
}
