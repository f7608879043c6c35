import type { Tools } from '../feature.ts'
import { askForBytes } from '../http/ask-provider.ts'
import { videoOutput } from './video.ts'
import { TaskFailure } from '../http/task-failure.ts'

/** A film that a provider made, fetched from where it put it and kept here: its own link does not live for seven days. */
export async function storedVideo(address: string, families: readonly string[], tools: Tools) {
  const { url, isHome } = ownAddress(address, families, tools)
  const elsewhere: Tools = { ...tools, address: () => '' }
  // A store proves by the address itself who may fetch: our secret is for the provider alone.
  const bytes = await askForBytes(isHome ? elsewhere : { ...elsewhere, authorize: (request) => request }, { path: url })
  return await videoOutput(tools, bytes)
}

/** An address that an answer names is followed only to the provider itself and to the domains where it is known to put things. */
function ownAddress(address: string, families: readonly string[], tools: Tools): { url: string; isHome: boolean } {
  const url = URL.parse(address)
  const isHome = url?.origin === new URL(tools.address()).origin
  const isKin = families.some((family) => url?.hostname.endsWith(`.${family}`))
  const isPlain = url !== null && url.username === '' && url.password === ''
  if (isPlain && (isHome || (isKin && url.protocol === 'https:' && url.port === ''))) return { url: url.href, isHome }
  throw new TaskFailure('garbage', 'the provider answered with an address that is not its own')
}
