import type { Maker } from '../model-traits.ts'
import type { Target } from '../chat-codec.ts'

/** What Bedrock's wire leaves to the maker of a model, it wants said in that maker's own words. */
export type Vendor = Maker | 'unknown'

const BEFORE_VENDOR = /^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|il|global)\./

/** The catalog knows; of a model that it does not know, the name may tell. */
export function vendorOf({ model, traits }: Pick<Target, 'model' | 'traits'>): Vendor {
  return traits?.maker ?? vendorInName(model)
}

/**
 * A name on Bedrock is `[region.]maker.model`, alone or at the end of an ARN; that the maker stands in it belongs to the
 * wire. The ARN of a profile that a customer made tells nothing.
 */
export function vendorInName(model: string): Vendor {
  const id = model.slice(model.lastIndexOf('/') + 1).replace(BEFORE_VENDOR, '')
  if (id.startsWith('anthropic.')) return 'anthropic'
  if (id.startsWith('amazon.nova')) return 'nova'
  if (id.startsWith('openai.gpt-oss')) return 'gpt-oss'
  if (id.startsWith('openai.')) return 'openai'
  if (id.startsWith('mistral.')) return 'mistral'
  return /^[a-z0-9]+\./.test(id) ? 'other' : 'unknown'
}
