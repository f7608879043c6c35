import { PLACED, settingOf } from '../../src/translation/tasks/http/fixtures/recording.ts'
import { findAdapter, providersOf } from '../../src/translation/tasks/adapters.ts'
import type { Feature } from '../../src/translation/tasks/feature.ts'
import { FEATURES } from '../../src/translation/tasks/index.ts'
import { PROVIDER_ALIASES, PROVIDERS } from '../../src/platform/providers/providers.ts'

export type TaskProvider = { feature: Feature; provider: string; address: string; load: () => ReturnType<Load> }
type Load = NonNullable<ReturnType<typeof findAdapter>>

/** Every adapter that calls a provider. */
export const TASK_PROVIDERS: readonly TaskProvider[] = FEATURES.flatMap((feature) => {
  const others = providersOf(feature).filter((provider) => provider !== 'sandbox' && provider !== 'local')
  return others.map((provider) => {
    const address = `${feature.feature}/${feature.subfeature}/${provider}`
    return { feature, provider, address, load: findAdapter(feature, provider)! }
  })
})

/** The secret of every provider. It has two parts, for providers that send them in different places. */
const SECRET = PLACED
const AWS_SECRETS = ['AKIDOFTESTANDNOTHINGELSE', 'secret-access/of+test=0123456789']

/** The secrets that a provider receives, which must not be in any log line or error. */
export function secretsOf(provider: string): string[] {
  return provider === 'amazon' ? AWS_SECRETS : [SECRET, ...SECRET.split(':')]
}

/** An environment that configures every provider of tasks with this server's address. */
export function environmentFor(url: string): Record<string, string> {
  const rows = [...new Set(TASK_PROVIDERS.map(({ provider }) => provider))].map((id) => settingsOf(id, url))
  const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] = AWS_SECRETS
  return Object.assign({}, ...rows, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })
}

function settingsOf(name: string, url: string): Record<string, string> {
  const id = PROVIDER_ALIASES.get(name) ?? name
  const { auth, baseUrlEnv, services = {}, taskSettings = [] } = PROVIDERS[id]!
  const own = baseUrlEnv ?? auth.env!.replace(/_(API_KEY|TOKEN|KEY)$/, '').concat('_BASE_URL')
  const moved = Object.keys(services).map((service) => {
    return [`${id}_${service}_BASE_URL`.toUpperCase().replaceAll('-', '_'), `${url}/${service}`]
  })
  const settings = taskSettings.map((setting) => [setting, settingOf(setting)])
  return { [auth.env!]: SECRET, [own]: url, ...Object.fromEntries([...moved, ...settings]) }
}
