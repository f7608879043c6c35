import type { Tools } from '../feature.ts'
import { askForBytes } from './ask-provider.ts'
import { TaskFailure } from './task-failure.ts'

/** Fetches a file that an answer names, because the provider's link does not last. */
export async function ownDownload(address: string, families: readonly string[], tools: Tools): Promise<Uint8Array> {
  const { url, isHome } = ownAddress(address, families, tools)
  const elsewhere: Tools = { ...tools, address: () => '' }
  // A storage URL contains its own authorization; our secret goes only to the provider.
  return await askForBytes(isHome ? elsewhere : { ...elsewhere, authorize: (request) => request }, { path: url })
}

/** A URL in an answer is followed only to the provider itself and to its known storage domains. */
function ownAddress(address: string, families: readonly string[], tools: Tools): { url: string; isHome: boolean } {
  const url = URL.parse(address)
  const isHome = url?.origin === new URL(tools.address()).origin
  const isKin = families.some((family) => url?.hostname.endsWith(`.${family}`))
  const isPlain = url !== null && url.username === '' && url.password === ''
  if (isPlain && (isHome || (isKin && url.protocol === 'https:' && url.port === ''))) return { url: url.href, isHome }
  throw new TaskFailure('garbage', 'the answer of the provider contains a URL of another host')
}
