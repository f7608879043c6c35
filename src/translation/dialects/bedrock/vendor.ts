import type { Maker } from '../model-traits.ts'
import type { Target } from '../chat-codec.ts'

/** Settings that Bedrock leaves to the vendor of a model have to be in that vendor's own format. */
export type Vendor = Maker | 'unknown'

const BEFORE_VENDOR = /^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|il|global)\./

/** The catalog names the vendor; for an unknown model it may be in the name. */
export function vendorOf({ model, traits }: Pick<Target, 'model' | 'traits'>): Vendor {
  return traits?.maker ?? vendorInName(model)
}

/**
 * A name on Bedrock is `[region.]vendor.model`, alone or at the end of an ARN. The ARN of a custom profile does not reveal
 * the vendor.
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
