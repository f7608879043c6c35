import type { Config } from '../platform/config/config.ts'
import { formatOf, type Log } from './log.ts'
import { summarizeProviders } from '../platform/config/provider-summary.ts'
import { banner, type Greeting, keysText } from './output/banner.ts'
import { paintFor } from './output/paint.ts'
import { packageVersion } from '../platform/version.ts'

/** A person gets a banner at every start. A log of JSON lines gets the keys that were made, and what is missing. */
export function welcome(greeting: Omit<Greeting, 'version'>, log: Log): void {
  const { config } = greeting
  if (formatOf(config) === 'pretty') {
    process.stdout.write(banner({ ...greeting, version: packageVersion() }, paintFor(process.stdout)))
    return
  }
  const keys = keysText(greeting)
  if (keys) process.stdout.write(`\n${addressText(greeting)}\n${keys}\n`)
  const { missing } = summarizeProviders(config)
  if (missing.length > 0) log.warn({ missing }, 'credentials of providers are missing')
}

function addressText({ config, base, admin }: Omit<Greeting, 'version'>): string {
  const { publicUrl: api = base, adminUrl = admin } = config
  const console = `Console: ${adminUrl}/`
  return api ? `  Gatehouse is running at ${api}/v3   (docs: ${api}/docs)\n  ${console}` : `  ${console}`
}

/** The addresses that the operator gives, for the log, which also has those that are listened on. */
export function statedUrls({ publicUrl, adminUrl }: Config): object {
  return { ...(publicUrl && { public_url: publicUrl }), ...(adminUrl && { public_admin_url: adminUrl }) }
}
